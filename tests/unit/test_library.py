"""The library's own switches."""

import pytest

from longterm import AsyncLongterm, InvalidInputError, Longterm, SetupError


async def test_an_unknown_model_is_refused_with_those_that_are_allowed() -> None:
    with pytest.raises(InvalidInputError, match="anthropic:MODEL"):
        await AsyncLongterm(llm="gpt").open()
    with pytest.raises(InvalidInputError, match="ollama:MODEL"):
        await AsyncLongterm(embedder="word2vec").open()


async def test_a_model_without_its_key_is_refused_with_the_variable_that_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY"):
        await AsyncLongterm(llm="anthropic:claude").open()


def test_a_library_that_is_not_open_says_so() -> None:
    with pytest.raises(RuntimeError, match="context manager"):
        Longterm().tenant(1)


def test_a_library_can_be_opened_twice_in_a_row(conninfo: str) -> None:
    library = Longterm(conninfo, llm="offline", embedder="local")
    for _ in range(2):
        with library as lt:
            lt.tenant(1).count_messages("ada")
