"""What an import makes of foreign conversations: checked, numbered, and only what is new."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

from longterm.errors import InvalidInputError
from longterm.memory import inputs
from longterm.memory.inputs import Limits
from longterm.memory.records_import import Links
from longterm.records.importing import ForeignConversation, ForeignMessage, Unread
from longterm.store.imported import Continued
from longterm.text.secrets import gate

_JSON = ("tool_calls", "suggested_values", "suggested_actions", "custom_payload", "metadata")
_STATUS = ("complete", "partial", "interrupted")
_TITLES_BY = ("person", "model", "rule")
_MOST_TURNS = 2**31 - 1
_LATE = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A conversation that is checked, with the hashes of where it and its messages come from."""

    id: str
    source: bytes
    told: ForeignConversation
    messages: Sequence[tuple[bytes, ForeignMessage]]


@dataclass(slots=True)
class Rows:
    """Conversations of one batch, and what of them could not be taken in."""

    talks: list[Talk] = field(default_factory=list[Talk])
    unread: list[Unread] = field(default_factory=list[Unread])

    def sources(self) -> list[bytes]:
        """Where everything comes from."""
        return [
            source
            for talk in self.talks
            for source in (talk.source, *(source for source, _ in talk.messages))
        ]


@dataclass(slots=True)
class Plan:
    """What is to be written, in the order of time."""

    conversations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    continued: list[tuple[Continued, datetime | None]] = field(
        default_factory=list[tuple[Continued, datetime | None]]
    )
    sources: dict[bytes, str] = field(default_factory=dict[bytes, str])
    touched: list[str] = field(default_factory=list[str])
    # The last message of each conversation that was learned from where it comes from.
    learned: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    known: int = 0


def check(talks: Sequence[ForeignConversation], links: Links, limits: Limits) -> Rows:
    """Check what a batch holds; what can't be kept is told, the rest goes on."""
    rows = Rows()
    for told in talks:
        try:
            _check_about(told, limits)
        except InvalidInputError as error:
            where = f"conversation {told.external_id[:80]}"
            rows.unread.append(Unread(where=where, reason=str(error)))
            continue
        messages = _messages(told, links, limits, rows.unread)
        if not messages and links.format != "longterm":
            continue
        rows.talks.append(
            Talk(
                id=links.conversation(told.external_id),
                source=links.source("conversation", told.external_id),
                told=replace(told, title=told.title and gate.masked_title(told.title)),
                messages=messages,
            )
        )
        links.remember(told)
    return rows


def _check_about(told: ForeignConversation, limits: Limits) -> None:
    extra = told.extra
    if told.title is not None:
        inputs.name(told.title, "title", longest=inputs.MAX_TITLE_LENGTH)
    inputs.metadata(extra.get("metadata"), limits=limits)
    if extra.get("retention_hours") is not None:
        inputs.retention_hours(extra["retention_hours"], "retention_hours")
    if extra.get("turn_count") is not None:
        inputs.number(extra["turn_count"], "turn_count", least=0, most=_MOST_TURNS)


def _messages(
    told: ForeignConversation, links: Links, limits: Limits, unread: list[Unread]
) -> list[tuple[bytes, ForeignMessage]]:
    messages: list[tuple[bytes, ForeignMessage]] = []
    for place, message in enumerate(told.messages, 1):
        where = f"conversation {told.external_id[:80]}, message {place}"
        try:
            source = links.source("message", told.external_id, message.external_id)
            messages.append((source, _checked(message, limits)))
        except InvalidInputError as error:
            unread.append(Unread(where=where, reason=str(error)))
    return messages


def _checked(message: ForeignMessage, limits: Limits) -> ForeignMessage:
    wordless = not message.content and message.extra.get("tool_calls") is not None
    if not wordless:
        inputs.content(message.content, "content", limits=limits)
    if message.name is not None:
        inputs.name(message.name, "name")
    for name in _JSON:
        if message.extra.get(name) is not None:
            inputs.json_value(message.extra[name], name, limits=limits)
    return message


