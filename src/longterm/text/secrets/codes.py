"""Short codes that only their name gives away (PINs, card codes), and passwords in addresses."""

import re
from collections.abc import Iterator

from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.secret import Secret

_NOT_COUNTED = r"(?![0-9])(?![.,:/-][0-9])(?!\s*(?:char|digit|letter|number|time|day|people|%))"

_PIN = re.compile(
    r"(?<![a-z])(?:pin(?P<code>[ -]?(?:code|number|nummer))?"
    r"|(?:alarm|door|gate|garage|entry|safe|locker) (?:code|combination))"
    r"(?:\s+(?:for|to|of|on|für|pour|para)\s[^.?!:;=\n]{1,40}?)?"
    r"\s*(?:\b(?:is|was|ist|lautet|to|est|es)\b|[:=#])\s*(?:now\s+)?:?\s*[\"'`]?"
    r"(?P<value>[0-9]{4,8})" + _NOT_COUNTED,
    re.IGNORECASE,
)
# "pin 1234" may be a pin of a chip; "my pin 1234", "ATM pin 1234" and "PIN 1234" are not.
_PIN_BESIDE = re.compile(
    r"(?:\bPIN|(?i:\b(?:my|atm|card|bank|sim)(?: \w{1,12})? pin))\s+(?P<value>[0-9]{4,6})"
    + _NOT_COUNTED
)

_CARD_CODE = re.compile(
    r"\b(?:cvv2?|cvc2?|card (?:security|verification) (?:code|value))"
    r"(?:\s+(?:code|number))?(?:\s+is|\s*[:=#])?\s*(?P<value>[0-9]{3,4})" + _NOT_COUNTED,
    re.IGNORECASE,
)

_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s:/@\"']{0,64}):"
    r"(?P<value>[^\s/\"'<>]{1,128})@(?=[\w.\[-])",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"\s(?:-u|--user)[ =](?P<user>[^\s:]{1,64}):(?P<value>[^\s\"']{4,128})")


def find(text: str) -> Iterator[Secret]:
    """PINs, card codes, and passwords between a name and a host."""
    for match in _PIN.finditer(text):
        if not _is_postal(match):
            yield _secret(match)
    for pattern in (_PIN_BESIDE, _CARD_CODE):
        yield from map(_secret, pattern.finditer(text))
    for pattern in (_ADDRESS, _COMMAND):
        for match in pattern.finditer(text):
            # `postgres:postgres@` and `user:password@` are what manuals write.
            if match["value"] != match["user"] and not is_placeholder(match["value"]):
                yield _secret(match)


def _secret(match: re.Match[str]) -> Secret:
    return Secret("password", match.start("value"), match.end("value"))


def _is_postal(match: re.Match[str]) -> bool:
    """A PIN code of six digits is an Indian town."""
    return match["code"] is not None and len(match["value"]) == 6
