"""What stands where a secret would, in examples and manuals."""

import re

_STAND_IN = re.compile(
    r"x{4,}|\*{2,}|\.{3}|…|•|●|#{3,}|[<>{}\[\]]|\byour|[_-]your|(?<![a-z])your[_-]"
    r"|placeholder|redacted|insert[_-]|replace[_-]?me",
    re.IGNORECASE,
)

_VARIABLE = re.compile(r"\$\w+|\$\(.*|%\w+%|@\w+")

_EMPTY = re.compile(
    r"(?:my|your|the|new|old|some|db|user|root|admin)?[_-]?"
    r"(?:password|passwd|passwort|pass|pwd|pw|secret|token|api[_-]?key|key)s?"
    r"|none|null|nil|undefined|true|false|n/a|tbd|todo|x+|abc|foo|bar|baz|string|str|varchar",
    re.IGNORECASE,
)


def is_placeholder(value: str) -> bool:
    """Whether the value says "put yours here" or stands for a hidden one."""
    return (
        len(set(value.lower())) <= 2
        or _STAND_IN.search(value) is not None
        or _VARIABLE.fullmatch(value) is not None
        or _EMPTY.fullmatch(value) is not None
    )
