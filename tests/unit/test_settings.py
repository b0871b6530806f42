"""Settings come from the environment, with our prefix or, for some, without."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from longterm import Settings


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
