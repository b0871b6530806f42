"""Short codes that only the words beside them give away: PINs, card codes, codes of doors and accounts.

A code is a short number; what makes it a secret is the name of a code before it, a verb such as
"unlocks with", or a name behind it. A name such as "code" counts only beside what it guards.
"""

import re
from collections.abc import Iterator

from longterm.text.secrets.secret import Secret
from longterm.text.secrets.surroundings import MASK, is_harmless
from longterm.text.secrets.words import BLANK, BLANKS, FOR, IS

# How far a name may stand before its code, and behind it.
_BEFORE = 90
_AFTER = 50

_PIN_DIGITS = 4

_NUMERAL = (
    r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zwei|drei|vier|fünf|sechs"
    r"|sieben|acht|neun|zéro|deux|trois|quatre|cinq|sept|huit|neuf|cero|uno|dos|tres|cuatro|cinco"
    r"|seis|siete|ocho|nueve|due|tre|quattro|cinque|sei|sette|otto|nove|um|dois|três|quatro|sete"
    r"|oito|nul|een|twee|drie|vijf|zes|zeven|negen)"
)
CODE = re.compile(
    r"(?<![\w.,:/+£$€%-])(?P<value>"
    r"[*#]?[0-9](?:[ -][0-9]){2,7}|[0-9]{3,4}(?:[ -][0-9]{3,4}){1,2}|[0-9]{1,2}(?:-[0-9]{1,2}){2,3}"
    r"|[*#]?(?:[A-Z]{1,2})?[0-9]{3,12}(?:[A-Z]{1,2})?[*#]?|[0-9]{1,4}[A-F][0-9A-F]{1,6}"
    rf"|(?i:{_NUMERAL}(?:[ ,-]{{1,2}}{_NUMERAL}){{2,9}}))"
    r"(?![\w%°€£$])(?![.,:/-][0-9])"
)
_COUNTED = re.compile(
    r"\s{0,3}-?(?:char|digit|letter|number|symbol|time|day|week|month|year|hour|minute|second|people"
    r"|g\b|ml\b|sq|yen|coin|percent|pin|page|piece|series|name|issue|case|row|item|unit|line|euro|dollar|pound|gram|kilo|step|mile|metre|meter|point|word|rpm|kg|km|cm|mm|kb|mb|gb|kwh"
    r"|(?:ziffer|stelle|zeichen|jahr|tag|minute|chiffre|jour|cifra|dígito|días|dias|giorni|cifre)"
    r"|(?-i:[A-Z][a-z]+ (?:Street|Avenue|Road|Lane)))",
    re.IGNORECASE,
)

# Names that leave no doubt.
_CERTAIN = (
    r"(?:(?<![a-z])(?:pin[ -]?(?:code|number|nummer)|(?-i:PIN)|\w{2,12}-pin|puk2?(?:[ -]?code)?"
    r"|cvv2?|cvc2?|cvn|(?-i:TAN)|digicode|cryptogramme|geheimzahl|geheimnummer|codigo secreto"
    r"|código secreto|code secret|codice segreto|toegangscode|pincode|mtan)(?![a-z])"
    r"|(?<![a-z])(?:my|your|his|her|our|atm|card|bank|sim|debit|credit|phone|voicemail|mein\w*|meu|mi"
    r"|mon|mio)(?: \w{1,12})? pin(?![a-z])"
    r"|passcode|(?:kartenprüf|prüf)(?:nummer|ziffer)|sicherheitscode|zugangscode|entsperrcode"
    r"|(?:security|verification|one[- ]time|unlock(?:ing)?|access|entry|login|log-in|sign-in|2fa|otp|mfa"
    r"|sms|authenticator|auth|confirmation pin|disarm|bestätigungs|freischalt|screen[- ]?lock)"
    r"[- ]?(?:code|pin|password|passwort|number)s?"
    r"|code (?:de (?:sécurité|vérification|confirmation|déverrouillage)|d['\u2019](?:accès|entrée))"
    r"|c[óo]digo de (?:seguridad|verificaci[óo]n|acceso|desbloqueo|segurança|verificação|acesso)"
    r"|codice di (?:sicurezza|verifica|sblocco|accesso)"
    r"|(?:three|3|four|4|last three) (?:digits?|numbers?) on the (?:back|front)|on the back of (?:the|my) card"
    r"|unlock pattern|(?:smart|door|pad)lock (?:code|combination)|lock ?combo)"
)
# "pin 14" is one of a chip: fewer than four digits do not count.
_PIN = r"(?<![a-z])pin(?![a-z])"

