"""Secrets in text: passwords, keys, cards and national ids, found without a model.

Every pattern is anchored at a prefix, a check digit or the words beside it; none goes by entropy,
which takes ordinary words for keys.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

from longterm.text.secrets import cards, codes, identities, keys, passwords, phrases
from longterm.text.secrets.secret import Kind, Secret

__all__ = ["Kind", "Secret", "find", "mask"]

# Finders, and the signs without which they find nothing: most messages have none, and looking for
# them costs a tenth of the patterns. The more telling name comes first: of two findings that begin
# together, the first names the whole.
_DIGITS = tuple("0123456789")
_FINDERS: tuple[tuple[Callable[[str], Iterable[Secret]], tuple[str, ...]], ...] = (
    (keys.find, ("-", "_", ".", "bearer", *_DIGITS)),
    (cards.find, _DIGITS),
    (identities.find, _DIGITS),
    (phrases.find, ("phrase", "words", "seed", "mnemonic")),
    (codes.find, ("pin", "cvv", "cvc", "card", "code", "combination", "://", "-u")),
    (
        passwords.find,
        ("pass", "pw", "kennwort", "contraseña", "senha", "wacht", "key", "token", "secret", "api"),
    ),
)


def find(text: str) -> list[Secret]:
    """The secrets in a text, in order and apart from each other."""
    lowered = text.lower()
    found = [
        secret
        for finder, signs in _FINDERS
        if any(sign in lowered for sign in signs)
        for secret in finder(text)
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
    # What is glued to one secret may be another, seen only when the first is gone. It ends: a
    # mask is never a secret itself, so every round has fewer characters that can be.
    while found := find(text):
        text = _masked(text, found)
    return text


def _masked(text: str, found: list[Secret]) -> str:
    parts: list[str] = []
    end_before = 0
    for secret in found:
        parts += (text[end_before : secret.start], f"[{secret.kind}]")
        end_before = secret.end
    return "".join((*parts, text[end_before:]))
