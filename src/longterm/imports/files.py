"""Files to read from: plain or in a zip, within limits, never unpacked to disk."""

import io
import zipfile
import zlib
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from longterm.errors import InvalidInputError

# Real exports are packed to a fifth or so; a bomb to a thousandth.
MOST_BYTES = 4 * 1024**3
MOST_RATIO = 200
_RATIO_FROM = 16 * 1024**2
_MOST_MEMBERS = 100_000


@dataclass(frozen=True, slots=True)
class Source:
    """One file of JSON, which can be opened as often as needed."""

    name: str
    open: Callable[[], io.BufferedReader]


def sources(path: Path) -> list[Source]:
    """The files to read: the one given, or what a zip of ChatGPT or Claude holds."""
    with explained(path.name):
        if not zipfile.is_zipfile(path):
            return [Source(path.name, lambda: path.open("rb"))]
        with zipfile.ZipFile(path) as archive:
            members = [one for one in archive.infolist() if _is_wanted(one.filename)]
            if len(archive.infolist()) > _MOST_MEMBERS:
                raise InvalidInputError(f"{path.name} holds too many files to be an export.")
    # `conversations-000.json` and so on, where there are very many.
    named = [one for one in members if _name(one.filename).startswith("conversations")]
    if not (chosen := named or members[:1]):
        raise InvalidInputError(f"{path.name} holds no JSON to import.")
    if sum(one.file_size for one in chosen) > MOST_BYTES:
        raise InvalidInputError(f"{path.name} is larger than {MOST_BYTES:,} bytes when unpacked.")
    ordered = sorted(chosen, key=lambda one: one.filename)
    return [Source(one.filename, _opener(path, one)) for one in ordered]


def _opener(path: Path, member: zipfile.ZipInfo) -> Callable[[], io.BufferedReader]:
    def open_() -> io.BufferedReader:
        archive = zipfile.ZipFile(path)
        return io.BufferedReader(_Measured(archive, member))

    return open_


@contextmanager
def explained(name: str) -> Generator[None]:
    """Say in our own words why a file can't be read."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise InvalidInputError(f"{name} is a damaged zip file.") from error
    except RuntimeError as error:
        raise InvalidInputError(f"{name} is protected by a password.") from error
    except OSError as error:
        raise InvalidInputError(f"The path {name} can't be read: {error.strerror}.") from error


class _Measured(io.RawIOBase):
    """A member of a zip that stops where it unpacks to more than an export would."""

    def __init__(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
        super().__init__()
        self._archive = archive
        self._file = archive.open(member)
        self._packed = max(1, member.compress_size)
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._read += len(data)
        too_dense = self._read > _RATIO_FROM and self._read > MOST_RATIO * self._packed
        if self._read > MOST_BYTES or too_dense:
            raise InvalidInputError("The zip unpacks to far more than an export would.")
        return len(data)

    def close(self) -> None:
        self._file.close()
        self._archive.close()
        super().close()


def _is_wanted(name: str) -> bool:
    return _name(name).endswith((".json", ".jsonl")) and not name.startswith("__MACOSX")


def _name(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).name.lower()
