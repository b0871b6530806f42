"""Passwords and keys that somebody names: "my password is …", `DB_PASSWORD=…`, "… is the password"."""

import re
from collections.abc import Callable, Iterator

from longterm.text.secrets import values
from longterm.text.secrets.secret import Kind, Secret
from longterm.text.secrets.values import Value
from longterm.text.secrets.words import BLANK, BLANKS, FOR, IS

NAME = (
    r"(?:passw(?:or)?d|passwort|kennwort|losungswort|passphrase|passcode|contraseña|contrasena"
    r"|mot de passe|senha|palavra-passe|parola d['\u2019]ordine|wachtwoord|lösenord|adgangskode"
    r"|salasana|hasło|heslo|пароль|(?:wlan|wifi|wi-fi|netzwerk)-?(?:schlüssel|code|key)|code wifi"
    r"|(?<![a-z])(?:pwd|pw|mdp|psw|psk))"
)
_KEY = (
    r"(?:(?:api|access|secret|auth|client|private|signing|encryption|account|service|master|app"
    r"|admin|webhook|session|refresh|personal|jwt|bot|license|recovery|filevault)"
    r"[ _-]?(?:(?:access|api|auth)[ _-]?)?(?:key|token|secret)(?:_[a-z]{1,12})?"
    r"|api-?schlüssel|clé (?:d['\u2019])?api|clave (?:de )?(?:la )?api|chiave api"
    r"|chave (?:da |de )?api)"
)

