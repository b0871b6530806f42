"""Recall: what must be in every context, and what must never be in any."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longterm import AsyncTenant
from longterm.records.passage import KINDS, Kind
from longterm.records.scope import Scope
from longterm.runtime import Runtime
from longterm.text import tokens
from tests.memory.test_recall import tell
from tests.outside import Raw, expire

relaxed = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Words that are stored, questions about them, and whatever people type.
query = st.one_of(
    st.sampled_from(
        ["name", "what do I eat?", "nothing", "the secret word", 'say "xyzzy"', "last Tuesday", "1"]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=80
    ).filter(lambda text: bool(text.strip())),
)


@dataclass
class _Prepared:
    """A memory that all examples share; they only read it."""

    mem: AsyncTenant | None = None
    hidden: list[str] = field(default_factory=list[str])


_known, _foreign = _Prepared(), _Prepared()


@relaxed
@given(query=query, budget=st.integers(200, 3000))
async def test_a_stored_name_diet_or_instruction_is_in_the_context_of_every_query(
    runtime: Runtime, new_tenant_id: Callable[[], int], query: str, budget: int
) -> None:
    """e6: 100 %."""
    if _known.mem is None:
        _known.mem = runtime.tenant(Scope(new_tenant_id()))
        await tell(_known.mem, "My name is Alexander.", "I am vegan.", "Always answer in French.")
        await tell(_known.mem, *(f"On day {day} it rained and I read a book." for day in range(60)))

    found = await _known.mem.recall("ada", query, budget_tokens=budget)

    assert all(words in found.text for words in ("Alexander", "vegan", "French"))
    assert tokens.count(found.text) == found.tokens <= budget


@relaxed
@given(query=query, kinds=st.lists(st.sampled_from(KINDS), min_size=1))
async def test_nothing_that_is_anothers_or_was_put_away_is_ever_found(
    runtime: Runtime, raw: Raw, new_tenant_id: Callable[[], int], query: str, kinds: list[Kind]
) -> None:
    if _foreign.mem is None:
        tenant_id = new_tenant_id()
        _foreign.mem = runtime.tenant(Scope(tenant_id))
        await _hide(_foreign.mem, runtime.tenant(Scope(new_tenant_id())), raw)

    found = await _foreign.mem.recall("ada", query, limit=100, budget_tokens=20_000, kinds=kinds)

    assert "xyzzy" not in repr(found.items) + repr(found.facts) + found.text


async def _hide(mem: AsyncTenant, other: AsyncTenant, raw: Raw) -> None:
    """Store the secret word in every place from which it must not come back."""
    words = "My name is xyzzy. The secret word is xyzzy, what do I eat? I eat xyzzy."
    await tell(mem, "Nothing to see here.", "I eat soup.")
    await tell(mem, words, user_id="bob")
    await tell(other, words)
    archived, expired, gone = await tell(mem, words), await tell(mem, words), await tell(mem, words)
    await mem.update_conversation("ada", archived, archived=True)
    await expire(raw, expired)
    await mem.delete_conversation("ada", gone)
    trimmed = await mem.create_conversation("ada")
    message = await mem.add_message("ada", "user", words, conversation_id=trimmed.id)
    await mem.digest(trimmed.id)
    await mem.delete_message(message)
    for fact in await mem.list_facts("ada"):
        if "xyzzy" in fact.content:
            await mem.deactivate_fact("ada", fact.id)
    kept = await mem.add_fact("ada", "The secret fact is xyzzy", importance=1.0)
    await mem.embed("ada")
    await mem.update_fact("ada", kept.id, archived=True)
