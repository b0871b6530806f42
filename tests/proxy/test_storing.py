"""Of a history that is sent again and again, what is new is stored, and that once."""

import asyncio
from typing import Any, cast

import pytest

from longterm.memory import threads as memory
from longterm.memory.relay import Relay, Request
from longterm.records.scope import Scope
from longterm.records.thread import Entry, own_hash
from longterm.store import threads
from tests.proxy.conftest import Door
from tests.proxy.upstream import Received, Response, Upstream, says

Messages = list[dict[str, Any]]


async def ask(door: Door, user: str, messages: Any, **headers: str) -> str:
    async with door.client(user, headers=headers) as client:
        answer = await client.chat.completions.create(model="gpt-test", messages=messages)
    return answer.choices[0].message.content or ""


def said_by(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def echo(received: Received) -> Response:
    """Answers with the number of the question."""
    asked = [text for role, text in received.said if role == "user"]
    return says(f"Answer to {asked[-1]}")(received)


async def test_a_client_that_sends_its_whole_history_fifty_times_has_a_hundred_messages_stored(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = echo
    history: Messages = [said_by("system", "Be brief.")]
    async with door.client(user) as client:
        for turn in range(50):
            history.append(said_by("user", f"question {turn}"))
            answer = await client.chat.completions.create(
                model="gpt-test", messages=cast("Any", history)
            )
            history.append(said_by("assistant", answer.choices[0].message.content or ""))

    found = await door.messages(user)
    expected = [(one["role"], one["content"]) for one in history[1:]]
    assert [(one.role, one.content) for one in found] == expected
    assert len(found) == 100
    assert len({one.conversation_id for one in found}) == 1
    assert sorted({one.turn for one in found}) == list(range(1, 51))


async def test_a_client_that_leaves_out_the_beginning_has_each_message_stored_once(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = echo
    history: Messages = []
    for turn in range(12):
        history.append(said_by("user", f"question {turn}"))
        history.append(said_by("assistant", await ask(door, user, history[-7:])))

    found = await door.messages(user)
    assert [one.content for one in found] == [one["content"] for one in history]
    assert len({one.conversation_id for one in found}) == 1


async def test_a_long_history_is_found_by_its_end_and_by_its_beginning(
    door: Door, upstream: Upstream, user: str
) -> None:
    """e7"""
    history = [said_by("user" if n % 2 == 0 else "assistant", f"said {n}") for n in range(300)]
    await ask(door, user, [*history, said_by("user", "the end")])
    await ask(door, user, [*history[:100], said_by("user", "edited")])

    found = await door.messages(user)
    assert len(found) == 304
    assert [one.content for one in found[-2:]] == ["edited", "Fine."]


async def test_a_request_that_comes_several_times_at_once_is_stored_once(
    door: Door, upstream: Upstream, user: str
) -> None:
    await asyncio.gather(*(ask(door, user, [said_by("user", "hello")]) for _ in range(8)))

    assert await door.said(user) == [("user", "hello"), ("assistant", "Fine.")]


async def test_nobody_looks_what_is_there_while_somebody_else_stores(door: Door, user: str) -> None:
    """Of two who look at once, each would store what is new."""
    relay = Relay(door.runtime.parts, Scope(1, user))
    asked = Entry(role="user", own=own_hash("user", "hello"), content="hello")

    async with door.runtime.parts.database.tenant(Scope(1, user)) as conn:
        await threads.lock(conn, user)
        coming = asyncio.create_task(relay.follow(Request(user_id=user, entries=[asked])))
        done, _ = await asyncio.wait({coming}, timeout=0.3)

    assert not done
    assert (await coming).stored == 1


async def test_a_question_that_was_answered_while_its_repetition_waited_is_a_repetition(
    door: Door, user: str
) -> None:
    """On a busy machine the first of many may be answered before the last is looked at."""
    relay = Relay(door.runtime.parts, Scope(1, user))
    asked = Entry(role="user", own=own_hash("user", "hello"), content="hello")
    answer = Entry(role="assistant", own=own_hash("assistant", "Hi"), content="Hi")

    async with door.runtime.parts.database.tenant(Scope(1, user)) as conn:
        followed = await memory.follow(conn, user, [asked])
        waiting = asyncio.create_task(relay.follow(Request(user_id=user, entries=[asked])))
        await asyncio.wait({waiting}, timeout=0.3)
        await memory.answer(conn, user, followed, answer)

    assert (await waiting).conversation_id == followed.conversation_id
    assert len(await door.messages(user)) == 2


async def test_a_question_that_was_answered_after_its_repetition_came_is_a_repetition(
    door: Door, user: str
) -> None:
    relay = Relay(door.runtime.parts, Scope(1, user))
    asked = Entry(role="user", own=own_hash("user", "hello"), content="hello")
    answer = Entry(role="assistant", own=own_hash("assistant", "Hi"), content="Hi")
    first = Request(user_id=user, entries=[asked])
    followed = await relay.follow(first)
    await relay.keep_answer(first, followed, answer)

    meanwhile = await relay.follow(Request(user_id=user, entries=[asked], waited_s=60))
    later = await relay.follow(Request(user_id=user, entries=[asked]))

    assert meanwhile.conversation_id == followed.conversation_id
    assert later.conversation_id != followed.conversation_id


async def test_a_question_whose_answer_broke_off_is_not_a_new_one_when_it_is_asked_again(
    door: Door, user: str
) -> None:
    relay = Relay(door.runtime.parts, Scope(1, user))
    asked = Entry(role="user", own=own_hash("user", "hello"), content="hello")
    half = Entry(role="assistant", own=own_hash("assistant", "H"), content="H", partial=True)
    request = Request(user_id=user, entries=[asked])
    followed = await relay.follow(request)
    await relay.keep_answer(request, followed, half)

    again = await relay.follow(request)

    assert (again.conversation_id, again.stored) == (followed.conversation_id, 0)


async def test_a_request_that_the_client_tries_again_is_stored_once(
    door: Door, upstream: Upstream, user: str
) -> None:
    def fails_first(received: Received) -> Response:
        if len(upstream.received) < 3:
            return Response('{"error": {"message": "busy"}}', 503, headers={"retry-after": "0"})
        return says("At last.")(received)

    upstream.behave = fails_first
    async with door.client(user, max_retries=3) as client:
        answer = await client.chat.completions.create(
            model="gpt-test", messages=[{"role": "user", "content": "hello"}]
        )

    assert answer.choices[0].message.content == "At last."
    assert len(upstream.received) == 3
    assert await door.said(user) == [("user", "hello"), ("assistant", "At last.")]


async def test_a_first_question_that_is_asked_once_more_begins_a_new_conversation(
    door: Door, upstream: Upstream, user: str
) -> None:
    for _ in range(2):
        await ask(door, user, [said_by("user", "hello")])

    found = await door.messages(user)
    assert len(found) == 4
    assert len({one.conversation_id for one in found}) == 2


async def test_conversations_that_begin_alike_go_on_apart(
    door: Door, upstream: Upstream, user: str
) -> None:
    begin = [said_by("user", "hello"), said_by("assistant", "Fine.")]
    for _ in range(2):
        await ask(door, user, begin[:1])

    for words in ("one way", "another way"):
        await ask(door, user, [*begin, said_by("user", words)])

    found = await door.messages(user)
    assert len(found) == 8
    by_place = {one.conversation_id: 0 for one in found}
    for one in found:
        by_place[one.conversation_id] += 1
    assert sorted(by_place.values()) == [4, 4]


async def test_an_answer_that_is_made_again_takes_the_place_of_the_one_before(
    door: Door, upstream: Upstream, user: str
) -> None:
    begin = [said_by("user", "hello"), said_by("assistant", "Fine."), said_by("user", "a poem")]
    await ask(door, user, begin[:1])
    for words in ("A first poem.", "A second poem."):
        upstream.behave = says(words)
        await ask(door, user, begin)

    found = await door.messages(user)
    assert [one.content for one in found] == ["hello", "Fine.", "a poem", "A second poem."]
    assert [one.turn for one in found] == [1, 1, 2, 2]


async def test_an_edited_question_branches_off_and_nothing_is_stored_twice(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = echo
    history = [said_by("user", "one"), said_by("assistant", "Answer to one")]
    await ask(door, user, history[:1])
    await ask(door, user, [*history, said_by("user", "two")])
    edited = [*history, said_by("user", "two, edited")]
    edited.append(said_by("assistant", await ask(door, user, edited)))
    await ask(door, user, [*edited, said_by("user", "three")])

    found = await door.messages(user)
    places = list(dict.fromkeys(one.conversation_id for one in found))
    texts = [[one.content for one in found if one.conversation_id == place] for place in places]
    assert texts == [
        ["one", "Answer to one", "two", "Answer to two"],
        ["two, edited", "Answer to two, edited", "three", "Answer to three"],
    ]
    branch = await door.mem.get_conversation(user, places[1])
    assert branch.metadata["branched_from"] == {
        "conversation_id": places[0],
        "message_id": found[1].id,
    }


async def test_answers_that_a_client_trims_or_hands_back_as_objects_are_known(
    door: Door, upstream: Upstream, user: str
) -> None:
    upstream.behave = says("  With blanks around. \n")
    async with door.client(user) as client:
        first = await client.chat.completions.create(
            model="gpt-test", messages=[{"role": "user", "content": "hello"}]
        )
        message: Any = first.choices[0].message
        asked: Any = {"role": "user", "content": [{"type": "text", "text": "and?"}]}
        await client.chat.completions.create(
            model="gpt-test", messages=[{"role": "user", "content": "hello"}, message, asked]
        )
    trimmed = [said_by("user", "hello"), said_by("assistant", "With blanks around.")]
    await ask(door, user, [*trimmed, said_by("user", "and?")])

    assert [text for _, text in await door.said(user)] == [
        "hello", "  With blanks around. \n", "and?", "  With blanks around. \n",
    ]  # fmt: skip


async def test_a_history_from_before_is_stored_when_it_is_first_seen(
    door: Door, upstream: Upstream, user: str
) -> None:
    old = [said_by("user", "long ago"), said_by("assistant", "indeed")]

    await ask(door, user, [*old, said_by("user", "today")])

    assert [text for _, text in await door.said(user)] == ["long ago", "indeed", "today", "Fine."]


@pytest.mark.parametrize("named", ["3f1c2a52-5d5e-4f43-9d5a-0a8f3c2a6b11", "chat-7"])
async def test_a_conversation_that_is_named_needs_no_history(
    door: Door, upstream: Upstream, user: str, named: str
) -> None:
    headers = {"X-Longterm-Conversation": named}
    for words in ("yes", "no", "yes"):
        await ask(door, user, [said_by("user", words)], **headers)
    fine = said_by("assistant", "Fine.")
    history = [part for words in ("yes", "no", "yes") for part in (said_by("user", words), fine)]
    await ask(door, user, [*history, said_by("user", "all")], **headers)
    await ask(door, user, [fine, said_by("user", "last")], **headers)

    found = await door.messages(user)
    asked = [one.content for one in found if one.role == "user"]
    assert asked == ["yes", "no", "yes", "all", "last"]
    assert len(found) == 10
    assert len({one.conversation_id for one in found}) == 1


async def test_a_conversation_begun_elsewhere_is_taken_up_without_repeating_it(
    door: Door, upstream: Upstream, user: str
) -> None:
    begun = await door.mem.create_conversation(user)
    await door.mem.add_message(user, "user", "hello", conversation_id=begun.id)
    await door.mem.add_message(user, "assistant", "Hi!", conversation_id=begun.id)

    history = [said_by("user", "hello"), said_by("assistant", "Hi!"), said_by("user", "more")]
    await ask(door, user, history, **{"X-Longterm-Conversation": begun.id})

    assert [text for _, text in await door.said(user)] == ["hello", "Hi!", "more", "Fine."]


async def test_a_message_that_a_person_deleted_does_not_come_back(
    door: Door, upstream: Upstream, user: str
) -> None:
    history = [said_by("user", "my secret"), said_by("assistant", "Fine."), said_by("user", "so")]
    await ask(door, user, history[:1])
    (first, _) = await door.messages(user)
    await door.mem.delete_message(first.id)

    await ask(door, user, history)

    assert [text for _, text in await door.said(user)] == ["Fine.", "so", "Fine."]


async def test_tool_calls_and_their_results_are_kept_with_the_message_that_made_them(
    door: Door, upstream: Upstream, user: str
) -> None:
    """d2"""
    calls = (("call_1", "weather", '{"city": "Rome"}'), ("call_2", "weather", '{"city":"Oslo"}'))
    upstream.behave = says("", calls)
    asked: Any = {"role": "user", "content": "Rome or Oslo?"}
    async with door.client(user) as client:
        first = await client.chat.completions.create(model="gpt-test", messages=[asked])
        upstream.behave = says("Rome.")
        results: list[Any] = [
            {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
            {"role": "tool", "tool_call_id": "call_2", "content": "rain"},
        ]
        message: Any = first.choices[0].message
        for _ in range(2):
            await client.chat.completions.create(
                model="gpt-test", messages=[asked, message, *results]
            )

    found = await door.messages(user)
    assert [(one.role, one.content) for one in found] == [
        ("user", "Rome or Oslo?"), ("assistant", ""), ("assistant", "Rome."),
    ]  # fmt: skip
    kept: Any = found[1].tool_calls
    assert [(one["function"]["name"], one["result"]) for one in kept] == [
        ("weather", "sunny"), ("weather", "rain"),
    ]  # fmt: skip


async def test_instructions_and_pictures_are_not_stored(
    door: Door, upstream: Upstream, user: str
) -> None:
    picture = "data:image/png;base64," + "iVBORw0KGgo" * 1000
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": picture}},
        {"type": "image_url", "image_url": {"url": "https://a.example/cat.png?token=hidden"}},
    ]
    messages: Any = [
        {"role": "system", "content": "SYSTEM"},
        {"role": "developer", "content": "DEVELOPER"},
        {"role": "user", "content": parts},
    ]

    await ask(door, user, messages)

    assert upstream.last.body["messages"] == messages
    (question, _) = await door.messages(user)
    first, second, third = question.content.splitlines()
    assert first == "What is this?"
    assert second.startswith("[image: image/png sha256 ")
    assert third == "[image: https://a.example/cat.png]"
    assert len(question.content) < 200


async def test_what_no_database_can_hold_does_not_keep_a_request_from_going_through(
    door: Door, upstream: Upstream, user: str
) -> None:
    words = "a\x00b " + "x" * 2_000_000

    await ask(door, user, [said_by("user", words)])

    assert upstream.last.said[-1] == ("user", words)
    (question, _) = await door.messages(user)
    assert question.content.startswith("a\ufffdb x")
    assert len(question.content.encode()) <= 1_000_000


async def test_forgetting_a_conversation_forgets_its_thread(
    door: Door, upstream: Upstream, user: str
) -> None:
    await ask(door, user, [said_by("user", "hello")])
    (first, _) = await door.messages(user)

    await door.mem.delete_conversation(user, first.conversation_id)

    async with door.runtime.parts.database.tenant(Scope(1)) as conn:
        left = "SELECT count(*) FROM threads WHERE user_id = %(user_id)s"
        assert await conn.value(left, user_id=user) == 0
