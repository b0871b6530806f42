"""Passwords and keys that somebody names: "my password is …", `DB_PASSWORD=…`, "… is the password"."""

import re
from collections.abc import Callable, Iterator

from longterm.text.secrets import values
from longterm.text.secrets.secret import Kind, Secret
from longterm.text.secrets.values import Value

# Between the name and what it is: `password for the router`, up to a few words.
_FOR = r"(?:\s+(?:for|to|of|on|at|für|pour|para|von|vom|de|du|del)\s[^.?!:;=\n]{1,40}?)?"
_IS = (
    r"(?:[\"'`]?\s*(?:=>|->|:=|==?|:)\s*"
    r"|\s+(?:is|was|ist|war|lautet|est|es|é|will\s+be)"
    r"(?:\s+(?:now|just|still|simply|currently|jetzt|also))?\s*[:=]?\s+)"
)

_NAME = (
    r"(?:passw(?:or)?d|passwort|kennwort|passphrase|passcode|contraseña|mot de passe|senha"
    r"|wachtwoord|(?<![a-z])(?:pwd|pw))"
)
_KEY = (
    r"(?:(?:api|access|secret|auth|client|private|signing|encryption|account|service|master|app)"
    r"[ _-]?(?:access[ _-]?)?(?:key|token|secret)|api-?schlüssel|clé api|clave api)"
)

_NAMED_PASSWORD = re.compile(_NAME + _FOR + _IS, re.IGNORECASE)
_SHORT_NAME = re.compile(r"(?<![a-z])pass[\"']?\s*[:=]\s*", re.IGNORECASE)
_NAMED_KEY = re.compile(_KEY + _FOR + _IS, re.IGNORECASE)
_NAMED_SECRET = re.compile(r"(?<![a-z])(?:secret|token)" + _FOR + _IS, re.IGNORECASE)
_CHANGED = re.compile(
    rf"\b(?:set|chang\w{{1,4}}|reset|updat\w{{1,4}}|make|made)\s[^.?!:;=\n]{{0,30}}?{_NAME}"
    rf"{_FOR}\s+to\s+",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(_NAME + r"['\u2019]s\s+", re.IGNORECASE)
_BESIDE = re.compile(_NAME + r"\s+", re.IGNORECASE)
_NAMED_AFTER = re.compile(
    rf"\s(?:is|as)\s+(?:my|the|our|his|her)\s+(?:\w{{1,20}}\s+){{0,2}}{_NAME}\b"
    r"(?!\s+(?:manager|reset|policy|hash|generator|field|grant))",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(r"[^\s\"'`]{4,64}$")


def find(text: str) -> Iterator[Secret]:
    """Passwords and keys that are named as such."""
    for pattern in (_NAMED_PASSWORD, _SHORT_NAME):
        for match in pattern.finditer(text):
            yield from _at(text, match.end(), "password", values.is_password)
    for pattern in (_CHANGED, _CONTRACTED):
        for match in pattern.finditer(text):
            yield from _at(text, match.end(), "password", values.is_telling)
    for match in _BESIDE.finditer(text):
        yield from _at(text, match.end(), "password", values.is_striking)
    for match in _NAMED_KEY.finditer(text):
        yield from _at(text, match.end(), "api key", values.is_key)
    for match in _NAMED_SECRET.finditer(text):
        yield from _at(text, match.end(), "api key", values.is_long_key)
    yield from _before_the_name(text)


def _at(text: str, start: int, kind: Kind, accepts: Callable[[Value], bool]) -> Iterator[Secret]:
    value = values.read(text, start)
    if value and accepts(value):
        yield Secret(kind, value.start, value.end)


def _before_the_name(text: str) -> Iterator[Secret]:
    for match in _NAMED_AFTER.finditer(text):
        word = _LAST_WORD.search(text, max(0, match.start() - 65), match.start())
        if word:
            yield from _at(text, word.start(), "password", values.is_telling)
