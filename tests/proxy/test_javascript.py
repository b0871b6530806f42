"""OpenAI's client for JavaScript works unchanged, too."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.proxy.conftest import Door
from tests.proxy.upstream import Upstream

SCRIPT = Path(__file__).with_name("client.cjs")
# Where `make test` puts the package, unless whoever runs this has it somewhere else.
PACKAGES = os.environ.get("NODE_PATH") or str(Path(sys.prefix) / "openai" / "node_modules")
ENVIRONMENT = {**os.environ, "NODE_PATH": PACKAGES}


@pytest.fixture(scope="module")
def node() -> str:
    """Node, which finds the package `openai`; only a machine without Node may do without."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is None or npm is None:
        pytest.skip("node and npm are not installed")
    looked = subprocess.run(
        [found, "-e", "require.resolve('openai')"],
        cwd=SCRIPT.parent, env=ENVIRONMENT, capture_output=True, check=False,
    )  # fmt: skip
    assert looked.returncode == 0, f"no npm package openai in {PACKAGES}: `make test` puts it there"
    return found


async def test_the_javascript_client_works(
    node: str, door: Door, upstream: Upstream, user: str
) -> None:
    ran = await asyncio.create_subprocess_exec(
        node, SCRIPT, f"{door.url}/v1", user, env=ENVIRONMENT,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await ran.communicate()

    assert ran.returncode == 0, err.decode()
    assert json.loads(out) == {
        "whole": "Fine.",
        "streamed": "Fine.",
        "models": ["gpt-test"],
        "dimensions": 384,
        "error": {"status": 400, "type": "invalid_request_error", "known": True},
    }
    assert [text for _, text in await door.said(user)] == ["hello", "Fine.", "more", "Fine."]
