"""What can be set, from the environment (`LONGTERM_…`) or in code."""

import os
from collections.abc import Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from longterm.errors import InvalidInputError
from longterm.observe.log import LogFormat
from longterm.providers.choose import OutputMode
from longterm.records.usage import Price


def _names(value: object) -> object:
    """Names with commas between them, as the environment has them."""
    if not isinstance(value, str):
        return value
    return tuple(name.strip() for name in value.split(",") if name.strip())


Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_names)]


def _prices(value: object) -> object:
    """Models and their prices, as the environment has them: `openai:gpt-5-mini=0.25/2, …`."""
    if not isinstance(value, str):
        return value
    return dict(map(_price, (one for one in value.split(",") if one.strip())))


def _price(text: str) -> tuple[str, Price]:
    model, _, both = text.rpartition("=")
    try:
        prompt, answer = (Decimal(part.strip()) for part in both.split("/"))
    except (ArithmeticError, ValueError):
        prompt = answer = Decimal("NaN")
    if not (
        model.strip() and prompt.is_finite() and answer.is_finite() and min(prompt, answer) >= 0
    ):
        raise ValueError(
            "each model is followed by its prices for a million tokens read and written, "
            "such as openai:gpt-5-mini=0.25/2"
        )
    return model.strip(), Price(prompt=prompt, answer=answer)


Prices: TypeAlias = Annotated[Mapping[str, Price], BeforeValidator(_prices)]


def _http_url(value: str) -> str:
    try:
        split = urlsplit(value)
        usable = split.scheme in ("http", "https") and split.hostname and split.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("it must be an address such as https://api.example/v1")
    return value


HttpUrl: TypeAlias = Annotated[str, AfterValidator(_http_url)]


def _both(name: str) -> AliasChoices:
    """Read with our prefix first, and without it too."""
    return AliasChoices(f"LONGTERM_{name}", name, name.lower())


_PREFIX = "LONGTERM_"
# Close enough to be a slip of the finger; other programs may have variables with our prefix.
_ALIKE = 0.75


