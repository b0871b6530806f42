"""The search for secrets takes time in proportion to the length of a text, also of a hostile one."""

import time
from collections.abc import Callable

import pytest

from longterm.records.json import JsonObject
from longterm.text import secrets
from longterm.text.secrets import gate

SMALL, LARGE = 10_000, 100_000
MOST = 15
READ_LARGE = 3
# Below this the clock measures itself.
LEAST_S = 0.002

# Repeated up to the length: one at least for each pattern, and what makes careless ones quadratic.
UNITS = [
    "4111 ", "4111 1111 1111 1111 ", "4 ", "1 ", "4-", "4111-", "4111.", "5500", "\uff14\uff11\uff11\uff11 ", "\u0664\u0661\u0661\u0661 ",
    "DE89 ", "DE89", "de89-3704-", "GB82WEST",
    "a", " ", "1", "A1b2", "QUJD", "+/", "=", "\n", "\t", ".", "-", "_", "\"", "'", "`", "“", "(", "[",
    "sk-", "sk-proj-", "sk-ant-", "gh", "ghp_", "ghp_a1", "xoxb-", "AKIA", "AKIA ", "EAA", "EAA ", "pa-",
    "hf_ ", "1//0", "8Q~", "aaa8Q~", "MTaaaaaaaaaaaaaaaaaaaaaaaa.", "ya29.", "SG.", "12345678:AA", "fm2_",
    "access_token$production$", "abcdefghijklmn.atlasv1.", "secret_", "$2b$12$", "$6$", "$argon2id$", "$",
    "eyJaaaaaaaa.", "eyJ", "sk.eyJ", "bearer ", "bearer\t", "basic ", "basic QUJD", "basic YTpi ",
    "authorization: token ", "cookie: a=", "x-api-key: ", "?key=", "&sig=aaaaaaaaaaaaaaaa1", "AccountKey=",
    "PrivateKey = ", "otpauth://a?", "otpauth://", "secret=", "hooks.slack.com/services/T/",
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAA\n", "-----BEGIN RSA ",
    "-----END PRIVATE KEY-----", "PuTTY-User-Key-File-3: ssh-rsa\n", "Private-MAC: a\n",
    "5Kb8kLf9zgWQnogidDA76MzPL6TsZZY36hWXMssSzNydYXYB9KF ", "K", "xprv", "0x", "deadbeef", "private key ",
    "aws secret ", "123-45-6789 ", "123 45 6789 ssn ", "AB123456C ", "12345678Z ", "X1234567L ",
    "RSSMRA85T10A562S ", "86 095 742 719 ", "529.982.247-25 ", "2341 2341 2346 ", "passport ",
    "passport number is ", "pass no no no ", "driving licence ", "order ", "order number is ",
    "seed phrase ", "seed phrase: word ", "seed phrase for ", "passphrase is aaaa bbbb ", "mnemonic:",
    "metamask backup ", "1. word ", "word, ", "word ",
    "pin ", "pin is ", "pin for ", "pin: ", "my pin ", "PIN 12345", "4821 is my ", "alarm code ", "code de la porte ",
    "cvv ", "cvv:", "cvv (", "verification code ", "verification code is ", "G-", "TAN ", "puk ",
    "backup codes: ", "backup codes: aaaa ", "2fa secret ", "2fa secret is abcd ",
    "a://", "a://b:", "://", "a.b+c-", "http://a:b", "-u ", " -u a:", " --user a:b", "mysql -u ", "mysql -p",
    "sshpass ", "login a password ", "WIFI:", "WIFI:S:a;P:", "?password=",
    "password", "password ", "password is ", "password for ", "password for x is ", "password: ", "password:",
    "pw:", "pw ", "pass:", "password's ", "password?", "password? a1", "password (", "my password is a1 ",
    "set password to ", "change my ", "changed the password of the ", "is my ", " is my password", " as the ",
    "a1b2c3 is my password ", "passwort auf ", "mot de passe est ", "la clave ", "wifi: key ", "wifi ", "contraseña es ",
    "api key ", "api key is ", "api_key=", "api key for ", "secret is ", "token ", "token: ", "client secret ", "clé api est ",
    "password is \"", "password is 'a", "password is `", "password: a.b.", "password: a(", "password=$(", "password: xxxx",
    "password: -a-b-c-d", "[password] ", "[card number]",
    "door code ", "the code is 1234 ", "gate 1234 ", "four seven ", "1234 ", "12-34-", "31 left, ", "opens with 1234 ",
    "1234 opens the ", "1234 is the ", "what is the door code? ", "1234 to get into ", "pin codes: 1234 ",
    "password a1b2c3 ", "wifi key ", "wifi network ", "a1b2c3! ", "« ", "„", "master password is abc ",
    "nhs number 123 ", "id number 1234 ", "PPS number a ", "P<A", "<<<", "AB12<", "ledger words in order ",
    "ada@example.org // A1", "user a / ", "login is ", "admin / ", "sessionid=", "session_", "backup codes a1b2 ",
]  # fmt: skip