# What a code opens.
GUARDED = (
    r"(?:atm|card|cash card|visa|amex|mastercard|alarm|burglar|door|gate|garage|entry|entrance|building|safe|safety box|lock|padlock|locker|vault"
    r"|lock ?box|key ?box|keypad|key ?pad|house|suitcase|luggage|briefcase|phone|iphone|ipad|tablet"
    r"|laptop|voicemail|mailbox|intercom|shed|cabin|barrier|elevator|lift|storage unit"
    r"|alarmanlage|haustür|tür|tor|tresor|schloss|fahrradschloss|zahlenschloss|koffer|handy|eingang"
    r"|schließfach|wohnung|keller|bankkarte|ec-karte|karte"
    r"|alarme|immeuble|porte|portail|coffre|cadenas|antivol|valise|téléphone|portable|boîte à clés|carte"
    r"|alarma|puerta|portal|portón|caja fuerte|candado|maleta|móvil|celular|garaje|tarjeta|cajero|trastero"
    r"|allarme|antifurto|porta|portone|cancello|cassaforte|lucchetto|valigia|telefono|bancomat|carta"
    r"|portão|cofre|cadeado|mala|telemóvel|multibanco|cartão|prédio|garagem"
    r"|deur|voordeur|kluis|slot|fietsslot|poort|hek|koffer|telefoon|pinpas|bankpas)"
)
_GERMAN = (
    r"(?:garten|hof|garagen|haus|keller|eingangs|wohnungs|fahrrad|zahlen|bank|kredit|giro|sim-?)"
    r"(?:tür|tor|schloss|karte|tresor)"
)
# What one is asked to do with a code.
_ACCOUNT = (
    r"(?:disarm\w{0,3}|unlock\w{0,3}|whatsapp|telegram|signal|paypal|(?:do not|don['\u2019]t|never) share"
    r"|(?:sign|log) in|verify|nicht weitergeben|ne (?:le )?partagez)"
)
# What is opened by nothing but a code.
LOCK = (
    r"(?:keypad|padlock|(?:bike|bicycle|combination|luggage|suitcase|number) lock|alarm (?:pad|panel)|lock ?box|key ?safe"
    r"|(?:zahlen|fahrrad|koffer|vorhänge)schloss|cadenas|candado|lucchetto|cadeado|fietsslot|cijferslot)"
)
_GUARDED_WORD = re.compile(
    rf"(?<![a-zà-ÿ])(?:{GUARDED}|{_GERMAN}|{LOCK}|{_ACCOUNT})(?:s|n|es)?(?![a-zà-ÿ])", re.IGNORECASE
)
_CODE_NAME = (
    r"(?:codes?|combo|combination|pin|código|codigo|codice|kombination|combinaison|combinación|combinazione"
    r"|combinação|clave|segredo|cijfercode|chiffre secret|nummer|password"
    r"|passwort|kennwort|contraseña|senha|wachtwoord|mot de passe)"
)
# "Zip code", "area code": codes that everybody may know.
_COMPOUND = r"\w{0,20}?(?:tür|haus|tor|alarm|safe|tresor|eingangs|garagen|koffer|handy|keller|schließfach|deur|poort|kluis|schloss)-?code"
_NAME = re.compile(
    rf"(?P<certain>{_CERTAIN}|{_COMPOUND})|(?P<pin>{_PIN})|(?P<lock>(?<![a-zà-ÿ]){LOCK}(?![a-zà-ÿ]))"
    r"|(?P<public>\b(?:zip|postal|post|area|dial(?:l?ing)?|dress|error|status|exit|paint|colou?r|discount"
    r"|promo|coupon|voucher|gift|referral|invite|source|country|airport|product|bar|qr|tracking|order"
    r"|booking|confirmation|reservation|friend|sort|swift|tax|fault|trouble|course|class|building)[ -]?code"
    r"|code (?:postal|promo)|code de la route|c[óo]digo postal)"
    rf"|(?P<vague>(?<![a-zà-ÿ]){_CODE_NAME}(?![a-zà-ÿ]))",
    re.IGNORECASE,
)

