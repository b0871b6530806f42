"""References: what a query leaves to the exchanges before it is said before the search."""

from time import process_time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from longterm.text.references import Exchange, Resolved, resolve

QUARTERS = """Here are some:

1. **Alfama** – the old town
   - steep
   - pretty
2. **Baixa**: the centre
3. Chiado (shops)

Enjoy!"""
PLANS = "Two ways:\n\nA) Take the night train\nB) Fly on Friday"
TABLE = "| Name | Price |\n|---|---|\n| Alpha | 3 |\n| Beta | 4 |\n| Gamma | 5 |"

RECENT: dict[str, list[Exchange]] = {
    "trip": [Exchange("Tell me about the Porto trip", "Sure, the trip takes three days.")],
    "quarters": [Exchange("Which quarters of Lisbon should I see?", QUARTERS)],
    "books": [Exchange("Suggest some books", "Try these:\n- *Dune*\n- Emma\n- The Hobbit")],
    "plans": [Exchange("How can I get to Rome?", PLANS)],
    "table": [Exchange("Show me the plans", TABLE)],
    "eat": [Exchange("Where could we eat?", "Try Casa Guedes, Cantina 32 or Taberna dos Arcos.")],
    "colours": [Exchange("Which colours fit?", "I would take light green, dark blue, or red.")],
    "dune": [Exchange("Who wrote Dune?", "Frank Herbert wrote Dune in 1965.")],
    "sister": [Exchange("When is my sister's birthday?", "Your sister's birthday is on 3 May.")],
    "bread": [Exchange("How do I bake sourdough bread?", "Mix flour and water, then wait.")],
    "cats": [Exchange("What do cats eat?", "Mostly meat.")],
    "two": [Exchange("Compare Rust and Go", "Rust is safer, Go is simpler.")],
    "cities": [Exchange("Should I visit Porto or Lisbon?", "Both are fine.")],
    "weather": [Exchange("What's the weather in Lisbon tomorrow?", "Sunny, 24 degrees.")],
    "bike": [Exchange("What does my new bike weigh?", "About 9 kg.")],
    "boss": [Exchange("What should I give my boss?", "A book.")],
    "film": [Exchange('Have you seen "The Third Man"?', "I know of it.")],
    "past": [Exchange("What was I reading in 2019?", "A lot of poetry.")],
    "curie": [Exchange("Who was Marie Curie?", "A physicist and chemist.")],
    "hotel": [Exchange("Is the hotel in Porto quiet?", "Yes, it is.")],
    "capital": [Exchange("What is the capital of Portugal?", "It's Lisbon.")],
    "camera": [Exchange("Recommend a good camera", "The Canon R50 is a solid choice.")],
    "dog": [Exchange("What do you know about my dog?", "Rex is a beagle.")],
    "days": [Exchange("Plan a week in Japan", "**Day 1:** Tokyo\n**Day 2:** Hakone")],
    "novel": [Exchange("I'm reading Middlemarch by George Eliot", "A wonderful novel!")],
    "password": [Exchange("How do I get in?", "1. Open settings\n2. Click on Security")],
    "detailed": [Exchange("What now?", "1. Tea\n- hot\n- green\n2. Juice\n- cold\n- sweet")],
    "faust": [Exchange("Wer hat den Faust geschrieben?", "Goethe.")],
    "gift": [Exchange("What could we bring?", "Your garden needs a bench.")],
    "chain": [
        Exchange("Tell me about Lisbon", "Lisbon is the capital."),
        Exchange("How many people live there?", "About half a million."),
    ],
    "picked": [
        Exchange("Which quarters of Lisbon should I see?", QUARTERS),
        Exchange("Tell me more about the second", "It lies by the river."),
    ],
    "thanks": [
        Exchange("Tell me about the Porto trip", "It takes three days."),
        Exchange("thanks", "You're welcome!"),
    ],
    "dom": [Exchange("Erzähl mir etwas über den Kölner Dom", "Der Dom ist eine Kirche.")],
    "alhambra": [Exchange("¿Qué sabes de la Alhambra?", "Está en Granada.")],
    "eiffel": [Exchange("Parle-moi de la tour Eiffel", "Elle est à Paris.")],
    "small talk": [Exchange("hi", "Hello!")],
    "nothing": [],
}

