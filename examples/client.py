"""Memory on a server, from a program that needs httpx alone; start one with `longterm serve`."""

import asyncio
import os
from collections import Counter

from longterm.client import AsyncClient, Client
from longterm.errors import SecretRefusedError, UnavailableError

URL = os.environ.get("LONGTERM_URL", "http://127.0.0.1:8765")
# On this machine none is needed until the first one was made.
KEY = os.environ.get("LONGTERM_KEY")
USER = "somebody-of-the-example"


def remember() -> None:
    """Store, learn and find; each method waits for its answer."""
    with Client(URL, KEY) as mem:
        talk = mem.create_conversation(USER, "A beginning")
        mem.add_message(USER, "user", "My name is Ada.", conversation_id=talk.id)
        # The server learns by itself, in the background; this does it now.
        for fact in mem.extract_memories(talk.id):
            print(f"{fact.key}: {fact.content} (from message {fact.source_message_id})")

        found = mem.recall(USER, "What is my name?")
        print(f"{len(found.items)} memories in {found.tokens} tokens")

        try:
            mem.add_fact(USER, "My card is 4111 1111 1111 1111")
        except SecretRefusedError as error:
            print(f"refused: {error}")


async def talk() -> None:
    """Answer as it comes, take everything along, and leave nothing behind."""
    async with AsyncClient(URL, KEY, timeout_s=30) as mem:
        async for event in mem.stream(USER, "Hello"):
            print(event.text, end="")
        print()

        kinds = Counter([str(record["type"]) async for record in mem.export_user(USER)])
        print(f"exported: {kinds['message']} messages, {kinds['fact']} facts")

        receipt = await mem.forget_user(USER)
        print(f"forgotten: {receipt.counts['messages']} messages")


try:
    remember()
    asyncio.run(talk())
except UnavailableError as error:
    raise SystemExit(f"{error} Is there a server at {URL}? `longterm serve` starts one.") from None
