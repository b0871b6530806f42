"""National ids: by their form and check digit, or by the words beside them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from longterm.text.secrets import checks
from longterm.text.secrets.secret import Secret
from longterm.text.secrets.surroundings import has_words, is_harmless
from longterm.text.secrets.words import FOR

_SEPARATORS = str.maketrans("", "", " .-/")


@dataclass(frozen=True, slots=True)
class _Identity:
    """A form of an id; with `words`, only where one of them stands near."""

    pattern: re.Pattern[str]
    is_valid: Callable[[str], bool]
    words: re.Pattern[str] | None = None


def _form(pattern: str) -> re.Pattern[str]:
    """The pattern, not inside a longer number, word or amount."""
    return re.compile(rf"(?<![\w+.,/-])(?:{pattern})(?![\w])(?![.,/-][0-9])", re.I)


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(alternatives)})(?![a-z])", re.I)


def _has_five_digits(value: str) -> bool:
    return sum(character.isdigit() for character in value) >= 5


def _is_mixed_id(value: str) -> bool:
    fewest = 3 if value.isupper() else 4
    return len(value) >= 8 and sum(character.isdigit() for character in value) >= fewest


def _aadhaar(value: str) -> bool:
    return checks.verhoeff(value) and not checks.is_run(value)


def _sin(value: str) -> bool:
    return value[0] not in "08" and checks.luhn(value)


_SSN = _words("ssn", "social security", "soc(?:ial)? sec", "sozialversicherung")
_TAX_ID = _words(
    "steuer-?id", "steueridentifikationsnummer", "steuernummer", "idnr", "tax id", "tin"
)

_IDENTITIES = (
    _Identity(_form(r"[0-9]{3}-[0-9]{2}-[0-9]{4}"), checks.social_security),
    _Identity(_form(r"[0-9]{3} ?[0-9]{2} ?[0-9]{4}"), checks.social_security, _SSN),
    _Identity(
        _form(r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
        checks.national_insurance,
    ),
    _Identity(
        _form(r"[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"),
        _has_five_digits,
        _words("national insurance", "ni number", "nino", "ni no"),
    ),
    _Identity(_form(r"[0-9]{8}-?[A-Z]|[0-9]{2}\.[0-9]{3}\.[0-9]{3}-?[A-Z]"), checks.dni),
    _Identity(_form(r"[XYZ]-?[0-9]{7}-?[A-Z]"), checks.dni),
    _Identity(
        _form(
            r"[A-Z]{6} ?[0-9LMNP-V]{2}[A-EHLMPRST][0-9LMNP-V]{2} ?"
            r"[A-Z][0-9LMNP-V]{3} ?[A-Z]"
        ),
        checks.codice_fiscale,
    ),
    _Identity(_form(r"[1-9][0-9] [0-9]{3} [0-9]{3} [0-9]{3}"), checks.steuer_id),
    _Identity(_form(r"[1-9][0-9]{10}"), checks.steuer_id, _TAX_ID),
    _Identity(
        _form(
            r"[1-478] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[AB]) ?"
            r"[0-9]{3} ?[0-9]{3} ?[0-9]{2}"
        ),
        checks.nir,
    ),
    _Identity(_form(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"), checks.cpf),
    _Identity(_form(r"[0-9]{9}-?[0-9]{2}"), checks.cpf, _words("cpf")),
    _Identity(_form(r"[2-9][0-9]{3}([ -])[0-9]{4}\1[0-9]{4}(?![ -][0-9])"), _aadhaar),
    _Identity(_form(r"[2-9][0-9]{11}"), _aadhaar, _words("aadhaar", "aadhar", "uidai", "uid")),
    _Identity(
        _form(r"[0-9]{3}([ -]?)[0-9]{3}\1[0-9]{3}"),
        _sin,
        # "SIN" in capitals: "sin" is a word of several languages.
        re.compile(r"\bSIN\b|(?i:social insurance)"),
    ),
)

# Passports and licences have no check digit: the word must lead straight to the number.
_DOCUMENT = re.compile(
    r"(?<![a-z])(?:(?:reise)?pass(?:port)?(?:-?nummer|nr|-nr)?|pass(?:eport|aporto|aporte)|pasaporte"
    r"|driv(?:er|ing)(?:['\u2019]?s)? licen[cs]e|f[üu]hrerschein(?:nummer)?|permis de conduire"
    r"|carnet de conducir|carta de condu[cç][ãa]o|personalausweis(?:nummer)?|identity card"
    r"|id[- ]card)(?![a-z])"
    rf"(?:\s{{0,3}}(?:number|num|no|nr|n°|nº|id)\b\.?{FOR})?"
    r"(?:\s{0,3}(?:number|num|no|nr|n°|nº|id|is|ist|lautet|est|es|è|é|le|el|il|o|[#:=.(])){0,4}"
    r"\s{0,3}[\"'`]?(?P<value>[A-Z0-9]{6,16}|[A-Z][0-9]{2,4}(?:[ -][0-9]{2,6}){1,3})(?![\w])(?![.,/-][0-9])",
    re.IGNORECASE,
)


def find(text: str) -> Iterator[Secret]:
    """National ids of the countries in the table; passports and licences that are called so."""
    for match in _DOCUMENT.finditer(text):
        if _has_five_digits(match["value"]) or _is_mixed_id(match["value"]):
            yield Secret("national id", match.start("value"), match.end("value"))
    for identity in _IDENTITIES:
        for match in identity.pattern.finditer(text):
            if _holds(identity, text, match):
                yield Secret("national id", match.start(), match.end())


def _holds(identity: _Identity, text: str, match: re.Match[str]) -> bool:
    if not identity.is_valid(match[0].upper().translate(_SEPARATORS)):
        return False
    if identity.words is None:
        return not is_harmless(text, match.start())
    return has_words(text, match.start(), match.end(), identity.words)
