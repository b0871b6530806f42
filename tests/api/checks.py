"""What tests say about answers."""

from typing import Any

import httpx


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    """An error as RFC 9457 has it, with one sentence that says what is wrong."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["status"], told["type"]) == (status, "about:blank")
    assert told["title"]
    assert told["detail"].endswith(".") or "…" in told["detail"], told
    assert told["request_id"] == answer.headers["x-request-id"]
    assert "Traceback" not in answer.text
    return told


def good(answer: httpx.Response, status: int = 200) -> Any:
    """What an answer says that is no error."""
    assert answer.status_code == status, answer.text
    if status == 204:
        assert answer.content == b""
        return None
    assert answer.headers["content-type"] == "application/json"
    return answer.json()


async def a_conversation(
    http: httpx.AsyncClient, *said: str, user_id: str = "ada", title: str = "title"
) -> str:
    """The id of a new conversation in which a user said something."""
    made = good(
        await http.post("/api/conversations", json={"user_id": user_id, "title": title}), 201
    )
    for content in said:
        message = {"user_id": user_id, "role": "user", "content": content}
        good(await http.post(f"/api/conversations/{made['id']}/messages", json=message), 201)
    return made["id"]
