"""Settings come from the environment, with our prefix or, for some, without."""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from longterm import AsyncLongterm, InvalidInputError, Longterm, Settings
from longterm.records.usage import Price


def test_the_three_settings_of_seed_b_are_read_without_a_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CONVERSATION_HISTORY_LIMIT", "7")
    monkeypatch.setenv("CONVERSATION_TTL_HOURS", "1.5")
    monkeypatch.setenv("CLEANUP_INTERVAL_HOURS", "2")

    settings = Settings()

    assert settings.conversation_history_limit == 7
    assert settings.conversation_ttl_hours == 1.5
    assert settings.cleanup_interval_hours == 2


def test_our_prefix_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://theirs")
    monkeypatch.setenv("LONGTERM_DATABASE_URL", "postgresql://ours")
    monkeypatch.setenv("LONGTERM_DATA_DIR", "/srv/longterm")

    settings = Settings()

    assert settings.database_url == "postgresql://ours"
    assert settings.data_dir == Path("/srv/longterm")


def test_what_is_given_in_code_comes_before_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://theirs")

    assert Settings(database_url="postgresql://given").database_url == "postgresql://given"


@pytest.mark.parametrize(
    "variable", ["LONGTERM_PORT", "CONVERSATION_TTL_HOURS", "LONGTERM_POOL_SIZE"]
)
def test_a_value_out_of_range_is_refused(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "-1")

    with pytest.raises(InvalidInputError):
        Settings()


def test_prices_are_read_by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGTERM_MODEL_PRICES", "openai:gpt-5=0.1/7, openai-compatible:a/b=x=2/0,")

    prices = Settings().model_prices

    assert prices == {
        "openai:gpt-5": Price(prompt=Decimal("0.1"), answer=Decimal(7)),
        "openai-compatible:a/b=x": Price(prompt=Decimal(2), answer=Decimal(0)),
    }
    # In floats, three times 0.1 is not 0.3.
    assert prices["openai:gpt-5"].of(3_000_000, 1) == Decimal("0.300007")


@pytest.mark.parametrize("text", ["gpt", "gpt=1", "gpt=1/2/3", "=1/2", "gpt=-1/2", "gpt=1/NaN"])
def test_a_price_that_is_none_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGTERM_MODEL_PRICES", text)

    with pytest.raises(InvalidInputError, match="such as openai:gpt-5-mini="):
        Settings()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"port": "secret"}, "LONGTERM_PORT is not valid"),
        (
            {"port": 70_000},
            "LONGTERM_PORT is not valid: input should be less than or equal to 65535",
        ),
        ({"database_url": 5}, "LONGTERM_DATABASE_URL is not valid"),
        ({"prot": 80}, "no setting prot: did you mean port?"),
        ({"frobnicate": 80}, "no setting frobnicate."),
        ({"llm_base_url": "nonsense"}, "LONGTERM_LLM_BASE_URL is not valid: it must be an address"),
        ({"upstream_url": "ftp://secret"}, "LONGTERM_UPSTREAM_URL is not valid"),
        ({"embedder_base_url": "http://a:b/"}, "LONGTERM_EMBEDDER_BASE_URL is not valid"),
        ({"log_level": "loud"}, "LONGTERM_LOG_LEVEL is not valid"),
    ],
)
def test_what_cannot_be_set_is_one_sentence(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        Settings(**given)

    assert says in str(refused.value)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("variable", "says"),
    [
        ("LONGTERM_POTR", "no setting LONGTERM_POTR: did you mean LONGTERM_PORT?"),
        ("LONGTERM_REQUESTS_PER_MINUT", "did you mean LONGTERM_REQUESTS_PER_MINUTE?"),
    ],
)
def test_a_variable_that_is_misspelt_is_not_passed_over(
    variable: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "10")

    with pytest.raises(InvalidInputError, match=re.escape(says)):
        Settings()


@pytest.mark.parametrize(
    "variable",
    # Kubernetes makes the middle ones for a service of the name `longterm`.
    [
        "LONGTERM_KEY",
        "LONGTERM_URL",
        "LONGTERM_SERVICE_HOST",
        "LONGTERM_PORT_8765_TCP",
        "LONGTERM_X",
    ],
)
def test_variables_of_others_are_left_alone(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "tcp://10.0.0.1:8765")

    assert Settings().port == 8765


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"settings": {"port": 1}}, "settings must be a Settings, and is a dict"),
        ({"database_url": 5}, "database_url must be a str"),
        ({"data_dir": 5}, "data_dir must be a str or Path"),
        ({"llm": 7}, "llm must be a name, or an object with `answer` and `stream`"),
        ({"embedder": object()}, "embedder must be a name, or an object with `embed`"),
    ],
)
@pytest.mark.parametrize("library", [Longterm, AsyncLongterm])
def test_what_the_library_is_given_is_checked(
    library: Callable[..., object], given: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInputError, match=says):
        library(**given)


def test_a_bad_address_is_refused_in_one_sentence() -> None:
    with pytest.raises(InvalidInputError, match=r"^DATABASE_URL is not the address") as refused:
        Longterm("this is no secret address").open()

    assert "\n" not in str(refused.value)
