"""LangGraph's store over key-value memory and recall, beside LangGraph's own store."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from longterm import AsyncTenant, InvalidInputError, SecretRefusedError, Tenant
from longterm.adapters.langgraph_store import LongtermStore

NOTES = ("ada", "notes")


@pytest.fixture
def store(mem: AsyncTenant) -> LongtermStore:
    return LongtermStore(mem)


async def test_what_is_put_comes_back_and_goes(store: LongtermStore) -> None:
    value = {"text": "likes tea", "tags": ["a", {"b": 1.5}], "none": None}
    await store.aput(NOTES, "one", value)
    await store.aput(NOTES, "one", {**value, "n": 2})

    found = await store.aget(NOTES, "one")
    await store.adelete(NOTES, "one")
    await store.adelete(NOTES, "one")

    assert found is not None
    assert (found.namespace, found.key, found.value) == (NOTES, "one", {**value, "n": 2})
    assert found.created_at < found.updated_at
    assert await store.aget(NOTES, "one") is None


def test_it_works_without_an_event_loop(tenant: Tenant) -> None:
    store = LongtermStore(tenant)
    store.put(NOTES, "one", {"text": "likes tea"})

    assert [one.key for one in store.search(("ada",))] == ["one"]
    assert store.list_namespaces(prefix=("ada",)) == [NOTES]


ITEMS: list[tuple[tuple[str, ...], str, dict[str, Any]]] = [
    (("ada", "notes"), "a", {"score": 1, "text": "tea"}),
    (("ada", "notes", "old"), "a", {"score": 2, "text": "coffee"}),
    (("ada", "plans"), "b", {"score": 3, "text": "tea", "deep": {"x": 1}}),
    (("ada",), "root", {"score": 4}),
]
SEARCHES: list[dict[str, Any]] = [
    {},
    {"limit": 2},
    {"offset": 1},
    {"filter": {"text": "tea"}},
    {"filter": {"score": {"$gt": 1, "$lte": 3}}},
    {"filter": {"score": {"$ne": 3}}},
    {"filter": {"deep": {"x": 1}}},
]
LISTS: list[dict[str, Any]] = [
    {"prefix": ("ada",)},
    {"prefix": ("ada", "notes")},
    {"prefix": ("ada", "*", "old")},
    {"prefix": ("ada",), "suffix": ("old",)},
    {"prefix": ("ada",), "max_depth": 2},
    {"prefix": ("ada",), "limit": 1, "offset": 1},
]


async def test_filters_and_lists_mean_what_they_mean_in_langgraphs_own_store(
    store: LongtermStore,
) -> None:
    own = InMemoryStore()
    # The newest item is found first here, and last there.
    for item in ITEMS:
        await store.aput(*item)
    for item in reversed(ITEMS):
        await own.aput(*item)

    for given in SEARCHES:
        for prefix in (("ada",), ("ada", "notes")):
            found = await store.asearch(prefix, **given)
            expected = await own.asearch(prefix, **given)
            assert [(one.namespace, one.key, one.value) for one in found] == [
                (one.namespace, one.key, one.value) for one in expected
            ], given
    for given in LISTS:
        assert await store.alist_namespaces(**given) == await own.alist_namespaces(**given), given


async def test_a_query_ranks_by_the_words_that_an_item_has(store: LongtermStore) -> None:
    await store.aput(NOTES, "one", {"drink": "green tea"})
    await store.aput(NOTES, "two", {"drink": "black coffee"})
    await store.aput(NOTES, "three", {"drink": "coffee with green cardamom"})

    found = await store.asearch(("ada",), query="Which coffees are green?")

    assert [(one.key, one.score) for one in found] == [("three", 1.0), ("two", 0.5), ("one", 0.5)]


async def test_beneath_recall_it_asks_what_is_known(mem: AsyncTenant, store: LongtermStore) -> None:
    await mem.add_fact("ada", "The user is allergic to peanuts")
    await mem.add_message("ada", "user", "My cat Tom broke the blue vase")
    await mem.digest((await mem.current_conversation("ada")).id)

    found = await store.asearch(("ada", "recall"), query="Who broke the vase?")

    assert "blue vase" in found[0].value["text"]
    assert found[0].value["kind"] == "turn"
    with pytest.raises(InvalidInputError, match="Nothing can be put"):
        await store.aput(("ada", "recall"), "one", {"a": 1})


async def test_a_batch_reads_before_it_writes(store: LongtermStore) -> None:
    await store.aput(NOTES, "one", {"n": 1})

    results = await store.abatch(
        [PutOp(NOTES, "one", {"n": 2}), GetOp(NOTES, "one"), SearchOp(("ada",))]
    )

    after = await store.aget(NOTES, "one")
    assert results[0] is None
    assert [getattr(one, "value", None) for one in (results[1], after)] == [{"n": 1}, {"n": 2}]


async def test_the_user_may_be_another_label_of_the_namespace(mem: AsyncTenant) -> None:
    store = LongtermStore(mem, user_at=1)
    await store.aput(("memories", "ada", "new"), "one", {"n": 1})

    found = await store.asearch(("memories", "ada"))

    assert [one.namespace for one in found] == [("memories", "ada", "new")]
    assert [one.key for one in await mem.get_all_memory("ada")] == [
        'langgraph:["memories","new","one"]'
    ]


async def test_two_users_and_two_tenants_are_apart(
    new_tenant: Callable[[], AsyncTenant],
) -> None:
    store, foreign = LongtermStore(new_tenant()), LongtermStore(new_tenant())
    await store.aput(("ada", "notes"), "one", {"n": 1})

    for elsewhere, user_id in ((store, "bob"), (foreign, "ada")):
        assert await elsewhere.aget((user_id, "notes"), "one") is None
        assert await elsewhere.asearch((user_id,)) == []
        assert await elsewhere.alist_namespaces(prefix=(user_id,)) == []


async def test_whoever_names_no_user_is_refused(store: LongtermStore) -> None:
    for refused in (store.asearch(()), store.alist_namespaces(prefix=("*", "notes"))):
        with pytest.raises(InvalidInputError, match="must name a user"):
            await refused
    with pytest.raises(InvalidNamespaceError):
        await store.abatch([PutOp(("ada.bob", "notes"), "one", {"n": 1})])


async def test_a_secret_is_refused(store: LongtermStore) -> None:
    """c7"""
    with pytest.raises(SecretRefusedError):
        await store.aput(NOTES, "one", {"password": "hunter2-Correct-Horse"})


async def test_a_secret_is_found_by_the_namespace_and_key_it_stands_beneath(
    store: LongtermStore,
) -> None:
    """c7"""
    with pytest.raises(SecretRefusedError):
        await store.aput(NOTES, "wifi_password", {"is": "sunflower88"})