_ARTICLE = r"(?:(?:now|just|still|simply|currently|set to|the|jetzt|maintenant|ahora|ora|agora|nu|le|el|il|o)\s{1,8})?"
_CONNECTED = re.compile(
    r"(?:(?<![a-z])(?:is|are|was|it['\u2019]?s|to|with|ist|sind|war|lautet|auf|mit|est|sont|c['\u2019]est"
    r"|c|avec|es|son|con|è|é|era|sono|são|com|met|code|number|use)\s{1,8}|['\u2019]s\s{1,8}"
    rf"|[:=#>–—-]\s{{0,8}}){_ARTICLE}(?:[:=]\s{{0,8}})?[\"'`“„«(]?\s?$",
    re.IGNORECASE,
)
# "PIN codes: visa 4471, amex 8812".
_LISTED = re.compile(r"s?(?: codes?)?\s?:\s")
_QUALIFIER = re.compile(r"(?: [^\W\d]{2,12}){1,2}\s")
_ADJACENT = re.compile(r"[\s\"'`“()#,:=]{0,8}$")

# "punch in 4926", "si digita 28417", "opens with 8163".
_TYPED = re.compile(
    r"(?<![a-z])(?:(?:punch|type|key|tap|put) in|(?:enter|press|dial|input|disarm)(?: in| with)?|digit\w{1,3}|tipp\w{1,2}|taper?z?"
    r"|compose[rz]?|faire|marca\w{0,2}|teclea\w{0,2}|introduzca|introducir|inserire|inserisci|toets|gib|eingeben)"
    r"(?: (?:in|the code|code|den code|le code|el código|il codice))?(?: [0-9*#]{1,6},?(?: and| then){1,2})?\s{1,8}$",
    re.IGNORECASE,
)
_OPENS_WITH = re.compile(
    r"(?:(?:opens?|unlocks?|unlocked|disarm\w{0,3}|locked|works?|gets? you in|getting in|let yourself in)"
    r"(?: it| up)? (?:with|by|using)|(?<![a-z])(?:lock|padlock|suitcase|safe|luggage)(?: is| was|['\u2019]s)? set to"
    r"|(?:öffnet|entsperr\w{1,3}|geht(?: auf)?)(?: sich| man| nur)? mit|s['\u2019]ouvre avec|(?:ouvre|déverrouille) avec"
    r"|se (?:abre|desbloquea) con|si (?:apre|sblocca) con|abre(?:-se)? com|desbloqueia com|gaat open met)"
    r"(?: the code| code)?\s{1,8}$",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    r"[#*\"'`”)]{0,2}(?:,? that['\u2019]?s|,? is| ist|, das ist| est| es| è| é|, c['\u2019]est| for| as)"
    r" (?:(?:the|my|our|your|his|her|die|der|meine|mein|le|mon|el|mi|il|mio|o|meu) )?(?:\w{1,12} ){0,2}?"
    rf"(?:{_CERTAIN}|{_PIN}|(?P<vague>{_CODE_NAME}(?![a-z])))",
    re.IGNORECASE,
)
_OPENS_AFTER = re.compile(
    r",? (?:to )?(?:opens?|unlocks?|disarms?|get in(?:to| to)?|enter|öffnet|entsperrt|ouvre|abre|apre|sblocca|desbloquea)"
    rf" (?:the |my |our |die |das |la |le |el |il |o |a )?(?:\w{{1,12}} ){{0,2}}?{GUARDED}(?![a-z])",
    re.IGNORECASE,
)
_OTHER_NUMBER = re.compile(
    r"\b(?:room|house|bus|extension|ext|page|year|price|balance|bill|rent|address|postcode|zip|number|gate"
    r"|flat|platform|level|limit|total|weight|cost)(?: is| was| to|:)?\s{1,8}$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.?!](?=\s)|\n")
