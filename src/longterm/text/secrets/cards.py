"""Card numbers and bank accounts: shape, issuer and check digit must agree."""

import re
from collections.abc import Iterator

from longterm.text.secrets import checks
from longterm.text.secrets.secret import Secret
from longterm.text.secrets.surroundings import has_words, is_harmless

# As printed on the card (4-4-4-4 and a rest of up to 3, or 4-6-5 and 4-6-4), or in one piece.
_CARD = re.compile(
    r"(?<![\w+.,/-])(?:"
    r"[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{1,3}(?![0-9]))?"
    r"|[0-9]{4}([ -])[0-9]{6}\2[0-9]{4,5}"
    r"|[0-9]{13,19}"
    r")(?![\w])(?![.,-][0-9])"
)

_CARD_WORDS = re.compile(r"\b(?:card|visa|mastercard|amex|credit|debit|karte|carte|tarjeta)", re.I)

# Leading digits and lengths, from the issuers' published ranges.
_ISSUER = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"
    r"|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}"
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2}|35(?:2[89]|[3-8][0-9])|62[0-9]{2})[0-9]{12,15}"
    r"|(?:5018|5020|5038|6304|6759|676[1-3])[0-9]{12,15}"
    r"|220[0-4][0-9]{12}"
)

_IBAN_START = re.compile(r"(?<![\w])([A-Z]{2})[0-9]{2}(?=[ -]?[A-Z0-9]{4})", re.I)

# Of the registry's countries, those with more than two million people or a large bank.
_IBAN_LENGTHS: dict[str, int] = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})([0-9]{2})",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 "
        "DE22 DK18 DO28 EE20 EG29 ES24 FI18 FR27 GB22 GE22 GR27 GT28 HR21 HU28 IE22 "
        "IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LI21 LT20 LU20 LV21 MC27 MD24 ME22 "
        "MK19 MR27 MT31 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SE24 SI19 "
        "SK24 SM27 TN24 TR26 UA29 XK20 ",
    )
}


def find(text: str) -> Iterator[Secret]:
    """Card numbers and IBANs."""
    for match in _CARD.finditer(text):
        end = _card_end(match)
        if end and (not is_harmless(text, match.start()) or _is_called_card(text, match)):
            yield Secret("card number", match.start(), end)
    for match in _IBAN_START.finditer(text):
        end = _iban_end(text, match)
        if end:
            yield Secret("bank account", match.start(), end)


def _is_called_card(text: str, match: re.Match[str]) -> bool:
    return has_words(text, match.start(), match.end(), _CARD_WORDS)


def _card_end(match: re.Match[str]) -> int | None:
    """Where the card number ends; what follows its four groups may be the code on its back."""
    if _is_card(match[0]):
        return match.end()
    groups = re.split(r"[ -]", match[0])
    if len(groups) == 5 and _is_card("".join(groups[:4])):
        return match.end() - len(groups[4]) - 1
    return None


def _is_card(number: str) -> bool:
    digits = number.replace(" ", "").replace("-", "")
    if len(digits) == 13 and checks.ean13(digits):
        return False
    return bool(_ISSUER.fullmatch(digits)) and checks.luhn(digits) and len(set(digits)) > 1


def _iban_end(text: str, match: re.Match[str]) -> int | None:
    length = _IBAN_LENGTHS.get(match[1].upper(), 0)
    value = ""
    for place in range(match.start(), min(len(text), match.start() + length + length // 4 + 1)):
        character = text[place]
        if character.isascii() and character.isalnum():
            value += character
        elif character not in " -":
            return None
        if len(value) == length:
            is_whole = not text[place + 1 : place + 2].isalnum()
            return place + 1 if is_whole and checks.iban(value) else None
    return None