def plan(
    rows: Rows,
    known: set[bytes],
    there: Mapping[str, Continued],
    *,
    retention_hours: float | None,
    own: bool,
) -> Plan:
    """Decide what is new: whole conversations, and messages at the end of others."""
    made = Plan()
    begun: dict[str, dict[str, Any]] = {}
    going_on = dict(there)
    for talk in sorted(rows.talks, key=_begins):
        new = [
            (source, message)
            for source, message in talk.messages
            if source not in known and source not in made.sources
        ]
        made.known += len(talk.messages) - len(new)
        if talk.source not in known and talk.id not in begun:
            row = _conversation(talk, retention_hours, own=own)
            begun[talk.id] = row
            made.conversations.append(row)
            at = Continued(id=talk.id, turn_count=0, turn_open=False)
        elif talk.id in going_on:
            at = going_on[talk.id]
        else:
            # Deleted here since: what was taken out is not put in again.
            made.known += len(new)
            continue
        if not new and talk.source in known:
            continue
        at = _number(made, talk, new, at, keep_turns=own and talk.source not in known)
        going_on[talk.id] = at
        if talk.id in begun:
            begun[talk.id] |= {"turn_count": at.turn_count, "turn_open": at.turn_open}
        else:
            times = [message.said_at for _, message in new if message.said_at is not None]
            made.continued.append((at, max(times, default=None)))
        made.sources[talk.source] = talk.id
        made.touched.append(talk.id)
    return made


def _number(
    made: Plan,
    talk: Talk,
    new: Sequence[tuple[bytes, ForeignMessage]],
    at: Continued,
    *,
    keep_turns: bool,
) -> Continued:
    """Give messages their turns, after those that are there."""
    turn, is_open = at.turn_count, at.turn_open
    said_at: datetime | None = talk.told.extra.get("created_at")
    for source, message in new:
        # The rule of messages.APPEND: an answer closes the open turn, all else opens one.
        follows = turn + (not (is_open and message.role == "assistant"))
        turn = max(follows, message.turn or 0) if keep_turns else follows
        is_open = message.role == "user"
        said_at = message.said_at or said_at
        made.sources[source] = talk.id
        made.messages.append(_message(talk.id, turn, message, said_at))
        if keep_turns and message.extra.get("learned") is True:
            made.learned[talk.id] = (turn, message.role)
    if keep_turns:
        turn = max(turn, talk.told.extra.get("turn_count") or 0)
    return replace(at, turn_count=turn, turn_open=is_open)


def _message(
    conversation_id: str, turn: int, message: ForeignMessage, said_at: datetime | None
) -> dict[str, Any]:
    extra = message.extra
    status = extra.get("status")
    return {
        "conversation_id": conversation_id,
        "turn": turn,
        "role": message.role,
        "content": message.content,
        "name": message.name,
        "said_at": said_at,
        "recorded_at": extra.get("recorded_at"),
        "archived_at": extra.get("archived_at"),
        # An answer that was under way elsewhere is under way nowhere now.
        "status": "interrupted" if status == "partial" else _one_of(status, _STATUS, "complete"),
        **{name: extra.get(name) for name in _JSON},
        "metadata": _without_ids(extra.get("metadata")),
    }


def _conversation(talk: Talk, retention_hours: float | None, *, own: bool) -> dict[str, Any]:
    extra, title = talk.told.extra, talk.told.title
    times = [message.said_at for _, message in talk.messages if message.said_at is not None]
    hours = extra.get("retention_hours") if own else retention_hours
    return {
        "id": talk.id,
        "kind": _one_of(extra.get("kind"), ("conversation", "session"), "conversation"),
        "title": title,
        "title_by": _one_of(extra.get("title_by"), _TITLES_BY, "person") if title else None,
        "archived": extra.get("archived") is True,
        "pinned": extra.get("pinned") is True,
        "retention_hours": None if hours is None else float(hours),
        "expires_at": extra.get("expires_at") if own else None,
        "turn_count": 0,
        "turn_open": False,
        "metadata": extra.get("metadata") or {},
        "created_at": extra.get("created_at") or min(times, default=None),
        "updated_at": extra.get("updated_at") or max(times, default=None),
    }


def _without_ids(metadata: object) -> object:
    """Without which memories an answer was made from: their ids meant something elsewhere."""
    if not isinstance(metadata, dict):
        return metadata
    told = cast("dict[str, Any]", metadata)
    return {name: value for name, value in told.items() if name != "memories"}


def _begins(talk: Talk) -> datetime:
    times = [message.said_at for _, message in talk.messages if message.said_at is not None]
    return min(times, default=talk.told.extra.get("created_at") or _LATE)


def _one_of(value: object, allowed: Sequence[str], otherwise: str) -> str:
    return value if isinstance(value, str) and value in allowed else otherwise