# A beginning that many blanks, or many of one character, follow.
BEGINNINGS = [
    "pin:", "pin is", "pin for", "password", "password is", "password for a", "passphrase", "passphrase for",
    "cvv", "cvv (", "bearer", "basic", "seed phrase", "seed phrase:", "set password to", "is my", "api key",
    "api key is", "token", "passport", "passport number", "order number", "login a", "mysql -u", "sshpass",
    "verification code", "backup codes are", "alarm code", "wifi", "-----BEGIN PRIVATE KEY-----",
    "PuTTY-User-Key-File-3:", "PrivateKey", "authorization:", "password: a", "password? ", "a1 is my",
]  # fmt: skip
FOLLOWING = [" ", "1", '"']


def _units(length: int) -> dict[str, str]:
    return {repr(unit): unit * (length // len(unit)) for unit in UNITS}


def _texts(length: int) -> dict[str, str]:
    runs = {
        f"{beginning!r} + {following!r}": beginning + following * length
        for beginning in BEGINNINGS
        for following in FOLLOWING
    }
    return {**_units(length), **runs}


def _best_s(function: Callable[[str], object], text: str, *, runs: int = 2) -> float:
    """The processor time of the quickest run: other processes do not count."""
    spent: list[float] = []
    for _ in range(runs):
        begun = time.thread_time()
        function(text)
        spent.append(time.thread_time() - begun)
        if spent[-1] < LEAST_S:
            break
    return min(spent)


def _steepness(function: Callable[[str], object], small: str, large: str) -> float:
    """How much longer the large text takes; measured again where it looks steep."""
    steepness = MOST + 1.0
    for _ in range(3):
        least = max(_best_s(function, small), LEAST_S)
        steepness = min(steepness, _best_s(function, large, runs=1) / least)
        if steepness <= MOST:
            break
    return steepness


def _steep(
    function: Callable[[str], object], small: dict[str, str], large: dict[str, str]
) -> dict[str, float]:
    # A pattern that is slow in a long text is among the slow ones in a short one.
    slowest = sorted(small, key=lambda name: -_best_s(function, small[name], runs=1))[:READ_LARGE]
    steepness = {name: _steepness(function, small[name], large[name]) for name in slowest}
    return {name: round(value, 1) for name, value in steepness.items() if value > MOST}


@pytest.mark.parametrize("part", range(8))
def test_ten_times_the_text_is_masked_in_at_most_fifteen_times_the_time(part: int) -> None:
    small, large = _texts(SMALL), _texts(LARGE)

    assert _steep(secrets.mask, dict(list(small.items())[part::8]), large) == {}


def _object(shape: str, length: int) -> JsonObject:
    if shape == "one long text":
        return {"a": "password is " * (length // 12)}
    if shape == "many keys":
        return {f"key{number}": "4111 1111 1111 1111x" for number in range(length // 30)}
    if shape == "a list beneath a name":
        return {"passwords": ["on the fridge"] * (length // 15)}
    return {"list": [{"name": "pin board", "value": "cork"}] * (length // 30)}


@pytest.mark.parametrize(
    "shape", ["one long text", "many keys", "a list beneath a name", "many objects"]
)
def test_the_check_of_a_json_object_is_linear_too(shape: str) -> None:
    objects = {"small": _object(shape, SMALL), "large": _object(shape, LARGE)}

    def check(size: str) -> object:
        return gate.kind_in_json(("note",), objects[size])

    assert _steepness(check, "small", "large") <= MOST