_NAMED_PASSWORD = re.compile(NAME + FOR + IS, re.IGNORECASE)
_SHORT_NAME = re.compile(rf"(?<![a-z])pass(?:[\"']?{BLANK}[:=]{BLANK})", re.IGNORECASE)
_NAMED_KEY = re.compile(_KEY + FOR + IS, re.IGNORECASE)
_NAMED_SECRET = re.compile(
    r"(?<![a-z])(?:secret|token|sessionid|session cookie|cookie)" + FOR + IS, re.IGNORECASE
)
_KEY_BESIDE = re.compile(_KEY + BLANKS, re.IGNORECASE)
# Names that stand for much else, too, unless something like a password follows.
_MENTIONED = re.compile(
    rf"(?:{NAME}|(?<![a-z])(?:pass|clave|pword|wpa[23]?|security answer)(?![a-z])"
    r"|(?:wi-?fi|wlan|network|netzwerk|router|hotspot)[^.?!;=\n]{0,30}?(?<![a-z])(?:key|code|pass|schlüssel)"
    r"|(?:clé|code|chiave|chave|codice|código|clave|sleutel|code) (?:(?:du|de la|del|de|do|della|van de) )?(?:wi-?fi|wlan|box|rete|rede|red))"
    r"(?!s?[ _-]{1,3}(?:manager|policy|reset|hash|generator|field|grant|speed|rule|length|link|protect|age|list))",
    re.IGNORECASE,
)
# A word that could be a password: letters, and digits or marks among them.
_MARKED = re.compile(
    r"(?<![\w@/\\.#-])(?=[^\s\"'`“”„«»<>]{0,63}[0-9!#$%&*?+=~_^])[^\s\"'`“”„«»<>()/,;:]{5}"
)
_CONNECTED = re.compile(
    rf"(?:(?<![a-z])(?:is|was|are|its|it['\u2019]s|to|now|ist|war|lautet|auf|est|c['\u2019]est|c|es|è|é|era|as|with"
    rf"|use|be|called){BLANKS}|['\u2019]s{BLANKS}|[:=>–—→(-]{BLANK})(?:(?:now|just|still|set to|jetzt|maintenant|ahora|ora|agora"
    rf"|le|el|il|o){BLANKS})?(?:[:=]{BLANK})?[\"'`“„«(]?\s?$",
    re.IGNORECASE,
)
_ADJACENT = re.compile(rf"{BLANK}[,\"'`“„«(:=]?\s?$")
_SENTENCE_END = re.compile(r"[.?!]\s|\n\n")
_LEAD = 100
_CHANGED = re.compile(
    rf"\b(?:set|chang\w{{1,4}}|reset|updat\w{{1,4}}|make|made)\s[^.?!:;=\n]{{0,30}}?{NAME}"
    rf"{FOR}{BLANKS}to{BLANKS}|{NAME}{FOR}{BLANKS}auf{BLANKS}(?=\S{{4,64}}{BLANKS}(?:ge|zu))"
    # "my password changed, it's now …"
    rf"|{NAME}[^.?!:;=\n]{{1,40}}?(?:it['\u2019]?s|it is|c['\u2019]est|er ist|es ist|ahora es|ora è"
    rf"|agora é)(?:{BLANKS}(?:now|jetzt))?{BLANKS}",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(NAME + rf"['\u2019]s{BLANKS}", re.IGNORECASE)
_ASKED = re.compile(NAME + FOR + rf"[^.?!:;=\n]{{0,40}}\?{BLANKS}", re.IGNORECASE)
_BESIDE = re.compile(
    rf"(?:{NAME}|(?<![a-z])(?:with|and|und|,) pass){BLANKS}(?:is{BLANKS})?|{NAME}{BLANK}\(",
    re.IGNORECASE,
)
_NAMED_AFTER = re.compile(
    rf"\s(?:is|as|ist|als)\s{{1,8}}(?!the (?:worst|best|most|weakest|strongest))(?:(?:my|the|our|his|her|mein|unser|das)\s{{1,8}}"
    rf"(?:\w{{1,20}}\s{{1,8}}){{0,2}})?{NAME}\b"
    r"(?!\s{1,8}(?:manager|reset|policy|hash|generator|field|grant))",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"[^\s\"'`]{4,64}$")

SIGNS = (
    *("pass", "pw", "psw", "psk", "mdp", "wort", "contrase", "senha", "wacht", "parola"),
    *("lösenord", "adgangskode", "salasana", "hasło", "heslo", "пароль"),
    *(
        "key",
        "token",
        "secret",
        "api",
        "clave",
        "wifi",
        "wi-fi",
        "wlan",
        "wpa",
        "answer",
        "session",
        "cookie",
        "clé",
        "code",
    ),
)
_SIGN = re.compile("|".join(SIGNS), re.IGNORECASE)
# Longer than what a pattern looks at before and behind a name.
_AROUND = 250

_Rule = tuple[re.Pattern[str], Kind, Callable[[Value], bool]]
_RULES: tuple[_Rule, ...] = (
    (_NAMED_PASSWORD, "password", values.is_password),
    (_SHORT_NAME, "password", values.is_password),
    (_CHANGED, "password", values.is_telling),
    (_CONTRACTED, "password", values.is_telling),
    (_ASKED, "password", values.is_answer),
    (_BESIDE, "password", values.is_striking),
    (_NAMED_KEY, "api key", values.is_key),
    (_KEY_BESIDE, "api key", values.is_long_key),
    (_NAMED_SECRET, "api key", values.is_long_key),
)


def find(text: str) -> Iterator[Secret]:
    """Passwords and keys that are named as such."""
    for start, end in _parts(text):
        yield from _named_before(text, start, end)
        yield from _mentioned(text, start, end)
        yield from _named_after(text, start, end)


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """The parts of a text around names of secrets: the patterns are slow, and names are rare."""
    start = end = 0
    for sign in _SIGN.finditer(text):
        if sign.start() - _AROUND > end:
            if end:
                yield start, end
            start = sign.start() - _AROUND
        end = sign.end() + _AROUND
    if end:
        yield start, min(end, len(text))


def _named_before(text: str, start: int, end: int) -> Iterator[Secret]:
    for pattern, kind, accepts in _RULES:
        done = 0
        for match in pattern.finditer(text, start, end):
            value = values.read(text, match.end()) if match.start() >= done else None
            if value and accepts(value):
                done = value.end
                yield Secret(kind, value.start, value.end)


def _mentioned(text: str, start: int, end: int) -> Iterator[Secret]:
    """Words that look like a password, with the name of one before them in the sentence."""
    for word in _MARKED.finditer(text, start, end):
        lead = _SENTENCE_END.split(text[max(0, word.start() - _LEAD) : word.start()])[-1]
        names = list(_MENTIONED.finditer(lead))
        if not names:
            continue
        between = lead[names[-1].end() :]
        if not _ADJACENT.match(between) and not _CONNECTED.search(between):
            continue
        value = values.read(text, word.start())
        if value and values.is_marked_word(value):
            yield Secret("password", value.start, value.end)


def _named_after(text: str, start: int, end: int) -> Iterator[Secret]:
    for match in _NAMED_AFTER.finditer(text, start, end):
        word = _LAST_WORD.search(text, max(0, match.start() - 65), match.start())
        value = values.read(text, word.start()) if word else None
        if value and values.is_telling(value):
            yield Secret("password", value.start, value.end)
