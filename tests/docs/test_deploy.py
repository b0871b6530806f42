"""The files for containers and for systemd name what there is.

None of them is run here: there is no Docker where the tests run.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.programs import understood, unknown_settings

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "compose.yaml").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: each for name, each in SERVICES.items() if each.get("image") == "longterm"}
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
UNIT = (ROOT / "deploy" / "longterm.service").read_text()


def instructions(name: str) -> list[str]:
    """What follows an instruction of the Dockerfile, each time that it is there."""
    return re.findall(rf"^{name} (.*)$", DOCKERFILE, re.MULTILINE)


def variables(text: str) -> dict[str, str]:
    """`NAME=value` pairs with blanks between them."""
    return dict(pair.split("=", 1) for pair in shlex.split(text))


def test_every_command_of_compose_is_one_of_ours() -> None:
    assert set(OURS) == {"server", "worker"}
    for service in OURS.values():
        understood(service["command"])
    for line in re.findall(r"^#.*docker compose run --rm worker (.*)$", TEXT, re.MULTILINE):
        understood(shlex.split(line))


def test_every_variable_of_compose_is_a_setting() -> None:
    for service in OURS.values():
        assert service["environment"]
        assert unknown_settings(service["environment"]) == set()


def test_compose_names_only_what_it_has() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", ())) <= set(SERVICES)
        for volume in service.get("volumes", ()):
            assert volume.split(":")[0] in COMPOSE["volumes"]
    address = OURS["server"]["environment"]["LONGTERM_DATABASE_URL"]
    made = SERVICES["database"]["environment"]
    place = f"@database:5432/{made['POSTGRES_DB']}"
    assert address.startswith(f"postgresql://{made['POSTGRES_USER']}:")
    assert address.endswith(place)
    assert SERVICES["proxy"]["command"][-1] == "server:8765"


def test_the_image_runs_commands_of_ours_with_settings_of_ours() -> None:
    for line in re.findall(r"^#   docker run .* longterm (\w.*)$", DOCKERFILE, re.MULTILINE):
        understood(shlex.split(line))
    (start,) = instructions("ENTRYPOINT")
    (command,) = instructions("CMD")
    (env,) = instructions("ENV")

    assert json.loads(start) == ["longterm"]
    understood(json.loads(command))
    assert unknown_settings(variables(env)) == set()
    assert variables(env)["LONGTERM_DATA_DIR"] in instructions("VOLUME")
    assert instructions("EXPOSE") == ["8765"]


def test_the_image_copies_files_that_are_there() -> None:
    kept = {line.strip("!/") for line in (ROOT / ".dockerignore").read_text().split()}
    copied = [
        name
        for line in instructions("COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    ]

    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {name.split("/")[0] for name in copied} <= kept
    assert "src" in copied


def test_every_folder_that_is_mounted_is_made_for_the_account_of_the_image() -> None:
    """Docker gives one that the image does not have to root, and Longterm could not write there."""
    (made,) = re.findall(r"install -d -o longterm (.*)$", DOCKERFILE, re.MULTILINE)
    mounted = [
        volume.split(":")[1] for service in OURS.values() for volume in service.get("volumes", ())
    ]

    assert set(mounted) <= set(made.split())
    assert OURS["server"]["environment"]["LONGTERM_JOURNAL_DIR"] in mounted


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "longterm.service"
    unit.write_text(UNIT.replace("/opt/longterm/bin/longterm", sys.executable))

    ran = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_unit_runs_a_command_of_ours_with_settings_of_ours() -> None:
    (start,) = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    (env,) = re.findall(r"^Environment=(.*)$", UNIT, re.MULTILINE)
    (state,) = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)
    program, *arguments = shlex.split(start)

    assert Path(program).name == "longterm"
    understood(arguments)
    assert unknown_settings(variables(env)) == set()
    # The one folder beside /tmp that a unit with ProtectSystem=strict may write to.
    assert variables(env)["LONGTERM_DATA_DIR"] == f"/var/lib/{state}"


def test_other_commands_find_the_database_of_the_unit() -> None:
    """Its socket is in /tmp: with one of its own, nobody could make a key while it runs."""
    (told,) = re.findall(r"^#   sudo -u longterm \S+/longterm (.*)$", UNIT, re.MULTILINE)
    (user,) = re.findall(r"^User=(.*)$", UNIT, re.MULTILINE)
    (state,) = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)

    understood(shlex.split(told))
    assert told.endswith(f"--data-dir /var/lib/{state}")
    assert f"useradd --system --home-dir /var/lib/{state} --shell /usr/sbin/nologin {user}" in UNIT
    assert re.findall(r"^(?:PrivateTmp|DynamicUser)=", UNIT, re.MULTILINE) == []
