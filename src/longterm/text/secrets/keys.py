"""Keys by their providers' prefixes, tokens by their form, private keys by their block."""

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterator

from longterm.text.secrets import checks
from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.providers import PREFIXED
from longterm.text.secrets.secret import Kind, Secret
from longterm.text.secrets.surroundings import has_words

_ANY = "[A-Za-z0-9_-]"

# No key is shorter than this.
_LONG_WORD = re.compile(r"[A-Za-z0-9_+/-]{15}")

# Short prefixes, which names in programs begin with too: what follows must look random.
_LIKELY = re.compile(rf"(?<!{_ANY})(?:sk-|lt_){_ANY}{{16,}}")
_RUN = re.compile(r"[A-Za-z0-9]{10,}")

# Header and payload are JSON objects, so both parts begin with the base64 of `{"`.
_JWT = re.compile(rf"(?<!{_ANY})eyJ{_ANY}{{8,}}\.{_ANY}{{8,}}\.{_ANY}{{8,}}")
_BASIC = re.compile(
    r"(?<![A-Za-z])basic[ \t]{1,8}(?P<value>[A-Za-z0-9+/]{8,512}={0,2})", re.IGNORECASE
)
_WEBHOOK = re.compile(
    r"hooks\.slack\.com/services/(?P<slack>[A-Za-z0-9/]{30,100})"
    rf"|discord(?:app)?\.com/api/webhooks/[0-9]{{10,20}}/(?P<discord>{_ANY}{{40,100}})"
)

# What stands behind a name that announces a key, in headers, addresses and files of settings.
_ANNOUNCED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "access token",
        re.compile(
            r"(?<![A-Za-z])(?:bearer[ \t]{1,8}(?:token[ \t:]{1,8})?"
            r"|authorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?(?:token|ssws|apikey|key)[ \t]{1,8}"
            r"|(?:x-api-key|x-auth-token|private-token|api-key|apikey)[\"']?[ \t]{0,8}:[ \t\"']{0,8}"
            r"|(?:set-)?cookie:[ \t]{0,8}[\w.-]{1,40}="
            r"|[\w.-]{0,20}?(?:sess|sid|auth|token|jwt)[\w.-]{0,20}=)"
            r"(?P<value>[A-Za-z0-9._~+/%|-]{16,}=*)",
            re.IGNORECASE,
        ),
    ),
    (
        "access token",
        re.compile(
            r"[?&#;](?:api_?key|access_token|auth_token|token|key|sig|signature|secret"
            r"|x-amz-signature|x-amz-security-token)=(?P<value>[A-Za-z0-9._~+/%-]{16,}=*)",
            re.IGNORECASE,
        ),
    ),
    (
        "api key",
        re.compile(r"(?i:AccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{40,}={0,2})"),
    ),
    (
        "private key",
        re.compile(
            r"(?:PrivateKey|PresharedKey)[ \t]{0,8}=[ \t]{0,8}(?P<value>[A-Za-z0-9+/]{42,43}=)"
        ),
    ),
    (
        "api key",
        re.compile(r"otpauth://[^\s?]{1,200}\?[^\s]{0,100}?secret=(?P<value>[A-Za-z2-7]{8,128})"),
    ),
)

_PASSWORD_HASH = re.compile(
    r"\$(?:2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}"
    r"|(?:1|5|6|y|7)\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9$]{1,40}\$[./A-Za-z0-9]{22,128}"
    r"|argon2(?:id|i|d)\$[A-Za-z0-9+/=,$.-]{40,300})"
)

_BITLOCKER = re.compile(r"(?<![\w-])(?:[0-9]{6}-){7}[0-9]{6}(?![\w-])")

_BASE58 = "[1-9A-HJ-NP-Za-km-z]"
_WALLET_KEY = re.compile(rf"(?<!\w)[5KL9c]{_BASE58}{{50,51}}(?!\w)")
_EXTENDED_KEY = re.compile(rf"(?<!\w)[xyztuvYZUV]prv{_BASE58}{{100,112}}(?!\w)")
_HEX_KEY = re.compile(r"(?<!\w)(?:0x)?[0-9a-fA-F]{64}(?!\w)")
_PRIVATE_WORDS = re.compile(r"private[ _-]?key|privkey|wallet['\u2019]?s? key", re.IGNORECASE)

# Forty characters of base64 beside the word, capitals among them: a git hash has none.
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+=])(?=[a-z0-9/+]{0,40}[A-Z])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)
_SECRET_WORD = re.compile(r"secret", re.IGNORECASE)

_BLOCK_START = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?<![\w-])PuTTY-User-Key-File-[0-9]: [a-z0-9-]{4,40}"
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
        yield from _announced(text)
        yield from _wallets(text)
    if "basic" in text.lower():
        yield from _basic(text)
    if "$" in text:
        for match in _PASSWORD_HASH.finditer(text):
            yield Secret("password", match.start(), match.end())
    if "PRIVATE KEY" in text or "PuTTY" in text:
        yield from _blocks(text)


def _prefixed(text: str) -> Iterator[Secret]:
    for match in PREFIXED.finditer(text):
        if not is_placeholder(match[0]) and _varies(match[0]):
            yield Secret("api key", match.start(), match.end())
    for match in _LIKELY.finditer(text):
        is_random = any(_has_digit(run) for run in _RUN.findall(match[0]))
        if is_random and not is_placeholder(match[0]) and _varies(match[0]):
            yield Secret("api key", match.start(), match.end())
    for match in _WEBHOOK.finditer(text):
        group = match.lastgroup or ""
        if not is_placeholder(match[group]) and _varies(match[group]):
            yield Secret("api key", match.start(group), match.end(group))
    for match in _AWS_SECRET.finditer(text):
        if has_words(text, match.start(), match.start(), _SECRET_WORD) and _has_digit(match[0]):
            yield Secret("api key", match.start(), match.end())


def _announced(text: str) -> Iterator[Secret]:
    for match in _JWT.finditer(text):
        yield Secret("access token", match.start(), match.end())
    for kind, pattern in _ANNOUNCED:
        for match in pattern.finditer(text):
            value = match["value"]
            if _has_digit(value) and _varies(value) and not is_placeholder(value):
                yield Secret(kind, match.start("value"), match.end("value"))


def _basic(text: str) -> Iterator[Secret]:
    """`Basic` and the base64 of a name, a colon and a password."""
    for match in _BASIC.finditer(text):
        value = match["value"].rstrip("=")
        decoded = b64decode(value + "=" * (-len(value) % 4)) if len(value) % 4 != 1 else b""
        name, _, password = decoded.partition(b":")
        if password and (name + password).isascii() and not is_placeholder(password.decode()):
            yield Secret("access token", match.start("value"), match.end("value"))


def _wallets(text: str) -> Iterator[Secret]:
    for match in _WALLET_KEY.finditer(text):
        if checks.base58(match[0]):
            yield Secret("private key", match.start(), match.end())
    for match in _EXTENDED_KEY.finditer(text):
        if _varies(match[0]):
            yield Secret("private key", match.start(), match.end())
    for match in _BITLOCKER.finditer(text):
        yield Secret("private key", match.start(), match.end())
    for match in _HEX_KEY.finditer(text):
        if has_words(text, match.start(), match.start(), _PRIVATE_WORDS) and _varies(match[0]):
            yield Secret("private key", match.start(), match.end())


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