_YEAR = re.compile(r"19[3-9][0-9]|20[0-4][0-9]")

# "31 left, 8 right twice, 44 left".
_SIDE = r"(?:left|right|links|rechts|gauche|droite|izquierda|derecha|clockwise)"
_TURN = rf"(?:[0-9]{{1,2}}[ -](?:to the )?{_SIDE}|{_SIDE} (?:to )?[0-9]{{1,2}})"
_TURNS = re.compile(
    rf"(?<![\w])(?P<value>{_TURN}(?:[^.\n0-9]{{1,20}}{_TURN}){{1,5}})", re.IGNORECASE
)

_GOOGLE = re.compile(r"\bG-(?P<value>[0-9]{6})\b")
_BACKUP_CODE = r"(?=[a-z-]{0,11}[0-9])[a-z0-9]{4,12}(?:-[a-z0-9]{4,12})?"
_BACKUP = re.compile(
    r"(?:(?:backup|recovery|rescue|emergency|scratch|2fa)[- ]codes?|wiederherstellungs-?codes?|notfall-?codes?"
    r"|codes? de (?:secours|récupération|recuperación|recupera[çc][ãa]o)|codici di (?:backup|recupero)"
    r"|c[óo]digos de (?:recuperaci[óo]n|respaldo|recupera[çc][ãa]o|reserva))[^0-9\n]{0,60}?[:=\s(]\s{0,4}"
    rf"(?P<value>{_BACKUP_CODE}(?:[ ,;/\n]{{1,2}}{_BACKUP_CODE}){{1,19}})",
    re.IGNORECASE,
)
_AUTHENTICATOR = re.compile(
    r"(?:2fa|totp|otp|mfa|authenticator)[ _-](?:secret|key|seed)(?: key)?"
    rf"{FOR}(?:{IS}|{BLANKS}){BLANK}(?P<value>[a-z2-7]{{4}}(?:[ -]?[a-z2-7]{{4}}){{3,15}})(?![\w])",
    re.IGNORECASE,
)

SIGNS = (
    *(
        "pin",
        "cvv",
        "cvc",
        "cvn",
        "cod",
        "cód",
        "comb",
        "komb",
        "puk",
        "tan",
        "g-",
        "2fa",
        "otp",
        "mfa",
    ),
    *(
        "authenticator",
        "cryptogramme",
        "ziffer",
        "nummer",
        "zahl",
        "digit",
        "back of",
        "clave",
        "segredo",
    ),
    *(
        "open",
        "lock",
        "disarm",
        "get",
        "set to",
        "punch",
        "type",
        "key",
        "tap",
        "put",
        "enter",
        "press",
    ),
    *(
        "dial",
        "öffnet",
        "sperr",
        "ouvre",
        "abre",
        "apre",
        "sblocca",
        "tipp",
        "compose",
        "marca",
        "tecle",
    ),
    *(
        "left",
        "right",
        "links",
        "rechts",
        "gauche",
        "droite",
        "izquierda",
        "derecha",
        "clockwise",
        "slot",
    ),
    *(
        "pass",
        "wort",
        "word",
        "contrase",
        "senha",
        "schloss",
        "candado",
        "cadenas",
        "cadeado",
        "lucchetto",
    ),
    *(
        "*",
        "#",
        "safe",
        "auf mit",
        "gaat open",
        "faire",
        "toets",
        "gib",
        "introdu",
        "inseri",
        "works",
        "geht",
        "pad",
    ),
)


