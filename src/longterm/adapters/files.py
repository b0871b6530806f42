"""Files of a user beneath `/memories`, as Anthropic's memory tool sees them."""

from collections.abc import Mapping

from longterm.errors import InvalidInputError, MemoryNotFoundError
from longterm.library import AsyncTenant

ROOT = "/memories"

_DEPTH = 2
_NUMBER_WIDTH = 6
_AROUND = 2


class Files:
    """Texts in key-value memory, one for each path; a folder is there while it has files.

    The answers are those of Anthropic's own tool, which models are trained on.
    """

    def __init__(self, tenant: AsyncTenant, user_id: str) -> None:
        self._tenant = tenant
        self._user_id = user_id

    async def view(self, path: str, lines: list[int] | None) -> str:
        """A file with numbered lines, or what is in a folder."""
        path, files = _checked(path), await self._all()
        if path in files:
            return f"Here's the content of {path} with line numbers:\n" + _shown(files[path], lines)
        if path != ROOT:
            _check_there(path, files)
        listed = "\n".join(_listed(path, files))
        return (
            f"Here're the files and directories up to {_DEPTH} levels deep in {path}, "
            f"excluding hidden items:\n{listed}"
        )

    async def create(self, path: str, text: str) -> str:
        """Make a file that is not there yet."""
        path, files = _checked(path), await self._all()
        _check_free(path, files)
        await self._write(path, text)
        return f"File created successfully at: {path}"

    async def replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that is in a file once."""
        text = await self._read(path)
        count = text.count(old) if old else 0
        if count == 0:
            raise InvalidInputError(
                f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )
        if count > 1:
            raise InvalidInputError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                f"{', '.join(_lines_with(text, old))}. Please ensure it is unique"
            )
        changed = text.replace(old, new)
        await self._write(path, changed)
        line = text[: text.index(old)].count("\n") + 1
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line "
            f"numbers):\n{_shown(changed, [line - _AROUND, line + _AROUND])}"
        )

    async def insert(self, path: str, line: int, text: str) -> str:
        """Insert text after a line; 0 is the beginning."""
        there = await self._read(path)
        lines = there.removesuffix("\n").split("\n") if there else []
        if not 0 <= line <= len(lines):
            raise InvalidInputError(
                f"Invalid `insert_line` parameter: {line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(line, text.rstrip("\n"))
        await self._write(path, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    async def delete(self, path: str) -> str:
        """Delete a file, or a folder with everything in it."""
        path, files = _checked(path), await self._all()
        if path == ROOT:
            raise InvalidInputError(f"Cannot delete the {ROOT} directory itself")
        for inner in _check_there(path, files):
            await self._remove(inner)
        return f"Successfully deleted {path}"

    async def rename(self, old: str, new: str) -> str:
        """Move a file, or a folder with everything in it."""
        old, new, files = _checked(old), _checked(new), await self._all()
        if old == ROOT or f"{new}/".startswith(f"{old}/"):
            raise InvalidInputError(f"Cannot rename {old} to {new}")
        moved = _check_there(old, files)
        _check_free(new, files)
        # Written before anything is removed: who is interrupted has some of them twice.
        for inner in moved:
            await self._write(new + inner.removeprefix(old), files[inner])
        for inner in moved:
            await self._remove(inner)
        return f"Successfully renamed {old} to {new}"

    async def clear(self) -> str:
        """Delete every file."""
        for path in await self._all():
            await self._remove(path)
        return "All memory cleared"

    async def _all(self) -> dict[str, str]:
        kept = await self._tenant.get_all_memory(self._user_id)
        return {one.key: _text(one.value) for one in kept if one.key.startswith(f"{ROOT}/")}

    async def _read(self, path: str) -> str:
        path = _checked(path)
        kept = None if path == ROOT else await self._tenant.get_memory(self._user_id, path)
        if kept is None:
            raise InvalidInputError(f"The path {path} is not a file that exists.")
        return _text(kept)

    async def _write(self, path: str, text: str) -> None:
        await self._tenant.set_memory(self._user_id, path, {"text": text})

    async def _remove(self, path: str) -> None:
        try:
            await self._tenant.delete_memory(self._user_id, path)
        except MemoryNotFoundError:
            return


def _text(value: Mapping[str, object]) -> str:
    return str(value.get("text", ""))


def _checked(path: str) -> str:
    """Return the path, if it lies beneath the root and says so plainly."""
    path = path.removesuffix("/")
    names = path.split("/")
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise InvalidInputError(f"Path must start with {ROOT}, got: {path}")
    if "\\" in path or any(name in ("", ".", "..") for name in names[1:]):
        raise InvalidInputError(f"Path {path} would escape {ROOT} directory")
    return path


def _inside(path: str, files: Mapping[str, str]) -> list[str]:
    return [one for one in files if one == path or one.startswith(f"{path}/")]


def _check_there(path: str, files: Mapping[str, str]) -> list[str]:
    found = _inside(path, files)
    if not found:
        raise InvalidInputError(f"The path {path} does not exist. Please provide a valid path.")
    return found


def _check_free(path: str, files: Mapping[str, str]) -> None:
    if path == ROOT or _inside(path, files):
        raise InvalidInputError(f"File {path} already exists")
    for one in files:
        if path.startswith(f"{one}/"):
            raise InvalidInputError(f"{one} is a file, and can't have files in it")


def _listed(folder: str, files: Mapping[str, str]) -> list[str]:
    """A line for the folder and for each file and folder in it that is not hidden."""
    sizes = {folder: 0}
    for path in _inside(folder, files):
        names = path.removeprefix(f"{folder}/").split("/")
        size = len(files[path].encode())
        sizes[folder] += size
        if any(name.startswith(".") for name in names):
            continue
        for depth in range(1, min(len(names), _DEPTH) + 1):
            shown = "/".join([folder, *names[:depth]]) + ("/" if depth < len(names) else "")
            sizes[shown] = sizes.get(shown, 0) + size
    return [f"{_size(sizes[path])}\t{path}" for path in sorted(sizes)]


def _size(count: int) -> str:
    return f"{count}B" if count < 1024 else f"{count / 1024:.1f}K"


def _shown(text: str, lines: list[int] | None) -> str:
    every = text.split("\n")
    first, last = lines if lines is not None and len(lines) == 2 else (1, -1)
    first = max(first, 1)
    shown = every[first - 1 : len(every) if last == -1 else last]
    return "\n".join(f"{at:>{_NUMBER_WIDTH}}\t{line}" for at, line in enumerate(shown, first))


def _lines_with(text: str, part: str) -> list[str]:
    places = [at for at in range(len(text)) if text.startswith(part, at)]
    return [str(text[:at].count("\n") + 1) for at in places]
