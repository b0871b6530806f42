"""The files of the page, read once; their URLs change whenever one of them does."""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STATIC = "/static"
# Written in index.html wherever an asset is named: modules import each other by relative paths,
# so that the version in the folder is in every URL.
PLACEHOLDER = "{{ static }}"

_HTML = "text/html; charset=utf-8"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
_PRESSED = frozenset({".ico", ".png", ".webp", ".woff2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file as it is sent; `zipped` is None where that saves nothing."""

    content_type: str
    body: bytes
    zipped: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The shell of the page and its files, by their paths beneath the version."""

    version: str
    shell: Asset
    assets: Mapping[str, Asset]


@cache
def load() -> Site:
    """Read the page that is installed, once."""
    return read(Path(__file__).parent)


def read(folder: Path) -> Site:
    """Read `index.html` and everything beneath `static` of a folder."""
    static = folder / "static"
    files = {
        path.relative_to(static).as_posix(): path.read_bytes()
        for path in sorted(static.rglob("*"))
        if path.is_file() and path.suffix in _TYPES
    }
    version = _version(files)
    shell = (folder / "index.html").read_text(encoding="utf-8")
    return Site(
        version=version,
        shell=_asset(shell.replace(PLACEHOLDER, f"{STATIC}/{version}").encode(), _HTML, ".html"),
        assets={
            name: _asset(body, _TYPES[Path(name).suffix], Path(name).suffix)
            for name, body in files.items()
        },
    )


def _version(files: Mapping[str, bytes]) -> str:
    hashed = hashlib.sha256()
    for name, body in files.items():
        for part in (name.encode(), body):
            hashed.update(len(part).to_bytes(8, "big"))
            hashed.update(part)
    return hashed.hexdigest()[:16]


def _asset(body: bytes, content_type: str, suffix: str) -> Asset:
    zipped = None if suffix in _PRESSED else gzip.compress(body, mtime=0)
    if zipped is not None and len(zipped) >= len(body):
        zipped = None
    return Asset(content_type=content_type, body=body, zipped=zipped)
