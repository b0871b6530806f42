"""Secrets in text: passwords, keys, cards and national ids, found without a model.

Every pattern is anchored at a prefix, a check digit or the words beside it; none goes by entropy,
which takes ordinary words for keys. Every pattern is bounded or begins once in a run of characters:
a search takes time in proportion to the length of the text.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from longterm.text.secrets import (
    addresses,
    cards,
    codes,
    identities,
    keys,
    labels,
    passwords,
    phrases,
)
from longterm.text.secrets.secret import Kind, Secret

__all__ = ["Kind", "Secret", "find", "mask"]

# Finders, and the signs without which they find nothing: most messages have none, and looking for
# them costs a tenth of the patterns. The more telling name comes first: of two findings that begin
# together, the first names the whole.
_DIGITS = tuple("0123456789")
_FINDERS: tuple[tuple[Callable[[str], Iterable[Secret]], tuple[str, ...]], ...] = (
    (keys.find, ("-", "_", ".", "=", "$", "bearer", "basic", *_DIGITS)),
    (cards.find, _DIGITS),
    (identities.find, _DIGITS),
    (labels.find, _DIGITS),
    (phrases.find, phrases.SIGNS),
    (codes.find, codes.SIGNS),
    (addresses.find, addresses.SIGNS),
    (passwords.find, passwords.SIGNS),
)

# What is glued to one secret may be another, seen only when the first is gone. Two rounds find
# all that people write; the third is for those who try.
_ROUNDS = 3


# The zeros of scripts that people type numbers in; the other nine digits follow each of them.
_ZEROS = (
    *(0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66),
    *(0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6),
)
_BLANKS = (0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)

# Full-width letters and digits, digits of other scripts and blanks, as ASCII.
_PLAIN = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    **dict.fromkeys(_BLANKS, " "),
}


def find(text: str) -> list[Secret]:
    """The secrets in a text, in order and apart from each other."""
    # One character for one: a place in the plain text is the same place in the text.
    plain = text if text.isascii() else text.translate(_PLAIN)
    lowered = plain.lower()
    found = [
        secret
        for finder, signs in _FINDERS
        if any(sign in lowered for sign in signs)
        for secret in finder(plain)
    ]
    found.sort(key=lambda secret: secret.start)
    apart: list[Secret] = []
    for secret in found:
        if apart and secret.start < apart[-1].end:
            apart[-1] = replace(apart[-1], end=max(apart[-1].end, secret.end))
        else:
            apart.append(secret)
    return apart


def mask(text: str) -> str:
    """The text with `[api key]` and the like in place of each secret."""
    for _ in range(_ROUNDS):
        found = find(text)
        if not found:
            break
        text = _masked(text, found)
    return text


def _masked(text: str, found: list[Secret]) -> str:
    parts: list[str] = []
    end_before = 0
    for secret in found:
        parts += (text[end_before : secret.start], f"[{secret.kind}]")
        end_before = secret.end
    return "".join((*parts, text[end_before:]))