class Settings(BaseSettings):
    """Every setting with its default; what is not set here is not a setting."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_ignore_empty=True, extra="forbid", frozen=True
    )

    database_url: Annotated[
        str | None,
        Field(
            validation_alias=_both("DATABASE_URL"),
            description="A PostgreSQL with pgvector; without it the embedded one is used.",
        ),
    ] = None
    data_dir: Annotated[
        Path,
        Field(description="Where the embedded database keeps its files."),
    ] = Field(default_factory=lambda: user_data_path("longterm", appauthor=False))
    postgres_bin: Annotated[
        Path | None,
        Field(description="A folder with `postgres` and `initdb`, in place of the wheel's."),
    ] = None

    host: Annotated[str, Field(description="The address that the server listens on.")] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535, description="The port of the server.")] = 8765
    allowed_hosts: Annotated[
        Names,
        NoDecode,
        Field(description="Further names that the server answers to, with commas between them."),
    ] = ()
    cors_origins: Annotated[
        Names,
        NoDecode,
        Field(
            description="Web sites whose scripts may call the server, such as `https://a.example`."
        ),
    ] = ()
    max_body_bytes: Annotated[
        int, Field(ge=1, description="How large the body of a request may be.")
    ] = 10_000_000
    max_import_bytes: Annotated[
        int, Field(ge=1, description="How large a file may be that is uploaded to be imported.")
    ] = 500_000_000
    request_timeout_s: Annotated[
        float, Field(gt=0, description="How long a request may take until its answer begins.")
    ] = 90
    requests_per_minute: Annotated[
        int | None,
        Field(ge=1, description="How many requests a key has a minute; none is no limit."),
    ] = None
    worker: Annotated[
        bool, Field(description="Whether the server process runs background work too.")
    ] = True
    worker_concurrency: Annotated[
        int, Field(ge=1, le=64, description="How many jobs one worker runs at a time.")
    ] = 4

    pool_size: Annotated[
        int, Field(ge=2, le=500, description="How many connections one process opens at most.")
    ] = 10
    connect_timeout_s: Annotated[
        float, Field(gt=0, description="How long to wait for a connection.")
    ] = 10
    statement_timeout_s: Annotated[
        float, Field(gt=0, description="How long one SQL statement may take.")
    ] = 30

    max_message_bytes: Annotated[
        int, Field(ge=1, description="How large the content of a message may be, as UTF-8.")
    ] = 1_000_000
    max_json_bytes: Annotated[
        int, Field(ge=2, description="How large a JSON value may be, as UTF-8.")
    ] = 1_000_000

    conversation_history_limit: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            validation_alias=_both("CONVERSATION_HISTORY_LIMIT"),
            description="How many turns of a session are read when nothing is said.",
        ),
    ] = 20
    conversation_ttl_hours: Annotated[
        float,
        Field(
            gt=0,
            validation_alias=_both("CONVERSATION_TTL_HOURS"),
            description="How long a session lives after its last turn.",
        ),
    ] = 24
    cleanup_interval_hours: Annotated[
        float,
        Field(
            gt=0,
            validation_alias=_both("CLEANUP_INTERVAL_HOURS"),
            description="How often expired sessions are deleted.",
        ),
    ] = 6

    memory_tokens: Annotated[
        int,
        Field(ge=600, description="How many tokens the facts and places of a user take at most."),
    ] = 10_000

    llm: Annotated[
        str | None,
        Field(
            description="The language model: `openai:…`, `anthropic:…`, `ollama:…`, "
            "`openai-compatible:…` or `offline`; without one, Longterm works by rules."
        ),
    ] = None
    llm_base_url: Annotated[
        HttpUrl | None, Field(description="Where the model is, in place of the vendor's address.")
    ] = None
    llm_api_key: Annotated[
        SecretStr | None,
        Field(description="Its key, in place of the vendor's own variable (`OPENAI_API_KEY` …)."),
    ] = None
    llm_output: Annotated[
        OutputMode,
        Field(description="How it is made to answer as JSON: auto, tool, native or prompted."),
    ] = "auto"
    llm_timeout_s: Annotated[
        float, Field(gt=0, description="How long one call to the model may take.")
    ] = 60
    llm_pause_s: Annotated[
        float,
        Field(ge=0, description="How long a model that failed five times in a row is left alone."),
    ] = 30
    model_calls_per_day: Annotated[
        int | None,
        Field(ge=0, description="How many calls to models a tenant has a day; none is no limit."),
    ] = None
    model_tokens_per_day: Annotated[
        int | None, Field(ge=0, description="How many tokens of models a tenant has a day.")
    ] = None

    model_prices: Annotated[
        Prices,
        NoDecode,
        Field(
            description="US dollars for a million tokens read and written, by model, such as "
            "`openai:gpt-5-mini=0.25/2, ollama:llama3.2=0/0`; without one, no cost is told."
        ),
    ] = Field(default_factory=dict[str, Price])

    embedder: Annotated[
        str | None,
        Field(
            description="What makes vectors: `local`, `openai:…`, `ollama:…` or "
            "`openai-compatible:…`."
        ),
    ] = None
    embedder_base_url: Annotated[
        HttpUrl | None,
        Field(description="Where the embedder is, in place of the vendor's address."),
    ] = None
    embedder_api_key: Annotated[
        SecretStr | None, Field(description="Its key, in place of the vendor's own variable.")
    ] = None
    embedder_dimensions: Annotated[
        int | None, Field(ge=1, le=4000, description="How long its vectors are; else it is asked.")
    ] = None
    embedder_threads: Annotated[
        int, Field(ge=1, le=64, description="How many cores the local embedder uses at a time.")
    ] = 1

    upstream_url: Annotated[
        HttpUrl | None,
        Field(
            description="Where `/v1` passes requests on to, such as `https://api.openai.com/v1`; "
            "else the server of the language model, if it speaks OpenAI's language."
        ),
    ] = None
    upstream_key: Annotated[
        SecretStr | None,
        Field(description="The key for it, in place of the language model's."),
    ] = None
    upstream_timeout_s: Annotated[
        float, Field(gt=0, description="How long it may say nothing before it is given up.")
    ] = 600
    upstream_memory: Annotated[
        Literal["split", "first"],
        Field(
            description="Where memory goes: `split`, what is known first and what was found right "
            "before the question; `first`, both in one message behind the instructions."
        ),
    ] = "split"
    proxy_patience_s: Annotated[
        float,
        Field(gt=0, description="How long `/v1` waits for memory before it goes on without."),
    ] = 1.5

    journal_dir: Annotated[
        Path | None,
        Field(description="Where turns wait while the database is away; else in the data folder."),
    ] = None
    journal_max_bytes: Annotated[
        int, Field(ge=10_000, description="How large the journal may grow; then chat is refused.")
    ] = 64_000_000
    journal_max_records: Annotated[
        int, Field(ge=1, description="How many messages the journal holds at most.")
    ] = 100_000

    log_level: Annotated[
        str,
        Field(
            pattern="^(DEBUG|INFO|WARNING|ERROR)$",
            description="From where on it is logged: DEBUG, INFO, WARNING or ERROR.",
        ),
    ] = "INFO"
    log_format: Annotated[
        LogFormat,
        Field(description="json, console, or auto: readable on a terminal, else JSON."),
    ] = "auto"

    @model_validator(mode="wrap")
    @classmethod
    def _in_one_sentence(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            made = handler(data)
        except ValidationError as error:
            raise InvalidInputError(_sentence(error, cls.model_fields)) from None
        _check_environment(cls.model_fields)
        return made


def _sentence(error: ValidationError, known: Iterable[str]) -> str:
    # Without the value: it may be an address with a password.
    first = error.errors(include_input=False, include_url=False)[0]
    name = str(first["loc"][0]).lower().removeprefix(_PREFIX.lower())
    if first["type"] == "extra_forbidden":
        return f"There is no setting {name}{_suggestion(name, known) or '.'}"
    what = first["msg"].removeprefix("Value error, ")
    return f"The setting {_PREFIX}{name.upper()} is not valid: {what[:1].lower()}{what[1:]}."


def _check_environment(known: Iterable[str]) -> None:
    names = [name.removeprefix(_PREFIX).lower() for name in os.environ if name.startswith(_PREFIX)]
    for name in sorted({*names} - {*known}):
        if suggestion := _suggestion(name, known, prefix=_PREFIX):
            raise InvalidInputError(f"There is no setting {_PREFIX}{name.upper()}{suggestion}")


def _suggestion(name: str, known: Iterable[str], prefix: str = "") -> str:
    alike = get_close_matches(name, list(known), n=1, cutoff=_ALIKE)
    if not alike:
        return ""
    return f": did you mean {prefix + alike[0].upper() if prefix else alike[0]}?"
