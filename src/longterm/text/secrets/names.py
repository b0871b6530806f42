"""Names of secrets: a value beneath the key `wifi_password` is one, whatever it looks like."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from longterm.text.secrets import codes, values
from longterm.text.secrets.codes import GUARDED, LOCK
from longterm.text.secrets.labels import LABEL
from longterm.text.secrets.passwords import NAME
from longterm.text.secrets.phrases import SENTENCE_WORD
from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.secret import Kind


def _named(names: str) -> re.Pattern[str]:
    """One of the names as whole words anywhere in a key; `rest` is what follows it there."""
    return re.compile(rf"(?:.{{0,80}} )?(?:{names})(?P<rest> .{{0,120}})?", re.IGNORECASE)


# "password for the bank", "senha do banco", "wifi password".
_OF = r"(?=$| (?:for|of|to|on|für|von|vom|zum|zur|de|du|des|del|della|do|da|dos|das|para|pour|per|di|wi ?fi|wlan|router|bank|banco) ?)"
_PASSWORD_NAME = (
    rf"\S{{0,20}}?(?:{NAME})s?|passw[oö]rter|kennwörter|mots? de passe|palavra passe|parola d ordine"
    r"|zugangsdaten|credentials?|(?:wi ?fi|wlan|router|hotspot|network) (?:key|code)"
    r"|(?:security|secret) answer|memorable word|wpa2?|psk"
)
_PASSWORD = _named(rf"(?:{_PASSWORD_NAME}|pass|clave|parola|secrets?){_OF}")
_PASSWORD_ANYWHERE = _named(_PASSWORD_NAME)
_CODE = _named(
    r"\S{0,12}-?pin|pins|\S{0,12}pincode|puk\d?|cvv2?|cvc2?|cvn|tan|digicode|passcode|geheimzahl"
    rf"|(?:\S{{0,20}} )?{GUARDED}s?(?: (?:door|lock|box|system|de|del|da|do|della|di|du|la|l))?"
    r" ?(?:access |entry )?(?:codes?|combo|combination|código|codigo|codice|combinaison|numbers)"
    rf"|(?:code|combo|combination|código|codigo|codice|combinaison|clave)(?: \S{{1,6}}){{0,2}} {GUARDED}"
    r"|(?:security|access|unlock|entry|verification|one time|disarm|screen ?lock) ?code|combination|combo|\S{1,20} unlock"
    rf"|{LOCK}"
    r"|\S{0,20}(?:tür|tuer|alarm|tor|safe|schloss|tresor|zugangs|sicherheits|entsperr|haus|deur|kluis)code"
    r"|(?:backup|recovery|rescue|emergency|scratch) codes?|wiederherstellungscodes?|códigos? de recuperación"
)
_KEY = _named(
    r"(?:\S{1,20} )?(?:api|access|secret|private|signing|encryption|master|auth|maps|service|account"
    r"|client|webhook|license|ssh|wallet|recovery|session|refresh|bot|personal)"
    r" ?(?:api |access )?(?:keys?|tokens?|secrets?|pat)|tokens?|apikey|pat"
    r"|\S{0,20}schlüssel|(?:totp|otp|2fa|mfa)(?: (?:secret|seed|key))?|authorization|bearer|jwt"
    r"|cookie|session id|(?:clé|clave|chiave|chave) (?:d |de )?api|openai key"
)
_VAGUE_KEY = _named(r"\S{1,20} (?:keys?|secrets?|clave|clé|chiave|chave)|cookies?|session")
_SEED = _named(
    r"(?:seed|recovery|mnemonic|backup|wallet|secret) ?(?:phrase|words|seed)|seed|mnemonic|passphrase"
    r"|(?:ledger|trezor|metamask|wallet|12|24|twelve|crypto)(?: \S{1,12})?(?: words?| phrase)?"
)
_IDENTITY = _named(
    r"(?:passport|reisepass|passeport|pasaporte|passaporto|passaporte|paspoort)(?:nummer|nr)?|passnummer"
    r"|driv(?:er|ing)(?: ?s)? licen[cs]e|führerschein(?:nummer)?|licen[cs]e (?:number|no)|permis de conduire|patente(?: di guida)?"
    r"|carnet de conducir|rijbewijs|personalausweis(?:nummer)?"
    rf"|{LABEL}"
)
_ACCOUNT = _named(
    r"credit ?card|debit ?card|card (?:number|no)|kreditkarten?(?:nummer)?|carte bancaire|tarjeta"
    r"|iban|bank ?account|account (?:number|no)|kontonummer|routing(?: number)?|num[ée]ro de (?:compte|carte)"
)

# What is said about a secret beneath its name: `password: {changed_at: …}`, `pin_board`.
_ABOUT = re.compile(
    r"(?:.{0,60} )?(?:at|on|by|policy|hint|required|length|managers?|expires|expiry|expiration|status"
    r"|type|enabled|count|limit|budget|min|max|rotation|url|user|username|email|site|country|date|usage"
    r"|since|kind|label|provider|issuer|format|reset|preferences?|location|storage|holder|board|method"
    r"|nationality|network|company|signature|contact|column|santa|ingredient|reader|game|games|photo"
    r"|renewal|office|size|brand|model|colou?r|vendor|app|strategy|rules?|style|shape|tool|generator"
    r"|west|largo|shortcuts?|points?|takeaways?|changed|updated|talk|review|place|person|owner|name"
    r"|caddy|ring|chain|result|findings|word count|per .{1,20}|bank|balance|due|ssid|ablauf|gültig.{0,5})(?: .{0,60})?",
    re.IGNORECASE,
)
# Keys, pins, seeds and codes that are no secrets, by the word before them.
_ORDINARY = re.compile(
    r"(?:.{0,60} )?(?:public|primary|foreign|spare|house|car|host|cache|sort|partition|idempotency|shortcut"
    r"|favou?rite|piano|music|song|gpio|enamel|lapel|bowling|chip|rolling|training|random|sampling|noise"
    r"|zip|postal|area|max|min|total|prompt|input|output|context|vocab\w*|tracking|commit|object|s3"
    r"|arcade|therapy|training|yoga|study|password manager|library|loyalty|gift|graphics|business"
    r") (?:keys?|pins?|seeds?|codes?|tokens?|sessions?|cards?)(?: .{0,80})?",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[\W_]+|(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")
_EXTENSION = re.compile(r"\.(?:md|txt|json|ya?ml|toml|env)$", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]")
# Groups of digits, with a few letters among them.
_ID_VALUE = re.compile(
    r"(?:[A-Za-z]{0,6}[0-9][0-9A-Za-z]{0,20}|[A-Z]{1,4})(?:[ ./-]{1,2}(?=\S{0,12}[0-9])[0-9A-Za-z]{1,20}){0,7}(?![^\s,;().])"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LONGEST_NAME = 200
_LONGEST_PHRASE = 8


def kind_of(names: Sequence[str], value: str) -> Kind | None:
    """The kind of secret that a value beneath these names is, from the outermost name on."""
    plain = [_plain(name) for name in names]
    if plain and _ABOUT.fullmatch(plain[-1]):
        return None
    text = value.strip()
    # Codes such as 1111 are chosen by people; only words stand for something else.
    if not text or (not text.isdigit() and is_placeholder(text)):
        return None
    named = {place for name in plain for place in _named_kinds(name)}
    for place, (_, kind, accepts) in enumerate(_KINDS):
        if place in named and accepts(text):
            return kind
    return None


@lru_cache(maxsize=1024)
def _named_kinds(name: str) -> tuple[int, ...]:
    """Which of the kinds a name is a name of; memories have few different ones."""
    if _ORDINARY.fullmatch(name):
        return ()
    return tuple(
        place
        for place, (pattern, _, _) in enumerate(_KINDS)
        if (match := pattern.fullmatch(name))
        and not _ABOUT.fullmatch((match["rest"] or "").strip())
    )


def is_name(text: str) -> bool:
    """Whether a text is the name of a secret: the `wifi password` of `{name: …, value: …}`."""
    return len(text) <= _LONGEST_NAME and bool(_named_kinds(_plain(text)))


def _plain(name: str) -> str:
    name = _EXTENSION.sub("", name)
    return " ".join(filter(None, _SPLIT.split(name[:_LONGEST_NAME]))).lower()


def _is_password(text: str) -> bool:
    """One word that says nothing about passwords, a marked word among several, or a bare phrase."""
    words = text.split()
    return _is_marked(text) or (
        1 < len(words) <= _LONGEST_PHRASE and not any(map(_is_of_a_sentence, words))
    )


def _is_marked(text: str) -> bool:
    """One word that says nothing about passwords, or a marked word among several."""
    words = text.split()
    if len(words) == 1:
        value = _value(text)
        return value is not None and values.is_password(value)
    return any((value := _value(word)) and values.is_striking_word(value) for word in words)


def _value(text: str) -> values.Value | None:
    return values.read(text, 0)


def _is_of_a_sentence(word: str) -> bool:
    word = word.strip(".,;:!?").lower()
    return bool(SENTENCE_WORD.fullmatch(word)) or values.is_about(word)


def _is_code(text: str) -> bool:
    """A short number, or a remark with one in it that is neither a year nor a count."""
    if _DATE.fullmatch(text):
        return False
    return any(codes.is_code(match) for match in codes.CODE.finditer(text))


def _is_key(text: str) -> bool:
    value = _value(text.split()[-1])
    return value is not None and values.is_key(value) and len(text.split()) <= 2


def _is_long_key(text: str) -> bool:
    value = _value(text)
    return value is not None and values.is_long_key(value) and not _UUID.fullmatch(text)


def _is_phrase(text: str) -> bool:
    return len(text.split()) >= 12 and not any(map(_is_of_a_sentence, text.split()))


def _is_id(text: str) -> bool:
    """The number, alone or with a remark behind it."""
    first = _ID_VALUE.match(text)
    return first is not None and len(_DIGITS.findall(first[0])) >= 5 and not _DATE.match(text)


_KINDS: tuple[tuple[re.Pattern[str], Kind, Callable[[str], bool]], ...] = (
    (_PASSWORD, "password", _is_password),
    (_PASSWORD_ANYWHERE, "password", _is_marked),
    (_CODE, "password", _is_code),
    (_KEY, "api key", _is_key),
    (_VAGUE_KEY, "api key", _is_long_key),
    (_SEED, "seed phrase", _is_phrase),
    (_IDENTITY, "national id", _is_id),
    (_ACCOUNT, "bank account", _is_id),
)
