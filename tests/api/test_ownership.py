"""§3 Yours, over HTTP: export, import, forget."""

import json
import tempfile
from pathlib import Path

import pytest

from tests.api.conftest import House
from tests.imports import samples


async def test_a_user_takes_everything_out_in_and_away_with_their_own_key(house: House) -> None:
    file = json.dumps([samples.chatgpt()]).encode()
    async with await house.client("user", "ada") as http:
        imported = await http.post("/api/users/ada/import", content=file)
        exported = await http.get("/api/users/ada/export")
        gone = await http.delete("/api/users/ada")

    assert imported.headers["content-type"].startswith("text/event-stream")
    kinds = [line[7:] for line in imported.text.splitlines() if line.startswith("event: ")]
    assert kinds[0] == "progress"
    assert kinds[-1] == "done"
    assert exported.headers["content-type"] == "application/x-ndjson"
    assert "attachment" in exported.headers["content-disposition"]
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert [lines[0]["type"], lines[-1]["counts"]["message"]] == ["longterm-export", 4]
    assert gone.json()["counts"]["messages"] == 4
    assert await house.memory.count_messages("ada") == 0


async def test_a_file_that_is_none_of_the_formats_is_refused(house: House) -> None:
    async with await house.client() as http:
        refused = await http.post("/api/users/ada/import", content=b"Dear diary")

    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"


async def test_a_file_that_the_server_has_no_room_for_is_refused_for_now(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "is not there"))
    async with await house.client() as http:
        refused = await http.post("/api/users/ada/import", content=b"[]")

    assert refused.status_code == 503
    assert refused.json()["detail"] == "The file can't be kept here: No such file or directory."


async def test_a_conversation_and_messages_are_forgotten_with_a_receipt(house: House) -> None:
    conversation = await house.memory.create_conversation("ada")
    ids = [await house.memory.add_message("ada", "user", f"message {n}") for n in range(4)]
    at = f"/api/conversations/{conversation.id}"
    async with await house.client() as http:
        one = await http.delete(
            f"{at}/messages/{ids[0]}", params={"user_id": "ada", "forget": "true"}
        )
        rest = await http.delete(
            f"{at}/messages/{ids[2]}", params={"user_id": "ada", "and_later": "true"}
        )
        whole = await http.delete(at, params={"user_id": "ada", "forget": "true"})

    assert [one.json()["what"], rest.json()["what"]] == ["message", "rewind"]
    assert [one.json()["counts"]["messages"], rest.json()["counts"]["messages"]] == [1, 2]
    assert (whole.status_code, whole.json()["counts"]["messages"]) == (200, 1)
