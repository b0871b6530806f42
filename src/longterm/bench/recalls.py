"""Recall against its floor: embedding the query, and the plain SQL of the vector search alone."""

import asyncio
import itertools
import random
import time
from collections.abc import Iterator, Sequence

import numpy as np

from longterm.bench.data import TENANT, Admin, make_users
from longterm.bench.report import Row, row
from longterm.bench.setting import Bench
from longterm.bench.timing import Timed
from longterm.memory.operations import Parts
from longterm.providers.embedder import Embedder
from longterm.records.ids import new_id
from longterm.store.passages import literal

_VECTORS = 2000
_WORDS = 5000
_WORDS_OF_A_QUERY = 6

VECTORS = "CREATE TABLE public.bench_vectors (n integer PRIMARY KEY, vector halfvec NOT NULL)"

ADD_VECTORS = """
    INSERT INTO public.bench_vectors (n, vector)
    SELECT n - 1, vector::halfvec
      FROM unnest(%(vectors)s::text[]) WITH ORDINALITY AS made (vector, n)
"""

GENERATION = """
    INSERT INTO longterm.generations (tenant_id, id, model, dimensions, state)
    VALUES (%(tenant_id)s, 1, %(model)s, %(dimensions)s, 'serving')
        ON CONFLICT DO NOTHING
"""

CONVERSATION = """
    INSERT INTO longterm.conversations (tenant_id, id, user_id, kind, turn_count)
    VALUES (%(tenant_id)s, %(id)s, %(user_id)s, 'conversation', %(passages)s)
"""

# Words of a made-up language, some common and most rare, as words are.
MESSAGES = """
    INSERT INTO longterm.messages (tenant_id, conversation_id, user_id, turn, role, content)
    SELECT %(tenant_id)s, %(id)s, %(user_id)s, turn, 'user',
           (SELECT string_agg('w' || floor(power(random(), 2.5) * %(words)s)::text, ' ')
              FROM generate_series(1, 16 + turn * 0))
      FROM generate_series(1, %(passages)s) AS turn
"""

PASSAGES = """
    INSERT INTO longterm.passages (tenant_id, user_id, kind, conversation_id, message_id, place,
                                   length, said_at, embedded)
    SELECT tenant_id, user_id, 'turn', conversation_id, id, turn, 16, said_at, true
      FROM longterm.messages
     WHERE tenant_id = %(tenant_id)s
       AND user_id = ANY(%(user_ids)s)
"""

POSTINGS = """
    INSERT INTO longterm.postings (tenant_id, user_id, term, passage_id, kind, times, length)
    SELECT passages.tenant_id, passages.user_id, term, passages.id, 'turn', count(*), 16
      FROM longterm.passages
      JOIN longterm.messages
        ON messages.tenant_id = passages.tenant_id
       AND messages.id = passages.message_id,
           unnest(string_to_array(messages.content, ' ')) AS term
     WHERE passages.tenant_id = %(tenant_id)s
       AND passages.user_id = ANY(%(user_ids)s)
     GROUP BY passages.tenant_id, passages.user_id, passages.id, term
"""

EMBEDDINGS = """
    INSERT INTO longterm.embeddings (tenant_id, user_id, passage_id, generation, part, kind,
                                     said_at, dimensions, embedding)
    SELECT tenant_id, user_id, id, 1, 0, 'turn', said_at, %(dimensions)s, vector
      FROM longterm.passages
      JOIN public.bench_vectors
        ON n = id %% %(vectors)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = ANY(%(user_ids)s)
"""

COUNTS = """
    UPDATE longterm.users
       SET passage_count = %(passages)s,
           word_count = 16 * %(passages)s
     WHERE tenant_id = %(tenant_id)s
       AND user_id = ANY(%(user_ids)s)
"""

INDEXED = """
    UPDATE longterm.conversations
       SET indexed_through = (SELECT max(id)
                                FROM longterm.messages
                               WHERE tenant_id = conversations.tenant_id
                                 AND conversation_id = conversations.id)
     WHERE tenant_id = %(tenant_id)s
       AND user_id = ANY(%(user_ids)s)
"""

CROWD = """
    SELECT array_agg(user_id)
      FROM longterm.users
     WHERE tenant_id = %(tenant_id)s
       AND user_id LIKE 'crowd-%%'
"""

FLOOR = """
    SELECT passage_id, embedding <#> %(vector)s::halfvec AS distance
      FROM longterm.embeddings
     WHERE tenant_id = %(tenant_id)s
       AND user_id = %(user_id)s
       AND generation = 1
       AND dimensions = %(dimensions)s
     ORDER BY distance
     LIMIT 10
"""


