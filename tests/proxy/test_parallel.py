"""SPEC 1: an answer that passes through the proxy belongs to its question."""

import asyncio
import random
from typing import Any
from uuid import uuid4

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.pairs import QUESTIONS, check_pairs
from tests.proxy.conftest import Door
from tests.proxy.upstream import Received, Upstream, says


class LateResponse(Response):
    """An answer that begins after a pause."""

    def __init__(self, whole: Response, pause_s: float) -> None:
        super().__init__()
        self._whole = whole
        self._pause_s = pause_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(self._pause_s)
        await self._whole(scope, receive, send)


@pytest.mark.parametrize("stream", [False, True])
async def test_20_questions_at_once_in_one_conversation_have_their_own_answers(
    door: Door, upstream: Upstream, user: str, stream: bool
) -> None:
    place = str(uuid4())
    pauses = random.Random(3)

    def echo(received: Received) -> Response:
        asked = [text for role, text in received.said if role == "user"]
        return LateResponse(says(f"echo: {asked[-1]}")(received), pauses.uniform(0, 0.4))

    async def ask(text: str) -> None:
        question: Any = [{"role": "user", "content": text}]
        if not stream:
            await client.chat.completions.create(model="gpt-test", messages=question)
            return
        pieces = await client.chat.completions.create(
            model="gpt-test", messages=question, stream=True
        )
        async for _ in pieces:
            pass

    upstream.behave = echo
    headers = {"X-Longterm-Conversation": place}
    async with door.client(user, headers=headers, timeout=60) as client:
        await asyncio.gather(*(ask(text) for text in QUESTIONS))
    await door.runtime.parts.aside.finish()

    await check_pairs(door.mem, place)
