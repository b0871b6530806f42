"""b6: what a query takes from the exchanges before it is added before the search."""

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longterm.text.references import Exchange, Resolved, resolve

QUARTERS = """Here are some:

1. **Alfama** – the old town
   - steep
   - pretty
2. **Baixa**: the centre
3. Chiado (shops)

Enjoy!"""
TABLE = (
    "| | Niro | Kona |\n|---|---|---|\n| Price | €39,000 | €36,500 |\n| Range | 460 km | 480 km |"
)
HIKES = "1. Brocken, 16 km\n2. Bodetal von Thale aus, 10 km\n3. Rabenklippe, 8 km"

RECENT: dict[str, list[Exchange]] = {
    "trip": [Exchange("Tell me about the Porto trip", "Sure, the trip takes three days.")],
    "quarters": [Exchange("Which quarters of Lisbon should I see?", QUARTERS)],
    "books": [Exchange("Suggest some books", "Try these:\n- *Dune*\n- Emma\n- The Hobbit")],
    "cars": [Exchange("Compare them", TABLE)],
    "two": [Exchange("A Kia Niro or a Hyundai Kona?", "The Niro is bigger, the Kona is nicer.")],
    "dune": [Exchange("Who wrote Dune?", "It was Frank Herbert, in 1965.")],
    "sister": [Exchange("When is my sister Ana free?", "She is free on Monday.")],
    "bread": [Exchange("How do I bake sourdough bread?", "Mix flour and water. Let it rest.")],
    "weather": [Exchange("What's the weather in Lisbon tomorrow?", "Sunny, 24 degrees.")],
    "naps": [Exchange("How many naps at 4 months?", "Four."), Exchange("ok", "Fine.")],
    "story": [Exchange("Tell me a story about a bus", "Once upon a time … Shall I go on?")],
    "picked": [
        Exchange("Which quarters of Lisbon should I see?", QUARTERS),
        Exchange("Tell me more about the second", "It lies by the river."),
    ],
    "other topic": [
        Exchange("How loud may white noise be?", "Keep the noise below 50 dB at the cot."),
        Exchange("My build takes 20 minutes", "Cache the layers."),
    ],
    "letter": [
        Exchange(
            "Write to my landlord about the heating", "Here is a draft:\n" + "Dear Sir. " * 40
        ),
        Exchange("Where do I send it?", "To his office."),
    ],
    "wanderungen": [Exchange("Drei Wanderungen im Harz bitte", HIKES)],
    "kalk": [Exchange("Wie entferne ich Kalk?", "Mit Essig oder Zitronensäure.")],
    "gratin": [Exchange("Comment faire un gratin dauphinois ?", "Avec de la crème, au four.")],
    "norma": [Exchange("Come si fa la pasta alla norma?", "Con melanzane e ricotta salata.")],
    "visado": [Exchange("¿Qué visados hay?", "1. Nómada digital\n2. Tarjeta azul")],
    "praia": [Exchange("Qual é a melhor praia?", "Para crianças, Carcavelos.")],
    "small talk": [Exchange("hi", "Hello!")],
    "nothing": [],
}

ADDED = [
    ("quarters", "the second", "Baixa"),
    ("quarters", "Tell me more about the second option", "Baixa"),
    ("quarters", "number 3", "Chiado"),
    ("quarters", "the last one", "Chiado"),
    ("quarters", "compare the first two", "Alfama; Baixa"),
    ("quarters", "the third quarter", "Chiado"),
    ("books", "who wrote the last one?", "The Hobbit"),
    ("cars", "what does the cheaper one weigh?", "Kona"),
    ("two", "what colours does the bigger one have?", "Niro"),
    ("two", "which of those is safer?", "Hyundai Kona"),
    ("trip", "how much does it cost?", "Porto trip"),
    ("trip", "Is that expensive?", "Porto trip"),
    ("trip", "why?", "Porto trip"),
    ("dune", "what else did he write?", "Frank Herbert"),
    ("dune", "Is it a film?", "Dune"),
    ("sister", "what does she like?", "Ana"),
    ("weather", "and in Porto?", "weather"),
    ("weather", "same for Madrid", "weather"),
    ("weather", "how do I get there?", "Lisbon"),
    ("bread", "continue", "sourdough"),
    ("bread", "tell me more", "sourdough"),
    ("bread", "What about pizza?", "bake sourdough"),
    ("bread", "why does it rest?", "Let it rest"),
    ("naps", "and at 6?", "naps at 6 months"),
    ("story", "yes please", "story about a bus"),
    ("picked", "how old is it?", "Baixa"),
    ("other topic", "what did you say about the noise?", "below 50 dB"),
    ("letter", "make it shorter", "heating"),
    ("wanderungen", "Ist die zweite schwer?", "Bodetal"),
    ("wanderungen", "die kürzeste klingt gut", "Rabenklippe"),
    ("kalk", "Wie lange muss das einwirken?", "Kalk"),
    ("kalk", "weiter", "Kalk"),
    ("gratin", "Je peux le congeler ?", "gratin"),
    ("norma", "posso congelarla?", "norma"),
    ("visado", "¿cuánto tarda el primero?", "Nómada digital"),
    ("praia", "e como chego lá?", "Carcavelos"),
]

