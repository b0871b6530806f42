"""Passwords in addresses, commands and files of settings: `postgres://ada:…@host`, `curl -u ada:…`."""

import re
from collections.abc import Iterator

from longterm.text.secrets import values
from longterm.text.secrets.placeholders import is_placeholder
from longterm.text.secrets.secret import Secret

# Letters, digits and a mark, or letters of both cases and digits.
_MARKED = (
    r"(?P<value>(?![A-Za-z]{2,12}[=:])(?=[^\s]{0,63}[0-9])(?=[^\s]{0,63}[A-Za-z])"
    r"(?=[^\s]{0,63}[!#$%&*?+=~_^]|(?-i:[^\sA-Z]{0,63}[A-Z][^\s]{0,63}[a-z]))[^\s,;]{8,64})"
)
_BESIDE = r"\s{0,3}(?://?|\||;|→|->|--?|\s(?:and|with|und|mit|et|y|e|en)\s)\s{0,3}"

_PAIRS = (
    # "ada@example.org // Popcorn#12", "user ada / Popcorn#12"
    re.compile(
        rf"(?<![\w.+-])(?P<user>[\w.+-]{{1,64}}@[\w-]{{1,64}}\.[\w.-]{{1,32}})(?:{_BESIDE}|:\s?){_MARKED}"
    ),
    re.compile(
        r"(?<![a-z])(?:log-?in|user(?:name)?|usuario|usuário|benutzer(?:name)?|utente|utilisateur|identifiant"
        r"|gebruiker(?:snaam)?|credentials|logins?|zugangsdaten|anmeldung|(?:log|sign|logged|signed) in as)(?:[ :=]{1,3}|\s(?:is|are)\s)"
        rf"(?P<user>[^\s/|,;:]{{2,40}})(?:{_BESIDE}|,\s){_MARKED}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\w/.-])(?P<user>admin|root|administrator){_BESIDE}{_MARKED}"),
)
_PATTERNS = (
    re.compile(
        r"(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://(?P<user>[^\s:/@\"']{0,64}):"
        r"(?P<value>[^\s/\"'<>]{1,128})@(?=[\w.\[-])",
        re.IGNORECASE,
    ),
    re.compile(r"\s(?:-u|--user)[ =](?P<user>[^\s:]{1,64}):(?P<value>[^\s\"']{4,128})"),
    re.compile(
        r"(?:mysql|mariadb|mysqldump|mysqladmin)\s[^\n|;]{0,80}?\s-p(?P<user>)(?P<value>[^\s-][^\s]{3,63})"
    ),
    re.compile(
        r"(?:sshpass|docker login)\s[^\n|;]{0,80}?(?<=\s)-p[ =]?(?P<user>)(?P<value>[^\s\"'$]{4,128})"
    ),
    re.compile(
        r"(?<![a-z])login\s{1,8}(?P<user>[^\s]{1,64})\s{1,8}password\s{1,8}(?P<value>[^\s]{4,128})"
    ),
    re.compile(r"WIFI:[^\n]{0,80}?;P:(?P<user>)(?P<value>[^;\n]{4,64});"),
    re.compile(
        r"[?&;](?:password|passwd|pwd)=(?P<user>)(?P<value>[^\s&;\"'<>]{4,128})", re.IGNORECASE
    ),
)

SIGNS = (
    *(
        "://",
        " -",
        "login",
        "log-in",
        " in as",
        "admin",
        "root",
        "wifi:",
        "passw",
        "pwd=",
        "@",
        "user",
        "usu",
        "benutzer",
        "utente",
    ),
    *("utilisateur", "identifiant", "gebruiker", "credentials", "zugangsdaten", "anmeldung"),
)


def find(text: str) -> Iterator[Secret]:
    """Passwords beside a name and a host."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            # `postgres:postgres@` and `user:password@` are what manuals write.
            if match["value"] != match["user"] and not is_placeholder(match["value"]):
                yield Secret("password", match.start("value"), match.end("value"))
    for pattern in _PAIRS:
        for match in pattern.finditer(text):
            value = values.read(text, match.start("value"))
            if value and values.is_mixed_word(value):
                yield Secret("password", value.start, value.end)
