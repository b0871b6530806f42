"""§3 Yours: `longterm import`, `export` and `forget`, as people use them; also with broken files."""

import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from longterm import Longterm
from tests.imports import samples
from tests.journeys.programs import COMMAND, clean_environment, longterm, longterm_here


class Program:
    """The command line on one database."""

    def __init__(self, url: str) -> None:
        self.url = url

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        """How it ends, and what it says on both outputs."""
        ran = longterm_here(*arguments, "--database-url", self.url)
        assert "Traceback" not in ran.stderr
        return ran.returncode, ran.stdout, ran.stderr

    def told(self, *arguments: str | Path) -> Any:
        """What it says to programs."""
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def refused(self, *arguments: str | Path, status: int = 1) -> str:
        """The one sentence with which it fails."""
        code, out, err = self.run(*arguments)
        assert (code, out, err.count("\n")) == (status, "", 1), (out, err)
        assert err.startswith("longterm: ")
        return err


@pytest.fixture(scope="module")
def url(new_database: Callable[[str], str]) -> str:
    return new_database("ownership")


@pytest.fixture
def program(url: str) -> Program:
    return Program(url)


def test_what_is_imported_comes_out_goes_in_elsewhere_and_is_forgotten(
    program: Program, tmp_path: Path
) -> None:
    given, out = tmp_path / "export.zip", tmp_path / "ada.jsonl"
    with zipfile.ZipFile(given, "w") as archive:
        archive.writestr("conversations.json", json.dumps([samples.chatgpt(), 7]))

    report = program.told("import", given, "--user", "ada")
    shown = program.run("import", given, "--user", "ada")
    written = program.told("export", "ada", "-o", out)
    elsewhere = program.told("import", out, "--user", "ada", "--tenant", "2")
    stranger = program.told("export", "ada", "--tenant", "3", "-o", tmp_path / "none.jsonl")
    unsure = program.refused("forget", "ada", status=2)
    receipt = program.told("forget", "ada", "--yes")
    left = program.told("export", "ada", "-o", tmp_path / "left.jsonl")
    there = program.told("export", "ada", "--tenant", "2", "-o", tmp_path / "there.jsonl")

    assert (report["format"], report["messages"], report["left_out"]) == ("chatgpt", 4, 3)
    assert [one["where"] for one in report["unread"]] == ["item 2"]
    assert "4 messages were there already" in shown[1]
    assert "Not read, item 2: This is nothing that chatgpt exports." in shown[1]
    assert written["counts"]["message"] == elsewhere["messages"] == 4
    assert [json.loads(line)["type"] for line in out.read_text().splitlines()][-1] == "end"
    assert stranger["counts"] == left["counts"] == {"longterm-export": 1, "end": 1}
    assert "--yes" in unsure
    assert (receipt["what"], receipt["counts"]["messages"]) == ("user", 4)
    assert there["counts"]["message"] == 4
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "ada.jsonl", "export.zip", "left.jsonl", "none.jsonl", "there.jsonl",
    ]  # fmt: skip


def test_one_message_and_one_conversation_are_forgotten_by_their_ids(program: Program) -> None:
    with Longterm(program.url) as lt:
        mem = lt.tenant(4)
        first = mem.add_message("ada", "user", "one")
        mem.add_message("ada", "user", "two")
        conversation = mem.current_conversation("ada").id

    both = program.refused(
        "forget", "ada", "--message", "1", "--conversation", conversation, "--yes", status=2
    )
    missing = program.refused("forget", "ada", "--message", str(first), "--yes")
    message = program.told("forget", "ada", "--tenant", "4", "--message", str(first), "--yes")
    whole = program.told("forget", "ada", "--tenant", "4", "--conversation", conversation, "--yes")
    gone = program.refused(
        "forget", "ada", "--tenant", "4", "--conversation", conversation, "--yes"
    )

    assert "not both" in both
    assert "no message" in missing
    assert (message["counts"]["messages"], whole["counts"]["messages"]) == (1, 1)
    assert "no such conversation" in gone


