"""The command line: what it prints, and how it ends."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from longterm import InvalidInputError, Longterm, __version__
from longterm.cli import COMMANDS, app, load
from longterm.cli.options import read_settings
from longterm.store.migrate import migrations
from tests.journeys.programs import clean_environment, longterm, longterm_here

HEAVY = ("psycopg", "pydantic", "fastapi", "uvicorn", "jinja2", "structlog")


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, with its full name."""
    for name in COMMANDS:
        loaded = load(name)
        for part, inner in getattr(loaded, "commands", {"": loaded}).items():
            yield f"{name} {part}".rstrip(), inner


ALL = dict(commands())


def test_help_lists_every_command_and_loads_none() -> None:
    script = f"""
import sys
from longterm.cli import main
sys.argv = ["longterm", "--help"]
try:
    main()
finally:
    print([name for name in {HEAVY} if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert all(f"  {name} " in ran.stdout for name in COMMANDS)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says_itself(name: str) -> None:
    assert load(name).help.split("\n")[0] == COMMANDS[name]


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_examples_and_takes_any_database(name: str) -> None:
    options = {option for parameter in ALL[name].params for option in parameter.opts}

    assert f"  longterm {name}" in ALL[name].epilog
    assert options >= {"--database-url", "--data-dir"}


def test_the_version() -> None:
    ran = longterm("--version")

    assert (ran.returncode, ran.stdout) == (0, f"longterm {__version__}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["remember"],
        ["serve", "--port", "99999"],
        ["jobs", "list", "--state", "lost"],
        ["jobs", "list", "--limit", "0"],
        ["migrate", "now"],
    ],
)
def test_wrong_use_ends_with_2(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)

    assert result.exit_code == 2
    assert "Usage: " in result.output


def test_migrations_are_applied_once(empty_database: Callable[[str], str]) -> None:
    database = empty_database("cli_migrate")

    first = longterm_here("migrate", "--json", "--database-url", database)
    again = longterm("migrate", DATABASE_URL=database)

    assert json.loads(first.stdout) == {"applied": [each.name for each in migrations()]}
    assert (again.returncode, again.stdout) == (0, "Nothing to do: the tables are up to date.\n")


def test_dead_jobs_are_listed_and_retried(new_database: Callable[[str], str]) -> None:
    database = new_database("cli_jobs")
    with Longterm(database) as lt:
        lt.tenant(3).add_message("ada", "user", "My name is Ada")
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("UPDATE longterm.jobs SET state = 'dead', last_error = 'TemplateError: no'")

    listed = longterm_here("jobs", "list", "--state", "dead", "--json", "--database-url", database)
    retried = longterm_here("jobs", "retry", "--tenant", "3", "--database-url", database)
    table = longterm_here("jobs", "list", "--database-url", database)

    (job,) = json.loads(listed.stdout)["items"]
    assert (job["tenant_id"], job["task"], job["state"]) == (3, "digest", "dead")
    assert job["last_error"] == "TemplateError: no"
    assert retried.stdout == "Queued 1 dead jobs once more.\n"
    header, row = table.stdout.splitlines()
    assert header.split() == ["tenant", "task", "key", "state", "attempts", "due", "last", "error"]
    assert row.split()[:4] == ["3", "digest", job["key"], "queued"]


def test_keys_are_made_listed_and_revoked(new_database: Callable[[str], str]) -> None:
    database = ("--database-url", new_database("cli_keys"))

    made = longterm_here("keys", "create", "shop", *database)
    wrong = longterm_here("keys", "create", "phone", "--scope", "user", *database)
    (key,) = json.loads(longterm_here("keys", "list", "--json", *database).stdout)["items"]
    table = longterm_here("keys", "list", *database)
    revoked = longterm_here("keys", "revoke", key["id"], *database)
    again = longterm_here("keys", "revoke", key["id"], *database)

    secret = made.stdout.split("\n")[0]
    assert secret.startswith(key["prefix"])
    assert (key["name"], key["scope"], key["tenant_id"]) == ("shop", "app", 1)
    assert secret not in table.stdout
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert (revoked.returncode, revoked.stdout) == (0, "Revoked.\n")
    assert (again.returncode, again.stdout) == (1, "")


def test_tenants_are_made_and_listed(new_database: Callable[[str], str]) -> None:
    database = ("--database-url", new_database("cli_tenants"))

    none = longterm_here("tenants", "list", *database)
    made = [
        longterm_here("tenants", "create", *number, *database).stdout for number in ((), ("7",), ())
    ]
    again = longterm_here("tenants", "create", "7", *database)
    listed = json.loads(longterm_here("tenants", "list", "--json", *database).stdout)["items"]

    assert none.stdout == "There are no tenants yet.\n"
    assert made == ["Made tenant 1.\n", "Made tenant 7.\n", "Made tenant 2.\n"]
    assert (again.returncode, again.stdout) == (1, "")
    assert [tenant["tenant_id"] for tenant in listed] == [1, 2, 7]


def test_settings_of_a_tenant_are_changed_one_by_one(new_database: Callable[[str], str]) -> None:
    """b4, b11"""
    given = ("--json", "--database-url", new_database("cli_settings"))

    first = longterm_here("tenants", "set", "7", "--no-memory", "--keep-sessions", "48", *given)
    then = longterm_here("tenants", "set", "7", "--keep-conversations", "keep", *given)
    shown = longterm_here("tenants", "set", "7", *given)
    reset = longterm_here("tenants", "set", "7", "--defaults", "--memory", *given)
    wrong = longterm_here("tenants", "set", "7", "--keep-sessions", "forever", *given)

    nothing = {"model_calls_per_day": None, "model_tokens_per_day": None}
    kept = {"session_retention": 48.0, "memory": False, **nothing}
    assert json.loads(first.stdout) == {"conversation_retention": None, **kept}
    assert json.loads(then.stdout) == {"conversation_retention": "keep", **kept}
    assert shown.stdout == then.stdout
    assert json.loads(reset.stdout) == {
        "conversation_retention": None,
        "session_retention": None,
        "memory": True,
        **nothing,
    }
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_cleanup_tells_what_it_deleted(new_database: Callable[[str], str]) -> None:
    database = new_database("cli_cleanup")
    with Longterm(database) as lt:
        mem = lt.tenant(1)
        mem.store_turn(mem.create_session("ada"), "ada", "What is Python?", "A language.")
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("UPDATE longterm.conversations SET expires_at = now() - interval '1 hour'")

    first = longterm_here("cleanup", "--json", "--database-url", database)
    again = longterm_here("cleanup", "--database-url", database)

    told = json.loads(first.stdout)
    assert (told["sessions_deleted"], told["turns_deleted"], told["errors"]) == (1, 1, [])
    assert again.stdout.startswith("Deleted 0 sessions with 0 turns in ")


def test_what_goes_wrong_is_one_line_and_status_1() -> None:
    ran = longterm("jobs", "list", "--database-url", "postgresql://127.0.0.1:1/memory")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("longterm: The database does not answer")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "environment", "says"),
    [
        (("--database-url", "no address"), {}, "DATABASE_URL is not the address of a database"),
        ((), {"LONGTERM_POOL_SIZE": "many"}, "The setting LONGTERM_POOL_SIZE is not valid: "),
        ((), {"LONGTERM_POOL_SIZE": "1"}, "The setting LONGTERM_POOL_SIZE is not valid: "),
        ((), {"LONGTERM_POOL_SZIE": "9"}, "There is no setting LONGTERM_POOL_SZIE: did you mean "),
        ((), {"LONGTERM_LLM_BASE_URL": "x"}, "The setting LONGTERM_LLM_BASE_URL is not valid: "),
        ((), {"LONGTERM_LLM": "gpt"}, "There is no model 'gpt'"),
    ],
)
def test_settings_that_are_not_valid_are_one_line_and_status_2(
    arguments: tuple[str, ...], environment: dict[str, str], says: str, tmp_path: Path
) -> None:
    given = arguments or ("--data-dir", str(tmp_path / "data"))

    ran = longterm("jobs", "list", *given, **environment)

    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"longterm: {says}")
    assert ran.stderr.count("\n") == 1


def test_even_a_defect_is_no_traceback(new_database: Callable[[str], str]) -> None:
    database = new_database("cli_defect")
    with Longterm(database):
        pass
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute("ALTER TABLE longterm.jobs RENAME TO elsewhere")

    ran = longterm_here("jobs", "list", "--database-url", database)

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "longterm: unexpected UndefinedTable: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_folder_named_by_hand_comes_before_a_database_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://theirs")

    assert read_settings(None, None).database_url == "postgresql://theirs"
    assert read_settings(None, tmp_path).database_url is None
    assert read_settings("postgresql://mine", tmp_path).database_url == "postgresql://mine"


def test_a_setting_that_is_not_valid_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LONGTERM_PORT", "secret")

    with pytest.raises(
        InvalidInputError, match=r"^The setting LONGTERM_PORT is not valid: "
    ) as raised:
        read_settings(None, None)

    assert "secret" not in str(raised.value)


def test_the_tests_do_not_use_the_settings_of_whoever_runs_them() -> None:
    assert not {"DATABASE_URL", "LONGTERM_DATA_DIR"} & set(clean_environment())
