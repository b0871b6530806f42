"""What the doctor makes of what was found."""

from dataclasses import replace
from pathlib import Path

import pytest

from longterm import doctor
from longterm.doctor import Check, machine
from longterm.doctor.machine import ENOUGH_BYTES
from longterm.store.diagnose import Findings, Rights, Role

HEALTHY = Rights(
    user_name="app",
    database_name="memory",
    is_superuser=False,
    may_make_roles=False,
    may_create=False,
    vector_installed="0.8.0",
    vector_available="0.8.0",
    vector_trusted=False,
    is_set_up=True,
    may_read=True,
)
ROLES = (
    Role(name="longterm_app", may_grant=False, may_become=True),
    Role(name="longterm_system", may_grant=False, may_become=True),
)
CLOSED = tuple(replace(role, may_become=False) for role in ROLES)


def found(
    rights: Rights = HEALTHY,
    *,
    server_version: int = 180_004,
    roles: tuple[Role, ...] = ROLES,
    pending: tuple[str, ...] = (),
    history_problem: str | None = None,
    dead_jobs: int | None = 0,
) -> Findings:
    return Findings(
        where="memory on db.example, port 5432 as app",
        server_version=server_version,
        rights=rights,
        roles=roles,
        pending=pending,
        history_problem=history_problem,
        dead_jobs=dead_jobs,
    )


def empty(**changes: object) -> Rights:
    """A database in which nothing was set up yet."""
    fresh = replace(HEALTHY, is_set_up=False, may_read=False, vector_installed=None)
    return replace(fresh, **changes)


def mending(check: Check | None) -> str:
    assert check is not None
    return check.mend or ""


def test_a_healthy_database_has_nothing_to_mend() -> None:
    checks = [
        look(found())
        for look in (doctor.version, doctor.pgvector, doctor.rights, doctor.schema, doctor.jobs)
    ]

    assert [check for check in checks if check is None or not check.ok] == []


@pytest.mark.parametrize(("server_version", "ok"), [(140_011, False), (150_000, True)])
def test_the_oldest_version_is_15(server_version: int, ok: bool) -> None:
    check = doctor.version(found(server_version=server_version))

    assert check.ok is ok
    assert check.found.startswith(f"PostgreSQL {server_version // 10_000}.")


@pytest.mark.parametrize(
    ("rights", "mend"),
    [
        (replace(HEALTHY, vector_installed="0.7.4"), ""),
        (replace(HEALTHY, vector_installed="0.6.2"), "ALTER EXTENSION vector UPDATE"),
        (replace(HEALTHY, vector_installed="0.10.0"), ""),
        (empty(vector_available=None), "postgresql-18-pgvector"),
        (empty(vector_available="0.5.1"), "0.7 or newer"),
        (empty(), "CREATE EXTENSION vector"),
        (empty(is_superuser=True), ""),
        (empty(vector_trusted=True, may_create=True), ""),
        (empty(vector_trusted=True), "CREATE EXTENSION vector"),
    ],
)
def test_pgvector_is_there_or_can_be(rights: Rights, mend: str) -> None:
    check = doctor.pgvector(found(rights))

    assert check.ok is (mend == "")
    assert mend in mending(check)


@pytest.mark.parametrize(
    ("rights", "roles", "server_version", "mend"),
    [
        (empty(is_superuser=True), (), 180_000, ""),
        (empty(may_create=True, may_make_roles=True), (), 180_000, ""),
        (empty(may_create=True), (), 180_000, 'ALTER ROLE "app" CREATEROLE'),
        (empty(may_make_roles=True), (), 180_000, 'GRANT CREATE ON DATABASE "memory" TO "app"'),
        (empty(may_create=True), ROLES, 180_000, ""),
        (
            empty(may_create=True, may_make_roles=True),
            CLOSED,
            180_000,
            'GRANT longterm_app, longterm_system TO "app"',
        ),
        (empty(may_create=True, may_make_roles=True), CLOSED, 150_000, ""),
        (HEALTHY, CLOSED, 180_000, 'GRANT longterm_app, longterm_system TO "app"'),
        (replace(HEALTHY, may_read=False), ROLES, 180_000, "GRANT longterm_app"),
    ],
)
def test_rights_are_enough_or_named(
    rights: Rights, roles: tuple[Role, ...], server_version: int, mend: str
) -> None:
    check = doctor.rights(found(rights, roles=roles, server_version=server_version))

    assert check.ok is (mend == "")
    assert mend in mending(check)


def test_missing_migrations_are_named() -> None:
    check = doctor.schema(found(pending=("0002 facts", "0003 places")))

    assert mending(check) == "run `longterm migrate`"
    assert "0002 facts, 0003 places" in str(check)


def test_a_database_of_another_version_is_not_ours_to_mend() -> None:
    check = doctor.schema(found(history_problem="The database was set up by a newer Longterm."))

    assert "install the version" in mending(check)


def test_an_empty_database_is_no_fault() -> None:
    check = doctor.schema(found(empty()))

    assert check is not None
    assert check.ok


def test_what_we_may_not_see_is_not_judged() -> None:
    hidden = replace(HEALTHY, may_read=False)

    assert doctor.schema(found(hidden)) is None
    assert doctor.jobs(found(dead_jobs=None)) is None


def test_dead_jobs_can_be_retried() -> None:
    assert "longterm jobs retry" in mending(doctor.jobs(found(dead_jobs=3)))


@pytest.mark.parametrize(("free", "ok"), [(ENOUGH_BYTES, True), (ENOUGH_BYTES - 1, False)])
def test_a_disk_that_is_nearly_full_is_told(free: int, ok: bool) -> None:
    assert machine.disk(Path("/data"), free).ok is ok