def test_an_export_goes_through_a_pipe_into_another_tenant(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Longterm(program.url) as lt:
        lt.tenant(25).add_message("ada", "user", "one")
    _, exported, _ = program.run("export", "ada", "--tenant", "25")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(exported.encode())))

    report = program.told("import", "-", "--user", "eve", "--tenant", "26")
    again = program.refused("import", "-", "--user", "eve", "--tenant", "26")

    assert (report["format"], report["messages"]) == ("longterm", 1)
    assert again == "longterm: standard input is no JSON that can be imported.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_output_that_is_full_is_told(program: Program) -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*COMMAND, "export", "ada", "--database-url", program.url],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=clean_environment(),
        )

    assert ran.returncode == 1
    assert ran.stderr == "longterm: The output can't be written: No space left on device.\n"


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * 40_000_000 + b"]")


def locked(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", "[]")
    data = bytearray(path.read_bytes())
    # The flag of an encrypted member, in its own header and in the list at the end.
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)


WHOLE = json.dumps([samples.chatgpt("first"), samples.chatgpt("second")])
OWN = '{"type": "longterm-export", "version": 1}\n{"type": "conversation", "id": "c"}\n'
BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda _: None, "a file that is there"),
    "a folder": (lambda path: path.mkdir(), "a file that is there"),
    "empty": (lambda path: path.write_text(""), "no JSON"),
    "a picture": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(99)), "no JSON"),
    "other JSON": (lambda path: path.write_text('{"a": 1}'), "none of the formats"),
    "half a zip": (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(99)), "no JSON"),
    "a bomb": (bomb, "far more than an export"),
    "a password": (locked, "protected by a password"),
    "brackets": (lambda path: path.write_text("[" * 100_000), "damaged or cut off"),
    "cut off": (lambda path: path.write_text(WHOLE[:-300]), "after item 1; what came before"),
    "cut off, of ours": (lambda path: path.write_text(OWN), "is cut off"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_or_hostile_file_is_one_sentence_and_nothing_is_there_by_half(
    program: Program, tmp_path: Path, name: str
) -> None:
    make, reason = BROKEN[name]
    make(tmp_path / "file")

    assert reason in program.refused("import", tmp_path / "file", "--user", f"user of {name}")

    # What came before the fault is stored whole.
    written = program.told("export", f"user of {name}", "-o", tmp_path / "out.jsonl")
    assert written["counts"].get("message", 0) == (4 if name == "cut off" else 0)


def test_wrong_use_ends_with_2(program: Program, tmp_path: Path) -> None:
    assert program.run("import", tmp_path)[0] == 2
    assert program.run("import", tmp_path, "--user", "ada", "--format", "word")[0] == 2
    assert program.run("forget", "ada", "--message", "first")[0] == 2
    assert program.run("export")[0] == 2


def test_an_export_that_can_not_be_written_leaves_what_was_there(
    program: Program, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    (tmp_path / "file.part").write_text("mine too")

    refused = [
        program.refused("export", "ada", "-o", where)
        for where in (tmp_path, tmp_path / "no" / "x", file / "x")
    ]
    code, _, err = program.run("export", "", "-o", file)
    nothing = program.run("export", "ada", "-o", os.devnull)

    assert all("can't be written" in each for each in refused)
    assert (code, "user_id" in err) == (2, True)
    assert (file.read_text(), sorted(each.name for each in tmp_path.iterdir())) == (
        "mine",
        ["file", "file.part"],
    )
    assert nothing[0] == 0, nothing[2]
    assert not Path(os.devnull).is_file()


def test_a_pipe_gets_the_records_and_nothing_else(program: Program) -> None:
    with Longterm(program.url) as lt:
        lt.tenant(5).add_message("ada", "user", "héllo\x85")

    ran = longterm("export", "ada", "--tenant", "5", "--database-url", program.url)

    assert (ran.returncode, ran.stderr) == (0, "")
    records = [json.loads(line) for line in ran.stdout.split("\n")[:-1]]
    assert [one["type"] for one in records] == [
        "longterm-export", "user", "conversation", "message", "end",
    ]  # fmt: skip
    assert records[3]["content"] == "héllo\x85"
