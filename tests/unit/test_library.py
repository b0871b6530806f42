"""The library's own switches."""

import pytest

from longterm import AsyncLongterm, InvalidInputError, Longterm


@pytest.mark.parametrize("kind", [Longterm, AsyncLongterm])
def test_a_model_that_is_not_there_yet_is_refused(
    kind: type[Longterm] | type[AsyncLongterm],
) -> None:
    kind(llm="offline")

    with pytest.raises(InvalidInputError, match="offline"):
        kind(llm="openai:gpt")
    with pytest.raises(InvalidInputError, match="embedder"):
        kind(embedder="local")


def test_a_library_that_is_not_open_says_so() -> None:
    with pytest.raises(RuntimeError, match="context manager"):
        Longterm().tenant(1)


def test_a_library_can_be_opened_twice_in_a_row(conninfo: str) -> None:
    library = Longterm(conninfo)
    for _ in range(2):
        with library as lt:
            lt.tenant(1).count_messages("ada")
