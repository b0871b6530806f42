"""The words beside a number, which tell what it counts."""

import re

_BEFORE = 40
_AFTER = 30

MASK = re.compile(r"\[[a-z ]{1,20}\]")

# "Tracking number 4111…" is no card, whatever its check digit says. The word must lead straight
# to the number: in "in case you need it, my SSN is …" the case is not the number's.
_HARMLESS = re.compile(
    r"\b(?:order|invoice|tracking|parcel|shipment|ticket|serial|model|part|sku|isbn|issn|imei|ean"
    r"|upc|barcode|ref(?:erence)?|case|booking|confirmation|flight|phone|telephone|tel|mobile|cell"
    r"|fax|whatsapp|version|build|commit|issue|timestamp|item|article|product|transaction|call"
    r"|me|us|reach|text)"
    r"(?:[ -](?:number|num|no|nr|id|code))?\.?(?:\s+(?:is|was|at|on)|\s*[:=])?[\s#(\"']*$",
    re.IGNORECASE,
)


def has_words(text: str, start: int, end: int, words: re.Pattern[str]) -> bool:
    """Whether one of the words stands near, and not as the mask of another secret."""
    near = text[max(0, start - _BEFORE) : end + _AFTER]
    return bool(words.search(MASK.sub("", near)))


def is_harmless(text: str, start: int) -> bool:
    """Whether the words before say that the number is an order's, a phone's, a product's."""
    line = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
    return bool(_HARMLESS.search(line))
