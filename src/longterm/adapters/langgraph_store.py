"""LangGraph: a store over the key-value memory of users, and over recall."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

from longterm.adapters.calls import AnyTenant, Calls
from longterm.adapters.extras import missing
from longterm.errors import InvalidInputError, MemoryNotFoundError
from longterm.records.json import JsonObject
from longterm.text import words

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        validate_op_namespace,
    )
    from langgraph.store.memory import InMemoryStore
except ModuleNotFoundError as error:
    raise missing("LangGraph", "langgraph") from error

RECALL = "recall"
"""The label beneath a user where `search` asks recall; nothing can be put there."""

_PREFIX = "langgraph:"

Namespace = tuple[str, ...]


class LongtermStore(BaseStore):
    """Items in the key-value memory of the user whom the namespace names.

    The user is the label at `user_at` of a namespace: the first one, as in `("ada", "notes")`. A
    search with a query ranks items by how many of its words they have. Beneath
    `("ada", "recall")` it asks Longterm's own recall: facts, episodes and turns, by meaning too.
    """

    def __init__(self, tenant: AnyTenant, *, user_at: int = 0) -> None:
        self._calls = Calls(tenant)
        self._user_at = user_at

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations; what they read is as it was before they write."""
        return self._calls.wait(self._batch, list(ops))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do several operations; what they read is as it was before they write."""
        return await self._calls.run(self._batch, list(ops))

    async def _batch(self, ops: list[Op]) -> list[Result]:
        for op in ops:
            validate_op_namespace(op)
        results = [await self._read(op) for op in ops]
        for op in ops:
            if isinstance(op, PutOp):
                await self._put(op)
        return results

    async def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            user_id, rest = self._split(op.namespace)
            value = await self._calls.tenant.get_memory(user_id, _key(rest, op.key))
            return None if value is None else _item(op.namespace, op.key, value)
        if isinstance(op, SearchOp):
            if op.query and self._asks_recall(op.namespace_prefix):
                return await self._recall(op, op.query)
            return await self._search(op)
        if isinstance(op, ListNamespacesOp):
            return await self._list(op)
        return None

    async def _put(self, op: PutOp) -> None:
        user_id, rest = self._split(op.namespace)
        if rest[:1] == (RECALL,):
            raise InvalidInputError(f"Nothing can be put beneath {RECALL!r}: it is what is known.")
        key, tenant = _key(rest, op.key), self._calls.tenant
        if op.value is None:
            try:
                await tenant.delete_memory(user_id, key)
            except MemoryNotFoundError:
                return
        else:
            now = datetime.now(UTC).isoformat()
            before = await tenant.get_memory(user_id, key) or {}
            times = {"created_at": before.get("created_at", now), "updated_at": now}
            await tenant.set_memory(user_id, key, {"value": op.value, **times})

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        items = await self._items(self._split(op.namespace_prefix)[0])
        most = max(len(items), 1)
        found = _scratch(items).search(op.namespace_prefix, filter=op.filter, limit=most)
        matching = [items[one.namespace, one.key] for one in found]
        if op.query:
            asked = set(words.query_terms(op.query))
            for one in matching:
                one.score = len(asked & set(words.terms(json.dumps(one.value)))) / len(asked or "?")
            matching = [one for one in matching if one.score]
        matching.sort(key=lambda one: (one.score or 0, one.updated_at), reverse=True)
        return matching[op.offset : op.offset + op.limit]

    async def _recall(self, op: SearchOp, query: str) -> list[SearchItem]:
        user_id, _ = self._split(op.namespace_prefix)
        found = await self._calls.tenant.recall(user_id, query, limit=op.limit + op.offset)
        return [
            SearchItem(
                namespace=op.namespace_prefix,
                key=f"{item.kind}:{item.id}",
                value={"kind": item.kind, "text": item.text, "why": list(item.why)},
                created_at=item.said_at,
                updated_at=item.said_at,
                score=item.score,
            )
            for item in found.items[op.offset :]
        ]

    async def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        prefixes = [one.path for one in op.match_conditions or () if one.match_type == "prefix"]
        user_id, _ = self._split(prefixes[0] if prefixes else ())
        items = await self._items(user_id)
        return cast("list[Namespace]", _scratch(items).batch([op])[0])

    async def _items(self, user_id: str) -> dict[tuple[Namespace, str], SearchItem]:
        kept = await self._calls.tenant.get_all_memory(user_id)
        items = dict[tuple[Namespace, str], SearchItem]()
        for one in kept:
            if one.key.startswith(_PREFIX):
                *rest, key = json.loads(one.key.removeprefix(_PREFIX))
                namespace = (*rest[: self._user_at], user_id, *rest[self._user_at :])
                items[namespace, key] = _item(namespace, key, one.value)
        return items

    def _asks_recall(self, namespace: Namespace) -> bool:
        return self._split(namespace)[1] == (RECALL,)

    def _split(self, namespace: Namespace) -> tuple[str, Namespace]:
        if len(namespace) <= self._user_at or namespace[self._user_at] == "*":
            raise InvalidInputError(
                f"The namespace must name a user, as its label {self._user_at + 1}: what users "
                "have in common is not kept."
            )
        rest = (*namespace[: self._user_at], *namespace[self._user_at + 1 :])
        return namespace[self._user_at], rest


def _key(rest: Namespace, key: str) -> str:
    return _PREFIX + json.dumps([*rest, key], ensure_ascii=False, separators=(",", ":"))


def _item(namespace: Namespace, key: str, kept: JsonObject) -> SearchItem:
    return SearchItem(
        namespace=namespace,
        key=key,
        value=cast("dict[str, Any]", kept["value"]),
        created_at=datetime.fromisoformat(cast("str", kept["created_at"])),
        updated_at=datetime.fromisoformat(cast("str", kept["updated_at"])),
    )


def _scratch(items: dict[tuple[Namespace, str], SearchItem]) -> InMemoryStore:
    """LangGraph's own store with these items: filters and wildcards mean what they mean there."""
    store = InMemoryStore()
    store.batch([PutOp(namespace, key, one.value) for (namespace, key), one in items.items()])
    return store
