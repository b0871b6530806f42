"""c7: secrets are found, and ordinary talk is left alone."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longterm.text import secrets
from longterm.text.secrets import checks
from tests.unit.secret_samples import API_KEYS, NAMED, NEGATIVES, POSITIVES, TOKENS


def test_the_tables_are_as_large_as_they_should_be() -> None:
    assert len(set(POSITIVES)) >= 80
    assert len(set(NEGATIVES)) >= 120


@pytest.mark.parametrize("text", POSITIVES)
def test_a_secret_is_found(text: str) -> None:
    for message in (text, f"Please note: {text}", f"(see\n{text}\nthanks)"):
        assert len(secrets.find(message)) == 1, message


@pytest.mark.parametrize("text", NEGATIVES)
def test_ordinary_talk_is_left_alone(text: str) -> None:
    for message in (text, f"Hello. {text}", f"{text}\nThanks!"):
        assert secrets.mask(message) == message


@pytest.mark.parametrize("key", API_KEYS)
def test_a_key_is_masked_whole(key: str) -> None:
    assert secrets.mask(f"my key {key}, keep it") == "my key [api key], keep it"
    assert secrets.mask(f'KEY="{key}"') == 'KEY="[api key]"'


@pytest.mark.parametrize(("form", "value"), NAMED)
def test_what_is_named_is_masked_and_its_name_is_kept(form: str, value: str) -> None:
    masked = secrets.mask(form.format(value))

    assert masked in {form.format("[password]"), form.format("[api key]")}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("my password is hunter2", "password"),
        ("password: " + API_KEYS[3], "api key"),
        (API_KEYS[0], "api key"),
        (TOKENS[0], "access token"),
        (TOKENS[1], "access token"),
        (TOKENS[3], "private key"),
        (TOKENS[-1], "seed phrase"),
        ("4111 1111 1111 1111", "card number"),
        ("DE89 3704 0044 0532 0130 00", "bank account"),
        ("123-45-6789", "national id"),
    ],
)
def test_the_kind_of_a_secret_is_named(text: str, kind: str) -> None:
    assert [secret.kind for secret in secrets.find(text)] == [kind]


def test_all_secrets_of_a_message_are_found_in_order() -> None:
    text = "My card is 4111 1111 1111 1111, PIN is 1234, and 123-45-6789 is the other."

    assert (
        secrets.mask(text)
        == "My card is [card number], PIN is [password], and [national id] is the other."
    )


def test_the_mask_of_one_secret_does_not_make_a_secret_of_the_next() -> None:
    text = "5500 0000 0000 0004, order #4111 1111 1111 1111"

    assert secrets.mask(text) == "[card number], order #4111 1111 1111 1111"


def test_a_private_key_is_masked_with_all_its_lines() -> None:
    assert secrets.mask(f"Here:\n{TOKENS[4]}\nBye") == "Here:\n[private key]\nBye"


FRAGMENTS = st.sampled_from(
    [
        *POSITIVES,
        *NEGATIVES,
        " ",
        "\n",
        "password",
        "is",
        ":",
        "=",
        '"',
        "my",
        "PIN",
        "-",
        "[",
        "]",
        "4111",
    ]
)
MESSAGES = st.one_of(
    st.text(),
    st.lists(FRAGMENTS, max_size=8).map(" ".join),
    st.lists(FRAGMENTS, max_size=8).map("".join),
)


@given(text=MESSAGES)
def test_after_masking_there_is_nothing_left_to_find(text: str) -> None:
    masked = secrets.mask(text)

    assert secrets.find(masked) == []
    assert (masked == text) == (secrets.find(text) == [])


@given(
    secret=st.sampled_from([*API_KEYS, *TOKENS[3:8]]),
    before=st.lists(FRAGMENTS, max_size=4),
    after=st.lists(FRAGMENTS, max_size=4),
)
def test_a_masked_message_has_nothing_of_the_key(
    secret: str, before: list[str], after: list[str]
) -> None:
    assume(secret not in [*before, *after])

    assert secret not in secrets.mask(" ".join([*before, secret, *after]))


@given(text=MESSAGES)
def test_findings_are_in_order_apart_and_inside_the_text(text: str) -> None:
    end_before = 0
    for secret in secrets.find(text):
        assert end_before <= secret.start < secret.end <= len(text)
        end_before = secret.end


@pytest.mark.parametrize(
    "unit",
    ["a", " ", "1", "4111 ", "password is ", "pw:", "sk-", "eyJa.", "DE89 ", "a://b:", TOKENS[8]],
)
def test_a_long_monotonous_text_is_searched_without_a_fuss(unit: str) -> None:
    text = unit * (100_000 // len(unit))

    assert len(secrets.find(text)) <= len(text) // len(unit)


WORDS = (
    "i we you the a my your is was are be of to in on for with at from and or not what when how "
    "password key token secret card number pin order bank phone tea dog garden berlin monday seven "
    "walk went likes friend new old time work home book code test server login account reset"
)


@given(words=st.lists(st.sampled_from(WORDS.split(" ")), max_size=30))
def test_words_that_say_nothing_secret_never_trigger(words: list[str]) -> None:
    """Without the last word: "the password is tea" is a password."""
    text = " ".join([*words, "and so on"])

    assert secrets.mask(text) == text


@given(digits=st.from_regex(r"[0-9]{15}", fullmatch=True))
def test_of_ten_numbers_that_differ_in_the_last_digit_luhn_holds_for_one(digits: str) -> None:
    assert sum(checks.luhn(digits + last) for last in string.digits) == 1


@given(digits=st.from_regex(r"[0-9]{11}", fullmatch=True), place=st.integers(0, 9))
def test_verhoeff_notices_neighbours_that_were_swapped(digits: str, place: int) -> None:
    valid = next(digits + last for last in string.digits if checks.verhoeff(digits + last))
    swapped = valid[:place] + valid[place + 1] + valid[place] + valid[place + 2 :]
    assume(swapped != valid)

    assert not checks.verhoeff(swapped)
