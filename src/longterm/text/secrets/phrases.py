"""Phrases of many words: the seed of a wallet, a passphrase.

Only after the words that announce them. A wallet's twelve words alone could be told by their list
and checksum, but 2,048 words are a lot to carry for a case that chat hardly knows.
"""

import re
from collections.abc import Iterator
from itertools import takewhile

from longterm.text.secrets.secret import Secret
from longterm.text.secrets.words import BLANK, BLANKS, FOR

_ANNOUNCED = re.compile(
    r"(?:(?:seed|recovery|mnemonic|backup|wallet|secret|12|24|twelve|twenty[- ]four|crypto|bitcoin|metamask"
    r"|ledger|trezor|phantom|exodus)['\u2019]?s?[ _-]?(?:\w{1,10} ){0,2}(?:phrase|words|seed|wörter|backup)"
    r"|(?:phrase|frase|mots|palabras|parole|palavras|woorden) (?:de )?(?:récupération|semilla|recuperación"
    r"|recuperação|seed|secr[eè]te|secretas|di recupero)|wiederherstellungsphrase|(?:metamask|trezor|(?:ledger|wallet) (?:recovery|backup|seed))(?=:)|(?<![a-z])seed(?=:)"
    r"|(?P<pass>passphrase"
    r"|(?:master|main|vault|disk|encryption|bitwarden|1password|lastpass|keepass) password)|mnemonic)"
    + FOR
    + rf"(?:,? in (?:this |the right )?order|\s?\([^)\n]{{1,20}}\))?(?:{BLANK}[=:\n]|{BLANKS}(?:is|are|was|ist|sind|lautet|lauten|est|es|son|sono|são)\b)"
    rf"{BLANK}:?{BLANK}[\"'`“]?",
    re.IGNORECASE,
)

# Lists write their words with numbers, commas or line ends between them.
_WORDS = re.compile(
    r"(?:(?:[0-9]{1,2}[.)]?\s)?(?:[0-9]{1,2}[.)])?(?:[a-z]{3,10}|[0-9]{1,4}(?![\w.,)]))"
    r"(?:,\s?|\s{1,2}|[.\"'`”]{0,3}$|(?=[.\"'`”]))){4,26}"
)
_WORD = re.compile(r"[a-z]+|[0-9]+(?![.)])")

# Words of sentences; none of them is in the list that wallets draw from.
SENTENCE_WORD = re.compile(
    r"(?:the|and|for|but|not|are|was|were|has|have|had|with|from|your|you|his|her|its|our|their"
    r"|been|being|which|where|when|what|who|how|why|because|would|could|should|might|does|did"
    r"|into|onto|than|also|only|very|just|stored|written|kept|some|any|please|never|always)"
)

SIGNS = (
    "phrase",
    "words",
    "wörter",
    "woord",
    "seed",
    "mnemonic",
    "backup",
    "frase",
    "metamask",
    "ledger",
    "trezor",
    "phantom",
    "exodus",
    "wallet",
    "mots",
    "palabras",
    "parole",
    "palavras",
    "password",
)
_FEWEST_WORDS = {"seed phrase": 12, "password": 4}


def find(text: str) -> Iterator[Secret]:
    """Seed phrases of 12 words and more, passphrases of 4 and more."""
    for announced in _ANNOUNCED.finditer(text):
        phrase = _WORDS.match(text, announced.end())
        if phrase is None:
            continue
        kind = "password" if announced["pass"] else "seed phrase"
        words = list(takewhile(_is_of_phrase, _WORD.finditer(phrase[0])))
        if sum(word[0].isalpha() for word in words) >= _FEWEST_WORDS[kind]:
            yield Secret(kind, phrase.start(), phrase.start() + words[-1].end())


def _is_of_phrase(word: re.Match[str]) -> bool:
    return not SENTENCE_WORD.fullmatch(word[0])
