"""Code with its parts marked by classes; the page's style sheet colours them."""

from functools import cache
from html import escape
from time import thread_time
from typing import Any

from pygments import format as format_tokens
from pygments.formatters import HtmlFormatter
from pygments.lexers import (
    get_lexer_by_name,  # pyright: ignore[reportUnknownVariableType]
)
from pygments.util import ClassNotFound

# What people paste into a chat. Hundreds of lexers more would each have to be trusted with
# whatever anybody writes.
LANGUAGES = frozenset(
    [
        "bash",
        "c",
        "c#",
        "cpp",
        "cs",
        "css",
        "csharp",
        "c++",
        "dart",
        "diff",
        "docker",
        "dockerfile",
        "elixir",
        "erlang",
        "go",
        "golang",
        "graphql",
        "groovy",
        "haskell",
        "html",
        "http",
        "ini",
        "java",
        "javascript",
        "js",
        "json",
        "json5",
        "jsonl",
        "jsx",
        "julia",
        "kotlin",
        "kt",
        "latex",
        "lua",
        "make",
        "makefile",
        "markdown",
        "md",
        "nginx",
        "nix",
        "objective-c",
        "ocaml",
        "perl",
        "php",
        "postgres",
        "postgresql",
        "powershell",
        "proto",
        "protobuf",
        "ps1",
        "py",
        "python",
        "python3",
        "r",
        "rb",
        "rs",
        "ruby",
        "rust",
        "scala",
        "scss",
        "sh",
        "shell",
        "sql",
        "sqlite",
        "swift",
        "terraform",
        "tex",
        "toml",
        "ts",
        "tsx",
        "typescript",
        "vim",
        "xml",
        "yaml",
        "yml",
        "zig",
        "zsh",
    ]
)
# A lexer is a pile of regular expressions: what is longer stays plain, and so does what takes
# longer. Python's took 5 s for 20,000 characters of blank lines.
LONGEST = 20_000
_LONGEST_S = 0.2
_LONGEST_NAME = 40


def framed(source: str, info: str) -> str:
    """Return a block of code in a frame that a copy button can be hung on."""
    language = (info.split() or [""])[0].lower()[:_LONGEST_NAME]
    return (
        f'<div class="code" data-language="{escape(language)}"><pre tabindex="0"><code>'
        f"{_marked(source, language)}</code></pre></div>\n"
    )


def _marked(source: str, language: str) -> str:
    if language not in LANGUAGES or len(source) > LONGEST:
        return escape(source)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(source)
    deadline = thread_time() + _LONGEST_S
    tokens: list[tuple[Any, str]] = []
    for token in lexer.get_tokens(source):
        tokens.append(token)
        if thread_time() > deadline:
            return escape(source)
    return format_tokens(tokens, _formatter())


@cache
def _formatter() -> HtmlFormatter[str]:
    return HtmlFormatter[str](nowrap=True)