def find(text: str) -> Iterator[Secret]:
    """PINs, card codes, codes of doors, codes of accounts."""
    for match in CODE.finditer(text):
        if _is_named(text, match) and not _COUNTED.match(text, match.end()):
            yield _secret(match)
    for match in _TURNS.finditer(text):
        if _GUARDED_WORD.search(_lead(text, match.start())):
            yield _secret(match)
    for pattern in (_GOOGLE, _AUTHENTICATOR, _BACKUP):
        yield from map(_secret, pattern.finditer(text))


def is_code(match: re.Match[str]) -> bool:
    """Whether a number beneath the name of a code is one: no year among words, and no count."""
    is_whole = match.span() == (0, len(match.string))
    is_year = _YEAR.fullmatch(match["value"]) is not None
    return is_whole or (not is_year and not _COUNTED.match(match.string, match.end()))


def _is_named(text: str, match: re.Match[str]) -> bool:
    """Whether the words before a code, or those behind it, say that it is one."""
    lead = _lead(text, match.start())
    rest = text[match.end() : match.end() + _AFTER]
    around = lead + _SENTENCE_END.split(rest, maxsplit=1)[0]
    if _TYPED.search(lead) or _OPENS_WITH.search(lead):
        return bool(_GUARDED_WORD.search(around))
    is_keyed = match["value"][0] in "*#" or match["value"][-1] in "*#"
    if is_keyed and _GUARDED_WORD.search(lead) and not is_harmless(text, match.start()):
        return True
    if _OPENS_AFTER.match(rest):
        return True
    after = _NAMED_AFTER.match(rest)
    if after:
        return after["vague"] is None or bool(_GUARDED_WORD.search(around))
    return _is_named_before(lead, around, match["value"]) and not is_harmless(text, match.start())


def _is_named_before(lead: str, around: str, value: str) -> bool:
    names = list(_NAME.finditer(lead))
    if not names or names[-1]["public"]:
        return False
    name, between = names[-1], lead[names[-1].end() :]
    is_adjacent = bool(_ADJACENT.match(between)) or _is_qualifier(between)
    if (name["certain"] or name["pin"]) and _LISTED.match(between):
        is_adjacent = True
    if not is_adjacent and (not _CONNECTED.search(lead) or _OTHER_NUMBER.search(between)):
        return False
    if name["lock"]:
        return not _YEAR.fullmatch(value)
    if name["vague"]:
        return bool(_GUARDED_WORD.search(around)) and not (is_adjacent and _YEAR.fullmatch(value))
    if name["pin"]:
        return not 0 < _digits(value) < _PIN_DIGITS
    if "pin" in name[0].lower():
        # A PIN code of six digits is an Indian town.
        is_postal = "code" in name[0].lower() and len(value) == 6
        return not is_postal and not 0 < _digits(value) < _PIN_DIGITS
    return True


def _is_qualifier(between: str) -> bool:
    """Whether a name goes on with what it opens: "codice cassaforte"."""
    return bool(_QUALIFIER.fullmatch(between)) and bool(_GUARDED_WORD.search(between))


def _lead(text: str, start: int) -> str:
    """What is said before a place in the same sentence, or the question that is answered there."""
    lead = MASK.sub("", text[max(0, start - _BEFORE) : start])
    said = _SENTENCE_END.split(lead)
    question = lead.rstrip()
    if not said[-1].strip() and question.endswith("?"):
        return _SENTENCE_END.split(question[:-1])[-1] + ": "
    return said[-1]


def _secret(match: re.Match[str]) -> Secret:
    return Secret("password", match.start("value"), match.end("value"))


def _digits(value: str) -> int:
    return sum(character.isdigit() for character in value)
