"""Keys by their providers' prefixes, tokens by their form, private keys by their block."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.secret import Secret
from longterm.text.secrets.surroundings import has_words

_ALNUM = "[A-Za-z0-9]"
_ANY = "[A-Za-z0-9_-]"

# No key is shorter than this.
_LONG_WORD = re.compile(rf"{_ANY}{{15}}")

# Prefixes that nothing else begins with.
_SURE = re.compile(
    rf"(?<!{_ANY})(?:"
    rf"sk-(?:proj|svcacct|admin|ant|or-v1)-{_ANY}{{16,}}"
    rf"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}"
    rf"|gh[pousr]_{_ALNUM}{{30,}}|github_pat_[A-Za-z0-9_]{{22,}}"
    rf"|gl(?:pat|dt|rt|soat|ptt|cbt|ft)-{_ANY}{{20,}}"
    rf"|xox[abeoprs]-[A-Za-z0-9-]{{10,}}|xapp-[0-9]-[A-Za-z0-9-]{{10,}}"
    rf"|[sr]k_(?:live|test)_{_ALNUM}{{10,}}|whsec_{_ALNUM}{{16,}}"
    rf"|AIza{_ANY}{{35}}|ya29\.{_ANY}{{20,}}|GOCSPX-{_ANY}{{20,}}"
    rf"|SK[0-9a-f]{{32}}|SG\.{_ANY}{{16,32}}\.{_ANY}{{16,64}}"
    rf"|npm_{_ALNUM}{{36}}|pypi-{_ANY}{{50,}}|hf_{_ALNUM}{{30,40}}"
    rf"|gsk_{_ALNUM}{{40,}}|xai-{_ALNUM}{{40,}}|pplx-{_ALNUM}{{40,}}|r8_{_ALNUM}{{30,}}"
    rf"|do[opr]_v1_[0-9a-f]{{64}}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{{32}}|dapi[0-9a-f]{{32}}"
    rf"|key-[0-9a-f]{{32}}|lin_api_{_ALNUM}{{30,}}|ntn_{_ALNUM}{{40,}}|hvs\.{_ANY}{{24,}}"
    rf"|[0-9]{{8,10}}:AA{_ANY}{{33}}|[MNO]{_ANY}{{23,25}}\.{_ANY}{{6}}\.{_ANY}{{27,38}}"
    rf"|AGE-SECRET-KEY-1[0-9A-Z]{{58}}"
    rf")(?!{_ANY})"
)

# Short prefixes, which names in programs begin with too: what follows must look random.
_LIKELY = re.compile(rf"(?<!{_ANY})(?:sk-|lt_){_ANY}{{16,}}")
_RUN = re.compile(r"[A-Za-z0-9]{10,}")

# Header and payload are JSON objects, so both parts begin with the base64 of `{"`.
_JWT = re.compile(rf"(?<!{_ANY})eyJ{_ANY}{{8,}}\.{_ANY}{{8,}}\.{_ANY}{{8,}}")
_BEARER = re.compile(r"(?<![A-Za-z])bearer[ \t]+([A-Za-z0-9._~+/-]{16,}=*)", re.IGNORECASE)
_SLACK_HOOK = re.compile(
    rf"hooks\.slack\.com/services/({_ALNUM}{{8,}}/{_ALNUM}{{8,}}/{_ALNUM}{{16,}})"
)

# Forty characters of base64 beside the word, capitals among them: a git hash has none.
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+=])(?=[a-z0-9/+]*[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
_SECRET_WORD = re.compile(r"secret", re.IGNORECASE)

_BLOCK_START = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|^PuTTY-User-Key-File-[0-9]:",
    re.MULTILINE,
)
# A first line of the key itself, or a header such as `Proc-Type: 4,ENCRYPTED`.
_BLOCK_BODY = re.compile(r"(?:\s|\\[nr])*+(?:[A-Za-z0-9+/=]{8}|[A-Z][A-Za-z-]{1,40}: )")
_BLOCK_LINES = re.compile(
    r"(?:(?:\s|\\[nr])*+(?:[A-Za-z0-9+/=]{8,}+|[A-Z][A-Za-z-]{1,40}: [^\n]*+))*+"
)
_BLOCK_END = re.compile(
    r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|^Private-MAC: .*", re.M
)


def find(text: str) -> Iterator[Secret]:
    """API keys, tokens and private keys."""
    if _LONG_WORD.search(text):
        yield from _prefixed(text)
        yield from _tokens(text)
    if "PRIVATE KEY" in text or "PuTTY" in text:
        yield from _blocks(text)


def _prefixed(text: str) -> Iterator[Secret]:
    for match in _SURE.finditer(text):
        if not is_placeholder(match[0]) and _varies(match[0]):
            yield Secret("api key", match.start(), match.end())
    for match in _LIKELY.finditer(text):
        is_random = any(_has_digit(run) for run in _RUN.findall(match[0]))
        if is_random and not is_placeholder(match[0]) and _varies(match[0]):
            yield Secret("api key", match.start(), match.end())
    for match in _SLACK_HOOK.finditer(text):
        if not is_placeholder(match[1]) and _varies(match[1]):
            yield Secret("api key", match.start(1), match.end(1))
    for match in _AWS_SECRET.finditer(text):
        if has_words(text, match.start(), match.start(), _SECRET_WORD) and _has_digit(match[0]):
            yield Secret("api key", match.start(), match.end())


def _tokens(text: str) -> Iterator[Secret]:
    for match in _JWT.finditer(text):
        yield Secret("access token", match.start(), match.end())
    for match in _BEARER.finditer(text):
        if _has_digit(match[1]) and _varies(match[1]) and not is_placeholder(match[1]):
            yield Secret("access token", match.start(1), match.end(1))


def _has_digit(key: str) -> bool:
    return any(character.isdigit() for character in key)


def _varies(key: str) -> bool:
    """`sk-000…` and `AKIAXXX…` show a form; a real key's end has many different characters."""
    return len(set(key[-16:])) > 4


def _blocks(text: str) -> Iterator[Secret]:
    ends = [match.end() for match in _BLOCK_END.finditer(text)]
    end_before = 0
    for match in _BLOCK_START.finditer(text):
        if match.start() >= end_before and _BLOCK_BODY.match(text, match.end()):
            end_before = _block_end(text, match.end(), ends)
            yield Secret("private key", match.start(), end_before)


def _block_end(text: str, start: int, ends: list[int]) -> int:
    following = bisect_right(ends, start)
    if following < len(ends):
        return ends[following]
    # Cut off by a limit on length: what is there of the key is still a key.
    lines = _BLOCK_LINES.match(text, start)
    return lines.end() if lines else start
