"""Card numbers and bank accounts: shape, issuer and check digit must agree."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from longterm.text.secrets import checks
from longterm.text.secrets.secret import Secret
from longterm.text.secrets.surroundings import has_words, is_harmless

# Groups of digits with the same short separator between them; each is tried as the first of a card.
_RUN = re.compile(r"(?<![A-Za-z0-9_+.,/-])[0-9]{1,19}+(?:(?: {1,2}|[.-])[0-9]{1,19}+)*+")
_CONTINUED = re.compile(r"[A-Za-z0-9_]|[.,-][0-9]")
_GROUP = re.compile(r"[0-9]+")

_Span = tuple[int, int]

# As printed on the card, in one piece, or digit by digit.
_SHAPES: frozenset[tuple[int, ...]] = frozenset(
    {
        *((digits,) for digits in range(13, 20)),
        *((1,) * digits for digits in (14, 15, 16)),
        (4, 4, 4, 4),
        *((4, 4, 4, 4, rest) for rest in (1, 2, 3)),
        (4, 6, 5),
        (4, 6, 4),
        (8, 8),
    }
)
_SHAPES_FROM = {
    first: sorted((shape for shape in _SHAPES if shape[0] == first), key=len, reverse=True)
    for first in {shape[0] for shape in _SHAPES}
}

_CARD_WORDS = re.compile(
    r"\b(?:card|visa|mastercard|amex|credit|debit|\w{0,10}karte|carte|carta|tarjeta|cartão)", re.I
)

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
    for run in _RUN.finditer(text):
        yield from _cards(text, run)
    for match in _IBAN_START.finditer(text):
        end = _iban_end(text, match)
        if end:
            yield Secret("bank account", match.start(), end)


def _cards(text: str, run: re.Match[str]) -> Iterator[Secret]:
    groups = [group.span() for group in _GROUP.finditer(text, run.start(), run.end())]
    lengths = tuple(end - start for start, end in groups)
    place = 0
    while place < len(groups):
        start = groups[place][0]
        # "5500-0000-0000-0004" in the middle of a longer number with dashes is a part of it.
        is_first = place == 0 or text[start - 1] == " "
        count = _card(text, groups, lengths, place) if is_first and text[start] in "23456" else 0
        if count:
            end = groups[place + count - 1][1]
            if not is_harmless(text, start) or has_words(text, start, end, _CARD_WORDS):
                yield Secret("card number", start, end)
        place += count or 1


def _card(text: str, groups: Sequence[_Span], lengths: tuple[int, ...], place: int) -> int:
    """How many groups from this one on make a card number; 0 when none do."""
    for shape in _SHAPES_FROM.get(lengths[place], ()):
        after = place + len(shape)
        if lengths[place:after] != shape or not _ends(text, groups[after - 1][1]):
            continue
        chosen = groups[place:after]
        separators = {text[one[1] : next_[0]] for one, next_ in pairwise(chosen)}
        if len(separators) < 2 and _is_card("".join(text[begin:end] for begin, end in chosen)):
            return len(shape)
    return 0


def _ends(text: str, end: int) -> bool:
    """Whether the number does not go on: neither as a word nor behind a point or dash."""
    return not _CONTINUED.match(text, end)


def _is_card(digits: str) -> bool:
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