CHANGED = [
    ("trip", "how much does it cost?", "how much does the Porto trip cost?"),
    ("trip", "How long is it?", "How long is the Porto trip?"),
    ("trip", "Is that expensive?", "Is the Porto trip expensive?"),
    ("trip", "That sounds expensive", "The Porto trip sounds expensive"),
    ("trip", "tell me more about that", "tell me more about the Porto trip"),
    ("trip", "tell me more about this", "tell me more about the Porto trip"),
    ("trip", "How much is that one?", "How much is the Porto trip?"),
    ("trip", "Is it worth it?", "Is the Porto trip worth it?"),
    ("trip", "it's too long", "the Porto trip is too long"),
    ("trip", "What was that about?", "What was that about? [the Porto trip]"),
    ("trip", "why?", "Tell me about the Porto trip why?"),
    ("bread", "can I freeze it?", "can I freeze sourdough bread?"),
    ("bike", "how much does it cost?", "how much does my new bike cost?"),
    ("bike", "What is its range?", "What is my new bike's range?"),
    ("film", "who directed it?", 'who directed "The Third Man"?'),
    ("hotel", "how much is it?", "how much is the hotel?"),
    ("capital", "how many people live there?", "how many people live in the capital of Portugal?"),
    ("dune", "what else did he write?", "what else did Frank Herbert write?"),
    ("dune", "Is it a film?", "Is Dune a film?"),
    ("curie", "When was she born?", "When was Marie Curie born?"),
    ("curie", "who was her husband?", "who was Marie Curie's husband?"),
    ("sister", "What does she like?", "What does my sister like?"),
    ("sister", "her favourite colour?", "my sister's favourite colour?"),
    ("boss", "what does he like?", "what does my boss like?"),
    ("cats", "do they like fish?", "do cats like fish?"),
    ("two", "which of them is faster?", "which of Rust and Go is faster?"),
    ("two", "are they free?", "are Rust and Go free?"),
    ("books", "how long are they?", "how long are Dune, Emma and The Hobbit?"),
    ("books", "Which of these is shortest?", "Which of Dune, Emma and The Hobbit is shortest?"),
    ("weather", "how do I get there?", "how do I get to Lisbon?"),
    ("weather", "how many people live there?", "how many people live in Lisbon?"),
    ("hotel", "What can I do there in May?", "What can I do in Porto in May?"),
    ("past", "Where was I living then?", "Where was I living in 2019?"),
    ("past", "What has changed since then?", "What has changed since 2019?"),
    ("thanks", "how long is it?", "how long is the Porto trip?"),
    ("picked", "how old is it?", "how old is Baixa?"),
    ("quarters", "the second", "Baixa"),
    ("quarters", "The second one, please.", "Baixa, please."),
    ("quarters", "Tell me more about the second option", "Tell me more about Baixa"),
    ("quarters", "number 3", "Chiado"),
    ("quarters", "What does #2 cost?", "What does Baixa cost?"),
    ("quarters", "3", "Chiado"),
    ("quarters", "the last one", "Chiado"),
    ("quarters", "compare the first two", "compare Alfama and Baixa"),
    ("quarters", "Is the 2nd better than the 3rd?", "Is Baixa better than Chiado?"),
    ("quarters", "the third quarter", "Chiado"),
    ("quarters", "what about the last one?", "Which quarters of Lisbon should I see? (Chiado)"),
    ("books", "tell me about the first book", "tell me about Dune"),
    ("books", "who wrote the last one?", "who wrote The Hobbit?"),
    ("plans", "option B", "Fly on Friday"),
    ("plans", "how long does the former take?", "how long does Take the night train take?"),
    ("table", "the second", "Beta"),
    ("eat", "is the third open on Sunday?", "is Taberna dos Arcos open on Sunday?"),
    ("eat", "the first one", "Casa Guedes"),
    ("colours", "why the second?", "why dark blue?"),
    ("cities", "the latter", "Lisbon"),
    ("quarters", "what you said about Alfama", "what the assistant said about Alfama"),
    ("quarters", "the quarter you mentioned", "the quarter the assistant mentioned"),
    ("trip", "what did you say about hotels?", "what did the assistant say about hotels?"),
    (
        "trip",
        "your earlier suggestion",
        "the assistant's earlier suggestion [Tell me about the Porto trip]",
    ),
    ("bread", "continue", "How do I bake sourdough bread?"),
    ("bread", "Go on!", "How do I bake sourdough bread?"),
    ("bread", "tell me more", "How do I bake sourdough bread?"),
    ("bread", "and?", "How do I bake sourdough bread?"),
    ("bread", "What about pizza?", "How do I bake pizza?"),
    ("cats", "how about dogs?", "What do dogs eat?"),
    ("weather", "and in Porto?", "What's the weather in Porto tomorrow?"),
    ("weather", "what about next week?", "What's the weather in Lisbon next week?"),
    ("weather", "same for Madrid", "What's the weather in Madrid tomorrow?"),
    ("weather", "What about umbrellas?", "What's the weather in Lisbon tomorrow? (umbrellas)"),
    ("sister", "what about my brother?", "When is my brother's birthday?"),
    ("chain", "and in Porto?", "How many people live in Porto?"),
    ("chain", "how big is it?", "how big is Lisbon?"),
    ("camera", "Does it have wifi?", "Does the Canon R50 have wifi?"),
    ("camera", "What about the Sony A6400?", "Recommend the Sony A6400"),
    ("dog", "When is his birthday?", "When is my dog's birthday?"),
    ("days", "swap the first two", "swap Tokyo and Hakone"),
    ("days", "How do I get around there?", "How do I get around in Japan?"),
    ("novel", "When was it written?", "When was Middlemarch written?"),
    ("password", "step 2 is missing", "Click on Security is missing"),
    ("detailed", "the second one", "Juice"),
    ("detailed", "the last one, please", "Juice, please"),
    ("faust", "was kostet das?", "was kostet den Faust?"),
    ("gift", "How big is it?", "How big is my garden?"),
    ("quarters", "das zweite", "Baixa"),
    ("quarters", "la segunda opción", "Baixa"),
    ("quarters", "la deuxième", "Baixa"),
    ("dom", "weiter", "Erzähl mir etwas über den Kölner Dom"),
    ("dom", "Wie alt ist es?", "Wie alt ist den Kölner Dom?"),
    ("alhambra", "continúa", "¿Qué sabes de la Alhambra?"),
    ("alhambra", "¿cuánto cuesta eso?", "¿cuánto cuesta la Alhambra?"),
    ("eiffel", "continue", "Parle-moi de la tour Eiffel"),
    ("eiffel", "combien ça coûte ?", "combien la tour Eiffel coûte ?"),
]

