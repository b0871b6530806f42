"""c7: the gate of memory against a corpus: no secret passes, and ordinary texts do."""

import pytest

from longterm.errors import SecretRefusedError
from longterm.records.json import JsonObject
from longterm.text import secrets
from longterm.text.secrets import gate
from tests.secrets_corpus import ORDINARY, SECRETS, Sample


def _is_refused(sample: Sample) -> bool:
    try:
        if sample.json is not None:
            value: JsonObject = sample.json
            gate.check_memory("note", value)
        else:
            gate.check_fact(str(sample.text), category="fact", key=sample.key)
    except SecretRefusedError:
        return True
    return False


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert len(SECRETS) >= 150
    assert len({sample.kind for sample in SECRETS}) >= 60
    assert len(ORDINARY) >= 300
    assert {sample.language for sample in SECRETS} >= {"en", "de", "fr", "es", "it", "pt"}
    assert {sample.language for sample in ORDINARY} >= {"en", "de", "fr", "es", "it", "pt"}


def test_no_secret_of_the_corpus_passes_the_gate() -> None:
    assert [sample for sample in SECRETS if not _is_refused(sample)] == []


def test_at_most_one_ordinary_text_is_refused() -> None:
    assert len([sample for sample in ORDINARY if _is_refused(sample)]) <= 1


def test_a_masked_sentence_does_not_hold_its_secret() -> None:
    told = [sample for sample in SECRETS if sample.is_sentence]

    shown = [one for one in told if one.secret in secrets.mask(str(one.text))]

    # One repeats the three digits of its card code without a name.
    assert len(shown) <= 1


def test_a_value_beneath_a_key_is_masked_with_the_key() -> None:
    for sample in (one for one in SECRETS if one.key is not None):
        assert sample.secret not in gate.masked(str(sample.text), (str(sample.key),))


def test_ordinary_texts_are_shown_as_they_are() -> None:
    told = [str(sample.text) for sample in ORDINARY if sample.is_sentence]

    assert [text for text in told if gate.masked(text) != text] == []


def test_a_refusal_names_the_kind_and_what_to_do_and_not_the_secret() -> None:
    with pytest.raises(SecretRefusedError) as refusal:
        gate.check_fact("hunter2secret!", category="identity", key="password")

    assert str(refusal.value) == (
        "content must not hold a secret; this looks like a password: leave it out, "
        "and keep it in a password manager."
    )


@pytest.mark.parametrize(
    "value",
    [
        {"pin": 4821},
        {"a": {"b": {"c": {"wifi_password": {"value": {"is": "sunflower88"}}}}}},
        {"items": [{"label": "Netflix password", "content": "Popcorn#12"}]},
        {"PASSWORD": "sunshine"},
        {"cardNumber": 4111111111111111},
    ],
)
def test_json_is_read_with_all_its_keys(value: JsonObject) -> None:
    with pytest.raises(SecretRefusedError):
        gate.check_memory("note", value)


def test_a_secret_is_masked_wherever_the_conversation_repeats_it() -> None:
    turns = ["What is the wifi password?", "Sunny-day77", "Thanks, Sunny-day77 works."]

    assert gate.masked_turns(turns) == [
        "What is the wifi password?",
        "[password]",
        "Thanks, [password] works.",
    ]


def test_a_proposal_that_repeats_a_part_of_a_secret_repeats_it() -> None:
    quotes = gate.quoted("My password is hunter2secret!")

    assert gate.kind_repeated("Hunter2 Secret", quotes) == "password"
    assert gate.kind_repeated("hunter2", quotes) == "password"
    assert gate.kind_repeated("Ada", quotes) is None
