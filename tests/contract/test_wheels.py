"""The client is installed with httpx alone: its wheel is built, and used where nothing else is."""

import asyncio
import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.contract.conftest import House

ROOT = Path(__file__).parents[2]
NEEDED = ("anyio", "certifi", "h11", "httpcore", "httpx", "idna", "typing_extensions")

SCRIPT = """
import sys
folder, url, key = sys.argv[1:]
sys.path.append(folder)
from longterm.client import AsyncClient, Client
from longterm.records.message import Message
with Client(url, key) as client:
    client.add_message("ada", "user", "Hello from afar")
    (message,) = client.get_recent_messages("ada")
    assert isinstance(message, Message)
    print(message.content)
    print([event.kind for event in client.stream("ada", "hello")][-1])
loaded = {name.partition(".")[0] for name in sys.modules} - sys.stdlib_module_names
print(*sorted(loaded - {"__main__"}))
try:
    from longterm import Longterm
except ImportError as error:
    print(error)
"""


def built(folder: Path, out: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (wheel,) = out.iterdir()
    return wheel


def metadata(wheel: Path) -> dict[str, list[str]]:
    with zipfile.ZipFile(wheel) as packed:
        (name,) = [one for one in packed.namelist() if one.endswith(".dist-info/METADATA")]
        found = HeaderParser().parsestr(packed.read(name).decode())
    return {key: found.get_all(key, []) for key in ("Name", "Version", "Requires-Dist")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(ROOT / "clients" / "python", tmp_path_factory.mktemp("client"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client, httpx, what that needs, and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    for name in NEEDED:
        found = find_spec(name)
        assert found is not None
        assert found.origin is not None
        # A package is a folder, a module a file.
        source = Path(found.origin)
        source = source.parent if source.name == "__init__.py" else source
        (folder / source.name).symlink_to(source)
    return folder


def test_both_wheels_have_one_version_and_the_client_needs_httpx_alone(
    wheel: Path, tmp_path: Path
) -> None:
    client, whole = metadata(wheel), metadata(built(ROOT, tmp_path))

    assert (client["Name"], whole["Name"]) == (["longterm-client"], ["longterm"])
    assert client["Version"] == whole["Version"]
    assert client["Requires-Dist"] == ["httpx>=0.28"]


async def test_the_client_works_where_nothing_else_is_installed(
    installed: Path, house: House
) -> None:
    arguments = (str(installed), house.url, await house.key())
    ran = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-S", "-c", SCRIPT, *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, wrong = await ran.communicate()

    assert wrong.decode() == ""
    said, last, loaded, sentence = out.decode().splitlines()
    assert (said, last) == ("Hello from afar", "done")
    assert set(loaded.split()) <= {*NEEDED, "longterm"}
    assert "`longterm-client` has the client alone" in sentence
