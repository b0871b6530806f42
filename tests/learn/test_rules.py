"""What the rules learn from labelled messages, and what they must never learn from."""

import json
import re
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longterm.learn.rules import PAGE, extract
from longterm.learn.rules.masking import LOOKED_AT, own_words
from longterm.records.proposal import Proposal

LABELLED = Path(__file__).parent / "labelled"
ARTICLES = {"a", "an", "the", "my", "some", "le", "la", "les", "el", "los", "der", "die", "das"}
TELLING = re.findall(
    r"\S+",
    "i i'm my name is live in not no longer any more , . ? ! but and if call me always never answer "
    "use Alex Berlin vegan allergic to nuts a dog named like love \" ' ` : from now on remember that "
    "work at for as nurse have been since isn't it's so you know actually please French emojis",
)
WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Row:
    message: str
    kind: str
    expected: list[dict[str, Any]]


@dataclass
class Count:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def rows() -> list[Row]:
    files = sorted(LABELLED.glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text("utf-8").split("\n") if line]
    return [Row(**json.loads(line)) for line in lines]


ROWS = rows()
POSITIVE = [row.message for row in ROWS if row.expected]


def plain(value: str) -> list[str]:
    return [word for word in WORD.findall(value.casefold()) if word not in ARTICLES]


def matches(proposal: Proposal, label: dict[str, Any]) -> bool:
    return (
        proposal.category == label["category"]
        # An instruction without a topic has a key of its own words; the value is what counts.
        and label["key"] in {proposal.key, "*"}
        and plain(proposal.value) == plain(label["value"])
        and proposal.ended == label.get("ended", False)
    )


def count(row: Row, into: Count) -> None:
    missing = list(row.expected)
    for proposal in extract(row.message):
        label = next((label for label in missing if matches(proposal, label)), None)
        if label is None:
            into.wrong += 1
        else:
            missing.remove(label)
            into.right += 1
    into.missed += len(missing)


def test_the_labelled_set_is_large_and_half_of_it_has_nothing_to_learn() -> None:
    empty = [row for row in ROWS if not row.expected]

    assert len(ROWS) >= 1_600
    assert 0.45 <= len(empty) / len(ROWS) <= 0.6
    assert len({row.message for row in ROWS}) == len(ROWS)


def test_rules_are_precise_first_and_find_most_of_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kinds: defaultdict[str, Count] = defaultdict(Count)
    total = Count()

    for row in ROWS:
        count(row, kinds[row.kind])
        count(row, total)

    with capsys.disabled():
        for kind, counted in sorted({**kinds, "all": total}.items()):
            sys.stdout.write(
                f"\n{kind:12} P {counted.precision:.2f} R {counted.recall:.2f} {counted}"
            )
    assert total.precision >= 0.95
    assert total.recall >= 0.75


def assert_grounded(message: str) -> None:
    said = set(WORD.findall(message.casefold()))
    for proposal in extract(message):
        assert 0 <= proposal.start < proposal.end <= len(message)
        assert set(WORD.findall(proposal.value.casefold())) <= said
        assert proposal.value.strip() == proposal.value != ""
        assert re.fullmatch(r"[\w+#]+(?::[\w+#]+)?", proposal.key), proposal.key
        assert proposal.key == proposal.key.lower()
        assert 0.4 <= proposal.confidence < 1.0
        assert 0.2 <= proposal.importance <= 1.0


@pytest.mark.parametrize("message", POSITIVE)
def test_the_span_of_a_proposal_holds_its_words(message: str) -> None:
    for proposal in extract(message):
        span = set(WORD.findall(message[proposal.start : proposal.end].casefold()))
        assert set(WORD.findall(proposal.value.casefold())) <= span


@given(
    st.lists(
        st.one_of(st.sampled_from([row.message for row in ROWS]), st.text(max_size=30)),
        max_size=5,
    ),
    st.sampled_from([" ", "\n", ". ", ", ", " and ", "\n\n", ""]),
)
def test_whatever_is_proposed_was_said(parts: list[str], joint: str) -> None:
    assert_grounded(joint.join(parts))


@given(
    st.lists(
        st.one_of(
            st.sampled_from(TELLING),
            st.text(alphabet="abcXYZ éß\n", max_size=4),
        ),
        max_size=40,
    )
)
def test_no_order_of_telling_words_makes_an_ungrounded_proposal(words: list[str]) -> None:
    assert_grounded(" ".join(words))


@pytest.mark.parametrize("message", POSITIVE)
def test_nothing_is_learned_from_what_the_user_does_not_state(message: str) -> None:
    quoted = "\n".join(f"> {line}" for line in message.splitlines())

    assert extract(quoted) == []
    assert extract(f"````\n{message}\n````") == []
    assert extract(f"Suppose that {message}") == []
    assert extract(f"Can you proofread this?\n{message}") == []


