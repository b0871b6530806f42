"""Settings come from the environment, with our prefix or, for some, without."""

from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import ValidationError

from longterm import Settings
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

    with pytest.raises(ValidationError):
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

    with pytest.raises(ValidationError, match="such as openai:gpt-5-mini="):
        Settings()
