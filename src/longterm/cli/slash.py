"""What can be done in a talk beside talking: commands that begin with a slash."""

from collections.abc import Callable
from dataclasses import dataclass

from longterm.cli import output
from longterm.cli.talk import Talk
from longterm.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Command:
    """A command, what it takes, and what it is for."""

    takes: str
    about: str
    run: Callable[..., None]


def run(talk: Talk, line: str) -> bool:
    """Do what a line says; tells whether the talk goes on."""
    name, _, given = line[1:].partition(" ")
    if name in ("quit", "exit", "q"):
        return False
    if name == "help":
        _help()
        return True
    command = COMMANDS.get(name)
    if command is None:
        raise InvalidInputError(f"There is no command /{name}: /help lists them.")
    if command.takes:
        command.run(talk, given.strip())
    else:
        command.run(talk)
    return True


def _help() -> None:
    rows = [(f"/{name} {each.takes}".strip(), each.about) for name, each in COMMANDS.items()]
    output.say_table(
        ("command", ""), [*rows, ("/help", "This list."), ("/quit", "Leave; so does Ctrl-D.")]
    )


def _new(talk: Talk) -> None:
    talk.begin()
    output.say("A new conversation.")


def _temporary(talk: Talk) -> None:
    talk.begin(temporary=True)
    output.say("Nothing of what comes now is kept. /new ends it.")


def _conversations(talk: Talk) -> None:
    output.say_table(
        ("", "title", "turns", "last"),
        (
            (str(place), each.title or "untitled", str(each.turn_count), _day(each.updated_at))
            for place, each in enumerate(talk.list_conversations(), 1)
        ),
    )


def _open(talk: Talk, given: str) -> None:
    found = talk.open(_number(given))
    page = talk.memory.get_messages(found.id, limit=6)
    output.say(*(f"{message.role}: {message.content}" for message in page.items))


def _title(talk: Talk, given: str) -> None:
    if talk.conversation_id is None:
        raise InvalidInputError("There is no conversation yet.")
    talk.memory.update_conversation(talk.user_id, talk.conversation_id, title=given)
    output.say(f"It is called {given} now.")


def _facts(talk: Talk) -> None:
    output.say_table(
        ("", "what", "fact", "since"),
        (
            (
                f"{place}{' *' if fact.pinned else ''}",
                fact.key or fact.type,
                fact.content,
                _day(fact.valid_from),
            )
            for place, fact in enumerate(talk.list_facts(), 1)
        ),
    )


def _pin(talk: Talk, given: str) -> None:
    fact = talk.fact(_number(given))
    talk.memory.pin_fact(talk.user_id, fact.id, pinned=not fact.pinned)
    output.say("Not pinned any more." if fact.pinned else "Pinned: it is in every prompt.")


def _delete(talk: Talk, given: str) -> None:
    fact = talk.fact(_number(given))
    talk.memory.delete_fact(talk.user_id, fact.id)
    output.say(f"Deleted: {fact.content}")


def _recall(talk: Talk, given: str) -> None:
    output.say(talk.memory.recall(talk.user_id, given).text or "Nothing bears on this.")


def _why(talk: Talk) -> None:
    found = talk.last.memories if talk.last else None
    if found is None or not found.items:
        output.say("The last answer used no memories.")
        return
    output.say_table(
        ("score", "kind", "said", "why", "text"),
        (
            (f"{item.score:.2f}", item.kind, _day(item.said_at), "; ".join(item.why), item.text)
            for item in found.items
        ),
    )


def _number(given: str) -> int:
    if not given.isascii() or not given.isdecimal():
        raise InvalidInputError("This needs the number from the list.")
    return int(given)


def _day(moment: object) -> str:
    return f"{moment:%Y-%m-%d}"


COMMANDS = {
    "new": Command("", "Begin a new conversation.", _new),
    "temporary": Command("", "Begin one of which nothing is kept.", _temporary),
    "conversations": Command("", "The ones used last.", _conversations),
    "open": Command("NUMBER", "Go on in one of them.", _open),
    "title": Command("TEXT", "Call this conversation so.", _title),
    "facts": Command("", "What is known about you.", _facts),
    "pin": Command("NUMBER", "Have a fact in every prompt, or no more.", _pin),
    "delete": Command("NUMBER", "Delete a fact with its history.", _delete),
    "recall": Command("QUERY", "What memory has to say to something.", _recall),
    "why": Command("", "The memories that the last answer used.", _why),
}
