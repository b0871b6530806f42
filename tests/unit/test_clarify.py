"""b5: "which one?" is asked where a question about one thing fits several known things."""

import pytest

from longterm.chat import clarify
from tests.dialogues.evaluation import fact

ASKED = [
    ("How old is my cousin?", ["my cousin Arjun is 27", "my cousin Karthik is 34"]),
    ("How old is my cat?", ["I have two cats, Momo and Kiki"]),
    ("When is my sister's birthday?", ["Ana is my sister", "Bea is my sister"]),
    ("What's the wifi password?", ["The wifi password at home is a1", "The wifi password at work is b2"]),
    ("How much RAM does my laptop have?", ["My work laptop is a Dell", "My private laptop is a Mac"]),
    ("Wann ist mein Termin?", ["Mein Zahnarzttermin ist am 3. Mai", "Der Termin beim Amt ist morgen"]),
    ("¿A qué hora es mi clase?", ["Tengo clase de español a las 20", "La clase de natación es a las 9"]),
    ("When do I have to be at the hospital?", ["My eye clinic is on 3 May", "The physio is on 9 May"]),
]  # fmt: skip
NOT_ASKED = [
    ("How do I get to work?", ["I cycle to work", "On rainy days I take the tram to work"]),
    ("How old is my sister?", ["My sister Ana lives in Porto", "My sister has two kids"]),
    ("How old is my sister Ana?", ["My sister Ana is a nurse", "My sister Bea is a cook"]),
    ("Are my sisters coming?", ["My sister Ana is a nurse", "My sister Bea is a cook"]),
    ("When is my birthday?", ["Emma's birthday is 3 May", "Clara's birthday is 9 June"]),
    ("Whose birthday is next?", ["Emma's birthday is 3 May", "Clara's birthday is 9 June"]),
    ("When is my trip?", ["I am flying to Porto on 3 May", "The train back from Porto is on 9 May"]),
    ("When was the French Revolution?", ["I was born on 3 May 1980", "I moved to Graz in 2004"]),
    ("How much is the rent in total?", ["The flat rent is 900", "The garage rent is 60"]),
]  # fmt: skip


@pytest.mark.parametrize(("query", "memory"), ASKED)
def test_things_of_one_kind_are_offered(query: str, memory: list[str]) -> None:
    offered = clarify.options(query, [fact(text) for text in memory], ())

    assert len(offered) == 2
    assert clarify.still_known(offered, [fact(text) for text in memory], ()) == tuple(offered)


@pytest.mark.parametrize(("query", "memory"), NOT_ASKED)
def test_nothing_is_offered_where_the_question_has_one_answer(
    query: str, memory: list[str]
) -> None:
    assert clarify.options(query, [fact(text) for text in memory], ()) == []