@pytest.mark.parametrize(
    "statement",
    ["my name is Ada", "I live in Rome", "I'm vegan", "I work at Acme", "I'm allergic to nuts"],
)
@pytest.mark.parametrize(
    "frame",
    [
        "do you know that {}?", "{}, right?", "{}?", "he said {}", "she thinks {}", "if {}, then what",
        "what if {}", 'she wrote "{}"', "imagine {}", "{}, just kidding", "is it true that {}",
    ],
)  # fmt: skip
def test_nothing_is_learned_from_a_question_a_report_or_a_joke(frame: str, statement: str) -> None:
    assert extract(statement) != []
    assert extract(frame.format(statement)) == []


def test_a_correction_is_marked() -> None:
    assert [p.correction for p in extract("My name is Alex")] == [False]
    assert [p.correction for p in extract("Actually, my name is Al")] == [True]
    assert [p.correction for p in extract("No. My name is Al, not Alex.")] == [True]


def test_what_is_said_last_in_a_message_holds() -> None:
    found = extract("I live in Berlin. Sorry, I meant I live in Potsdam.")

    assert [(p.key, p.value) for p in found] == [("home", "Potsdam")]


def test_a_new_value_takes_the_place_of_an_end() -> None:
    found = extract("I no longer live in Oslo. I live in Bergen now.")

    assert [(p.value, p.ended) for p in found] == [("Bergen", False)]


def test_the_same_instruction_has_the_same_key() -> None:
    first, second = (
        extract("Always answer in French"),
        extract("From now on, reply in German please"),
    )

    assert [p.key for p in first] == [p.key for p in second] == ["answer_language"]


@pytest.mark.parametrize(
    "unit",
    [
        "my ", "my name is ", "I ", "I'm a ", "i live in ", "and I ", ", ", "not but ", '"', "'", "`",
        "(", "always ", "please ", "I like a, ", "a", " ", "\n", "> ", "- ", ": ", "if I ", "so you ",
        "my dog ", "call me ", "remember that ", "fix this ", "🙂", "from now on, ", "Dr. ", "1. ",
    ],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_no_deeper_than_a_page(unit: str) -> None:
    message = unit * (1_000_000 // len(unit))

    # Equal for any length beyond the bound; that a page is cheap is what the suite's time limit
    # guards, with these and the sentences below.
    assert len(own_words(message)) <= LOOKED_AT
    assert extract(message) == extract(message[: PAGE + 1])


@pytest.mark.parametrize(
    "unit",
    [
        "please ", "always please ", "my ", "and I ", "so you ", "I like a, ", "I work as ", "I'm a ",
        "and a son, ", "my partner Sam, ", "ich bin ", "1. ", "x, ", "allergic to ", "from now on ",
    ],
)  # fmt: skip
def test_a_page_of_one_phrase_costs_no_more_than_a_page_of_prose(unit: str) -> None:
    sentence = unit * (590 // len(unit)) + ". "
    message = sentence * (PAGE // len(sentence))

    # Measured: 0.09 s at worst, prose 0.23 s; "please " once took for ever.
    assert seconds(message) < 4 * of_prose()


@cache
def of_prose() -> float:
    return seconds("The weather is fine. " * (PAGE // 21))


def seconds(message: str) -> float:
    """How long it takes to read a message, however busy the machine and other threads are."""
    started = time.thread_time()
    extract(message)
    return time.thread_time() - started


@pytest.mark.parametrize(
    "message",
    ["Name: Lee\nCity: Oslo", "Lee: I live in Oslo\nKim: I'm vegan", "About him:\nName: Lee"],
)
def test_a_list_of_labels_is_the_users_only_under_a_heading_that_says_so(message: str) -> None:
    assert extract(message) == []
    assert [p.value for p in extract("About me:\n- Name: Lee\n- City: Oslo")] == ["Lee", "Oslo"]


def test_what_stands_beyond_the_first_page_is_not_read() -> None:
    filler = "The weather is fine. " * (PAGE // 20)

    assert extract(f"My name is Ada. {filler}") != []
    assert extract(f"{filler} My name is Ada.") == []


def test_a_value_is_not_cut_where_the_page_ends() -> None:
    filler = "The weather is fine. " * (PAGE // 21)
    room = PAGE - len(filler) - len("I live in New")

    assert extract(filler + " " * room + "I live in New York and like it.") == []


@given(st.lists(st.sampled_from(TELLING), min_size=1, max_size=4), st.integers(2, 600))
def test_a_repeated_phrase_does_not_make_a_pattern_explode(phrase: list[str], times: int) -> None:
    assert_grounded("I " + " ".join(phrase * times))
