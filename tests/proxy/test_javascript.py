"""OpenAI's client for JavaScript works unchanged, too."""

import asyncio
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.proxy.conftest import Door
from tests.proxy.upstream import Upstream

SCRIPT = Path(__file__).with_name("client.cjs")


@pytest.fixture(scope="module")
def node() -> str:
    """Node, with the package `openai` where it looks for one (`NODE_PATH`, or here)."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed")
    looked = subprocess.run(
        [found, "-e", "require.resolve('openai')"],
        cwd=SCRIPT.parent, capture_output=True, check=False,
    )  # fmt: skip
    if looked.returncode:
        pytest.skip("the npm package openai is not installed: npm install openai")
    return found


async def test_the_javascript_client_works(
    node: str, door: Door, upstream: Upstream, user: str
) -> None:
    ran = await asyncio.create_subprocess_exec(
        node, SCRIPT, f"{door.url}/v1", user,
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