UNCHANGED = [
    *(
        ("trip", query)
        for query in """
            it is raining
            It's raining again
            Is it raining in Rome?
            Will it rain tomorrow?
            What time is it?
            What day is it today?
            Is it possible to fly with a dog?
            Is it true that cats sleep all day?
            Is it OK if I bring a friend?
            It would be nice to see the sea
            It seems that prices rise
            How long does it take to learn Spanish?
            How much does it cost to park?
            How's it going?
            It depends on the price
            got it
            that's it
            That's great
            That is all, thanks
            I think that we should go by train
            I know that Anna likes tea
            Remind me that the rent is due
            The book that I read was good
            I hope that works
            Is that so?
            Is there a bus to Braga?
            There is a bus to Braga
            Are there any vegan places in Rome?
            Hi there
            this week's plan
            What is on this weekend?
            this morning I met Paul
            those shoes I bought in Rome
            I bought a bike, is it good?
            My phone is broken, can you fix it?
            Paul has a cold, how can I help him?
            Translate this: it is late
            What does "it" mean?
            what is `that` in JavaScript?
            Who said 'that one is mine'?
            fix https://example.com/it/that
            What is photosynthesis?
            Which wine goes with fish?
            My name is Ada
            thanks
            ok
            hello
            Then I went home
            If that fails, then what happens to the server?
            What should I do then?
            Do it like that
            Forget it
            Who is she?
            the second option
            How about we go out tonight?
            and you?
            ¿cómo te va?
            Wie geht es dir?
            ça va ?
            por eso
        """.strip().split("\n")
    ),
    *(
        ("quarters", query)
        for query in """
            What was the second world war about?
            the first time I went to Rome
            on the second of May
            Who was the first to climb Everest?
            my second child
            the last week of June
            option 4
            the tenth
            99
            issue #12
            Wait a second
            First, boil the water
            la segunda guerra mundial
            das erste Mal in Rom
            at last
            the former president of France
        """.strip().split("\n")
    ),
    *(
        ("nothing", query)
        for query in ("continue", "what about Porto?", "the second", "Is it far?", "why?", "1")
    ),
    ("two", "is it fast?"),
    ("camera", "Is there a cheaper one?"),
    ("camera", "thanks, that helps"),
    ("camera", "What's the difference between RAW and JPEG?"),
    ("camera", "My budget is 500 euros"),
    ("dog", "I also have a cat"),
    ("days", "add Osaka"),
    ("novel", "Do you know that book?"),
    ("novel", "recommend something similar"),
    ("password", "what if I forgot my email?"),
    ("password", "that didn't help"),
    ("faust", "Es regnet"),
    ("faust", "Ich glaube, dass es stimmt"),
    ("dune", "is she alive?"),
    ("sister", "is he older?"),
    ("small talk", "how much does it cost?"),
    ("small talk", "continue"),
    ("cats", "the second one"),
    ("bread", ""),
    ("bread", "  \n"),
]