async def measure(bench: Bench, parts: Parts) -> list[Row]:
    """Recall for users of growing size, alone and amid a crowd."""
    embedder = parts.embedders.current
    dimensions = (await embedder.embed(["ready"])).shape[1]
    sizes = bench.sizes.passages_of_users
    bench.progress.start("storing passages", len(sizes) + 1)
    await prepare(bench.admin, embedder.name, dimensions)
    for size in sizes:
        await store(bench.admin, _user(size), size, dimensions)
        bench.progress.step()
    await settle(bench.admin)
    # The best that plain SQL can do.
    await bench.admin.execute("SET plan_cache_mode = force_custom_plan")
    await bench.admin.execute("SET random_page_cost = 1.1")
    await bench.admin.execute("SET max_parallel_workers_per_gather = 0")
    # One after the other for all sizes: a query that comes twice finds its vector ready.
    queries = queries_without_end()
    rows: list[Row] = []
    alone: dict[int, list[float]] = {}
    for size, limit in zip(sizes, (2.0, 2.0, 1.5), strict=False):
        ours, floor, ranking = await _pair(bench, embedder, size, queries)
        alone[size] = ours
        rows.append(
            row("recall", f"{size:,} passages", "embedding + SQL", ours, floor, limit=limit)
        )
        rows.append(
            row("ranking and text", f"{size:,} passages", "the whole recall", ranking, ours)
        )
    middle = sizes[len(sizes) // 2]
    await _store_crowd(bench.admin, dimensions)
    await settle(bench.admin)
    bench.progress.step()
    ours, floor, _ = await _pair(bench, embedder, middle, queries)
    crowd = f"{middle:,} passages amid a crowd"
    rows.append(row("recall", crowd, "embedding + SQL", ours, floor, limit=2.0))
    rows.append(row("recall", crowd, "the same alone", ours, alone[middle], limit=1.2))
    return rows


async def _pair(
    bench: Bench, embedder: Embedder, size: int, queries: Iterator[str]
) -> tuple[list[float], list[float], list[float]]:
    user_id = _user(size)
    ranking: list[float] = []

    async def ours() -> None:
        found = await bench.mem.recall(user_id, next(queries))
        ranking.append(found.timings_ms["rank"])

    async def floor() -> Timed:
        # Another query, so that nobody finds its vector ready.
        query = next(queries)
        begun = time.perf_counter()
        vector = literal((await embedder.embed([query]))[0])
        values = {
            "tenant_id": TENANT,
            "user_id": user_id,
            "vector": vector,
            "dimensions": embedder.dimensions,
        }
        await (await bench.admin.execute(FLOOR, values)).fetchall()
        return Timed((time.perf_counter() - begun) * 1000)

    rounds = bench.sizes.recall_rounds
    whole, least = await bench.pair(f"recall of {size:,}", rounds, ours=ours, theirs=floor)
    # The first rounds are not counted.
    return whole, least, ranking[-len(whole) :]


async def prepare(admin: Admin, model: str, dimensions: int) -> None:
    """Make the vectors that passages get, and their generation."""
    made = np.random.default_rng(1).normal(size=(_VECTORS, dimensions)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    vectors = await asyncio.to_thread(lambda: [literal(vector) for vector in made])
    await admin.execute("SET search_path = longterm, public")
    await admin.execute(VECTORS)
    await admin.execute(ADD_VECTORS, {"vectors": vectors})
    values = {"tenant_id": TENANT, "model": model, "dimensions": dimensions}
    await admin.execute(GENERATION, values)


async def store(admin: Admin, user_id: str, size: int, dimensions: int) -> None:
    """Store a user with that many passages, ready to be searched."""
    await make_users(admin, [user_id])
    values = {
        "tenant_id": TENANT,
        "id": new_id(),
        "user_id": user_id,
        "passages": size,
        "words": _WORDS,
    }
    for statement in (CONVERSATION, MESSAGES):
        await admin.execute(statement, values)
    await index(admin, [user_id], size, dimensions)


async def index(admin: Admin, user_ids: Sequence[str], size: int, dimensions: int) -> None:
    """Let be found what users have said, as if a worker had gone through it; each has `size`."""
    values = {
        "tenant_id": TENANT,
        "user_ids": list(user_ids),
        "passages": size,
        "vectors": _VECTORS,
        "dimensions": dimensions,
    }
    for statement in (PASSAGES, POSTINGS, EMBEDDINGS, COUNTS, INDEXED):
        await admin.execute(statement, values)


async def _store_crowd(admin: Admin, dimensions: int) -> None:
    found = await (await admin.execute(CROWD, {"tenant_id": TENANT})).fetchone()
    crowd: list[str] = found[0] if found else []
    values = {
        "tenant_id": TENANT,
        "user_ids": crowd,
        "vectors": _VECTORS,
        "dimensions": dimensions,
    }
    for statement in (PASSAGES, EMBEDDINGS):
        await admin.execute(statement, values)


async def settle(admin: Admin) -> None:
    """Let the planner know what there is."""
    for table in ("passages", "postings", "embeddings", "messages", "users"):
        await admin.execute(f"VACUUM (ANALYZE) longterm.{table}".encode())


def queries_without_end() -> Iterator[str]:
    """Different queries without end, each of a few words, mostly rare ones."""
    draw = random.Random(7)
    for number in itertools.count():
        words = [f"w{int(draw.random() ** 2.5 * _WORDS)}" for _ in range(_WORDS_OF_A_QUERY)]
        yield f"what about {' '.join(words)} number {number}?"


def _user(size: int) -> str:
    return f"user-of-{size}-passages"
