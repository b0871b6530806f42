"""Short codes that only their name gives away: PINs, card codes, codes of doors and accounts."""

import re
from collections.abc import Iterator

from longterm.text.secrets.secret import Secret
from longterm.text.secrets.words import BLANK, BLANKS, FOR, IS

_NOT_COUNTED = r"(?![0-9])(?![.,:/-][0-9])(?!\s{0,3}(?:char|digit|letter|number|time|day|people|%))"

_PIN = re.compile(
    r"(?<![a-z])pin(?P<code>[ -]?(?:code|number|nummer))?"
    + FOR
    + rf"(?:{IS}|#|{BLANKS}to{BLANKS}){BLANK}[\"'`]?(?P<value>[0-9]{{4,8}})"
    + _NOT_COUNTED,
    re.IGNORECASE,
)
# "pin 1234" may be a pin of a chip; "my pin 1234", "ATM pin 1234" and "PIN 1234" are not.
_PIN_BESIDE = re.compile(
    r"(?:\bPIN|(?i:\b(?:my|atm|card|bank|sim)(?: \w{1,12})? pin))\s{1,8}(?P<value>[0-9]{4,6})"
    + _NOT_COUNTED
)
_PIN_AFTER = re.compile(
    r"(?<![0-9.,:/-])(?P<value>[0-9]{4,8})(?:,? that['\u2019]?s|,? is| ist|, das ist| est| es| è| é)"
    r" (?:the|my|our|die|meine|le|mon|el|mi|il|mio|o|meu) (?:\w{1,12} )?(?:pin|passcode)(?![a-z])",
    re.IGNORECASE,
)

_GUARDED = r"(?:alarm|door|front door|gate|garage|entry|entrance|building|safe|locker|vault|keypad|unlock|house)"
_DOOR = re.compile(
    rf"(?<![a-z])(?:{_GUARDED}(?: door)? (?:code|combination|pin)|digicode"
    rf"|(?:code|combination) (?:for|to|of) (?:the |my |our )?{_GUARDED}(?: door)?"
    r"|(?:tür|haus|tor|alarm|safe|tresor|eingangs|garagen)-?code"
    r"|code der alarmanlage|code (?:vom|des|zum) (?:safe|tor|tresor|haus)s?"
    r"|code (?:de l['\u2019](?:alarme|immeuble|entrée)|d['\u2019]entrée|du (?:portail|coffre)"
    r"|de la porte|de ma carte(?: bleue| bancaire)?)"
    r"|código (?:de la (?:alarma|puerta)|del portal|de la caja fuerte"
    r"|do (?:alarme|portão|cofre|cartão)|da porta)"
    r"|codice (?:dell['\u2019]allarme|della (?:porta|cassaforte)|del cancello))"
    + FOR
    + rf"(?:{IS}|#|{BLANKS}to{BLANKS}){BLANK}[\"'`]?(?P<value>[0-9A-F][0-9A-F*#-]{{2,11}})(?![\w])",
    re.IGNORECASE,
)

_CARD_CODE = re.compile(
    r"\b(?:cvv2?|cvc2?|cryptogramme|card (?:security|verification) (?:code|value)"
    r"|(?:prüfziffer|kartenprüfnummer))(?:\s{1,8}(?:code|number))?"
    r"[\s():=#]{0,8}(?:(?:cvc|cvv|is|ist|est)[\s():=#]{1,8})?(?P<value>[0-9]{3,4})" + _NOT_COUNTED,
    re.IGNORECASE,
)

_ONE_TIME = re.compile(
    r"(?:(?:verification|security|login|one[- ]time|sms|2fa|otp|bestätigungs|authenticator)"
    r"[- ]?(?:code|pin|password|passwort)|\bpuk2?\b|(?-i:\bTAN\b))"
    rf"(?:{IS}|#|{BLANKS})[\"'`]?(?P<value>[0-9]{{4,10}})"
    + _NOT_COUNTED
    + r"|\bG-(?P<google>[0-9]{6})\b",
    re.IGNORECASE,
)

_BACKUP = re.compile(
    r"(?:(?:backup|recovery|rescue|emergency)[- ]codes?|wiederherstellungs-?codes?"
    r"|codes? de (?:secours|récupération|recuperación|recupera[çc][ãa]o)|codici di (?:backup|recupero))"
    + FOR
    + rf"(?:{IS}|{BLANKS}(?:are|sind|sont|son|sono|são){BLANKS}:?){BLANK}"
    r"(?P<value>[a-z0-9]{4,12}(?:-[a-z0-9]{4,12})?(?:[ ,\n]{1,2}[a-z0-9]{4,12}(?:-[a-z0-9]{4,12})?){1,15})",
    re.IGNORECASE,
)
_AUTHENTICATOR = re.compile(
    r"(?:2fa|totp|otp|mfa|authenticator)[ _-](?:secret|key|seed)(?: key)?"
    rf"(?:{IS}|{BLANKS})(?P<value>[a-z2-7]{{4}}(?:[ -]?[a-z2-7]{{4}}){{3,15}})(?![\w])",
    re.IGNORECASE,
)


_DOOR_BESIDE = re.compile(
    rf"(?<![a-z]){_GUARDED} (?:code|combination){BLANKS}(?P<value>[0-9]{{4,8}}|[0-9]{{2}}(?:-[0-9]{{2}}){{2,3}})"
    r"(?![\w])(?![.,:/-][0-9])",
    re.IGNORECASE,
)


def find(text: str) -> Iterator[Secret]:
    """PINs, card codes, codes of doors, codes of accounts."""
    for match in _PIN.finditer(text):
        if not _is_postal(match):
            yield _secret(match)
    for pattern in (_PIN_BESIDE, _PIN_AFTER, _CARD_CODE, _DOOR_BESIDE):
        yield from map(_secret, pattern.finditer(text))
    for match in _DOOR.finditer(text):
        if _digits(match["value"]) >= 3:
            yield _secret(match)
    for match in _ONE_TIME.finditer(text):
        group = match.lastgroup or ""
        yield Secret("password", match.start(group), match.end(group))
    for pattern in (_BACKUP, _AUTHENTICATOR):
        for match in pattern.finditer(text):
            if _digits(match["value"]) >= 4 or pattern is _AUTHENTICATOR:
                yield _secret(match)


def _secret(match: re.Match[str]) -> Secret:
    return Secret("password", match.start("value"), match.end("value"))


def _digits(value: str) -> int:
    return sum(character.isdigit() for character in value)


def _is_postal(match: re.Match[str]) -> bool:
    """A PIN code of six digits is an Indian town."""
    return match["code"] is not None and len(match["value"]) == 6