@pytest.mark.parametrize(("recent", "query", "expected"), CHANGED)
def test_a_reference_is_made_explicit(recent: str, query: str, expected: str) -> None:
    resolved = resolve(query, RECENT[recent])

    assert resolved.query == expected
    assert resolved.changed
    assert resolved.because


@pytest.mark.parametrize(
    ("recent", "query"), [(name, query.strip(" ")) for name, query in UNCHANGED]
)
def test_what_refers_to_nothing_stays_as_it_is(recent: str, query: str) -> None:
    assert resolve(query, RECENT[recent]) == Resolved(query, changed=False, because="")


def test_the_examples_are_as_many_as_promised_and_half_of_them_stay() -> None:
    assert len(CHANGED) + len(UNCHANGED) >= 120
    assert len(UNCHANGED) >= len(CHANGED)


def test_the_reason_names_what_stands_for_what() -> None:
    assert resolve("Is it far?", RECENT["trip"]).because == 'it → "the Porto trip"'


def test_only_the_last_ten_exchanges_are_looked_at() -> None:
    recent = [*RECENT["quarters"], *RECENT["cats"] * 10]

    assert resolve("the second one", recent[:10]).query == "Baixa"
    assert not resolve("the second one", recent).changed


# Words that make references likely: random text seldom has one.
LIKELY = """
    it that this those they them he she her there then the second option #2 number 3 last one
    former latter what about why continue and in Porto Lisbon Anna my sister you said mentioned is
    was does cost live of a book books your earlier suggestion ? , . ! : " ' ` [ ] das zweite la
    segunda es eso ça same for more tell me 1. - | how Dune or 2019 tomorrow's
"""
WORDS = st.sampled_from([*LIKELY.split(), "\n"])
TEXTS = st.text(max_size=200) | st.lists(WORDS, max_size=20).map(" ".join)
EXCHANGES = st.lists(st.builds(Exchange, TEXTS, TEXTS), max_size=4) | st.sampled_from(
    list(RECENT.values())
)


@settings(max_examples=600)
@given(query=TEXTS, recent=EXCHANGES)
@example(query="Is th\u0131s the \u017fecond one or \u0130t?", recent=RECENT["quarters"])
@example(query="the la\u017ft thrEE", recent=RECENT["quarters"])
@example(query="the second one", recent=[Exchange("x", "1. the second one\n2. the first one")])
def test_a_resolved_query_has_nothing_left_to_resolve(query: str, recent: list[Exchange]) -> None:
    once = resolve(query, recent)

    assert resolve(once.query, recent) == Resolved(once.query, changed=False, because="")
    assert once.changed == (once.query != query)
    assert once.changed == bool(once.because)


@given(query=TEXTS)
def test_without_recent_exchanges_nothing_changes(query: str) -> None:
    assert resolve(query, []) == Resolved(query, changed=False, because="")


@given(query=TEXTS, recent=EXCHANGES)
def test_the_same_input_gives_the_same_result(query: str, recent: list[Exchange]) -> None:
    assert resolve(query, recent) == resolve(query, tuple(recent))


LENGTHY = [
    "it ", "the second ", '"', "[", "(", "'", "“", "«a", "`", "#1 ", "A, B or C ", "Aa ", "Aa of ",
    "- x\n", "1. x\n", "| a |\n", "a" , "the ", "what you said ", "what about ", ".", " ", "\n",
    "my sister's ", "1. ", "**", "in 2019 ", "Is it a ", "A or ", ", ", "x:", "é", "    - ",
]  # fmt: skip


@pytest.mark.parametrize("piece", LENGTHY)
def test_time_grows_no_faster_than_the_text(piece: str) -> None:
    long = (piece * (100_000 // len(piece) + 1))[:100_000]
    recent = [Exchange(long, long)] * 4

    start = process_time()
    for query in (long, long[:399], "Is it the second one?", "what about Porto?", "then?"):
        resolve(query, recent)

    # It takes a quarter of a second; what looks at everything from every place takes minutes.
    assert process_time() - start < 20