UNCHANGED = [
    *(
        ("trip", query)
        for query in """
            It's raining again
            Is it raining in Rome?
            What time is it?
            Is it possible to fly with a dog?
            Is it true that cats sleep all day?
            How long does it take to learn Spanish?
            How much does it cost to park?
            That said, how do I sharpen old secateurs?
            By the way, is that shop in Rome any good?
            Is there a bus to Braga?
            Are there any vegan places in Rome?
            What is on this weekend?
            I bought a bike, is it good?
            My phone is broken, can you fix it?
            What does "it" mean?
            what is `that` in JavaScript?
            fix https://example.com/it/that
            What is photosynthesis?
            thanks
            ok
            hello
            Thanks, that's all!
            How are you?
            Wie viele Einwohner hat Wien?
            Il fait quel temps à Nantes ?
        """.strip().split("\n")
    ),
    *(
        ("quarters", query)
        for query in """
            What was the second world war about?
            the first time I went to Rome
            on the second of May
            my second child
            Wait a second
            First, boil the water
        """.strip().split("\n")
    ),
    *(("nothing", query) for query in ("continue", "the second", "Is it far?", "why?", "1")),
    ("small talk", "how much does it cost?"),
    ("bread", ""),
    ("bread", "  \n"),
]


@pytest.mark.parametrize(("recent", "query", "expected"), ADDED)
def test_what_a_query_refers_to_is_added_in_brackets(
    recent: str, query: str, expected: str
) -> None:
    resolved = resolve(query, RECENT[recent])

    assert resolved.changed
    assert resolved.query.startswith(f"{query} [")
    assert expected in resolved.query


@pytest.mark.parametrize(
    ("recent", "query"), [(name, query.strip(" ")) for name, query in UNCHANGED]
)
def test_a_query_that_stands_alone_is_not_changed(recent: str, query: str) -> None:
    assert resolve(query, RECENT[recent]) == Resolved(query, changed=False)


def test_the_options_that_were_not_chosen_are_not_added() -> None:
    resolved = resolve("Is the second one hilly?", RECENT["quarters"])

    assert "Alfama" not in resolved.query
    assert "Chiado" not in resolved.query


def test_only_the_last_ten_exchanges_are_looked_at() -> None:
    recent = [*RECENT["quarters"], *RECENT["weather"] * 10]

    assert "Baixa" in resolve("the second one", recent[:10]).query
    assert "Baixa" not in resolve("the second one", recent).query


LIKELY = st.sampled_from(
    [
        "it",
        "that",
        "she",
        "there",
        "then",
        "the",
        "second",
        "option",
        "#2",
        "last",
        "why",
        "1.",
        "|",
    ]
)
TEXTS = st.text(max_size=80) | st.lists(LIKELY, max_size=12).map(" ".join)
EXCHANGES = st.lists(st.builds(Exchange, TEXTS, TEXTS), max_size=4)


@settings(max_examples=300)
@given(query=TEXTS, recent=EXCHANGES)
def test_a_query_keeps_its_own_words(query: str, recent: list[Exchange]) -> None:
    resolved = resolve(query, recent)

    assert resolved.query.startswith(query)
    assert resolved.changed == (resolved.query != query)


LENGTHY = [
    "it ", "the second ", '"', "[", "(", "'", "“", "«a", "`", "```\n", "#1 ", "A, B or C ", "Aa ",
    "Aa of ", "- x\n", "1. x\n", "| a |\n", "|", "a" , "the ", "what you said ", ".", " ", "\n",
    "my sister's ", "1. ", "**", "in 2019 ", "it is a ", "A or ", ", ", "x:", "é", "    - ", "1 ",
    "1,", "between a ", "he ", "es zu ", "€1",
]  # fmt: skip


@pytest.mark.parametrize("piece", LENGTHY)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    def seconds(length: int) -> float:
        long = (piece * (length // len(piece) + 1))[:length]
        recent = [Exchange(long, long)] * 4
        start = process_time()
        for query in (long[:399], "Is it the second one?", "the cheaper one?", "what did you say?"):
            resolve(query, recent)
        return process_time() - start

    seconds(100)
    # A quadratic step takes 64 times as long for a text 8 times as long.
    assert seconds(80_000) < 30 * max(seconds(10_000), 0.01)
