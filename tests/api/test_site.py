"""The web page: one shell, files with the version in their URLs, and a strict policy."""

import gzip
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from longterm.api.site import POLICY, VIEWS
from longterm.web import site
from tests.api.conftest import House, a_client
from tests.api.test_page import Elements

ROOT = Path(__file__).parents[2]
WEB = ROOT / "src" / "longterm" / "web"
PATHS = [view.format(conversation_id="01933b3c-7e8a-7000-8000-000000000001") for view in VIEWS]


@pytest.mark.parametrize("path", PATHS)
async def test_every_view_is_the_same_shell_for_anybody(house: House, path: str) -> None:
    async with a_client(house.app) as nobody:
        answer = await nobody.get(path)

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == POLICY
    assert "unsafe" not in POLICY
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.content == site.load().shell.body


async def test_the_shell_has_no_script_or_style_of_its_own_and_names_only_files_there_are(
    client: httpx.AsyncClient,
) -> None:
    page = Elements((await client.get("/")).text).found

    assert not [tag for tag, attributes in page if tag == "style" or "style" in attributes]
    assert not [name for _, attributes in page for name in attributes if name.startswith("on")]
    urls = [
        str(attributes.get("src") or attributes.get("href"))
        for tag, attributes in page
        if tag in ("script", "link", "img")
    ]
    files = [url for url in urls if not url.startswith("data:")]
    assert all(url.startswith(f"/static/{site.load().version}/") for url in files)
    for url in files:
        assert (await client.get(url)).status_code == 200


async def test_who_has_the_shell_is_told_that_it_still_holds(client: httpx.AsyncClient) -> None:
    tag = (await client.get("/")).headers["etag"]

    again = await client.get("/memory", headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")


async def test_a_file_is_kept_for_good_by_its_version_and_asked_for_again_without(
    client: httpx.AsyncClient,
) -> None:
    loaded = site.load()

    right = await client.get(f"/static/{loaded.version}/app.js")
    wrong = await client.get("/static/0123456789abcdef/app.js")

    assert "immutable" in right.headers["cache-control"]
    assert wrong.headers["cache-control"] == "no-cache"
    assert right.content == wrong.content == (WEB / "static" / "app.js").read_bytes()
    assert right.headers["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    "path", ["nothing.js", "", "../index.html", "%2e%2e/index.html", "/etc/passwd", "app.js/"]
)
async def test_what_is_no_file_of_the_page_is_not_there(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(f"/static/{site.load().version}/{path}")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("accepted", "zipped"),
    [
        ("gzip", True),
        ("br, gzip;q=0.5", True),
        ("*", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("*;q=0", False),
        ("gzip;q=x", False),
    ],
)
async def test_a_file_is_zipped_for_those_who_take_it(
    client: httpx.AsyncClient, tmp_path: Path, accepted: str, zipped: bool
) -> None:
    answer = await client.get("/", headers={"Accept-Encoding": accepted})

    assert answer.headers["vary"] == "Accept-Encoding"
    assert (answer.headers.get("content-encoding") == "gzip") is zipped
    assert answer.content == site.load().shell.body


def test_the_version_changes_with_every_file_and_every_name(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text('<script src="{{ static }}/deep/b.js"></script>')
    static = tmp_path / "static"
    (static / "deep").mkdir(parents=True)
    (static / "a.css").write_text("a")
    (static / "deep" / "b.js").write_text("b" * 1000)
    (static / "notes.py").write_text("never sent")

    before = site.read(tmp_path)
    (static / "deep" / "b.js").write_text("c" * 1000)
    changed = site.read(tmp_path)
    (static / "deep" / "b.js").rename(static / "deep" / "d.js")
    renamed = site.read(tmp_path)

    assert set(before.assets) == {"a.css", "deep/b.js"}
    assert (
        before.shell.body.decode() == f'<script src="/static/{before.version}/deep/b.js"></script>'
    )
    assert len({before.version, changed.version, renamed.version}) == 3
    assert gzip.decompress(before.assets["deep/b.js"].zipped or b"") == b"b" * 1000
    assert before.assets["a.css"].zipped is None


async def test_no_answer_sets_a_cookie(client: httpx.AsyncClient) -> None:
    """Without cookies nobody's browser can be made to ask in their name."""
    for path in ("/", "/status", "/api/me", f"/static/{site.load().version}/app.js"):
        assert "set-cookie" not in (await client.get(path)).headers
    sources = [path.read_text() for path in (ROOT / "src" / "longterm").rglob("*.py")]
    assert not [source for source in sources if re.search(r"set_cookie|\.cookies\b", source)]


def test_a_wheel_has_every_file_of_the_page(tmp_path: Path) -> None:
    build = "import hatchling.build as b, sys; print(b.build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    with zipfile.ZipFile(tmp_path / made.stdout.strip().splitlines()[-1]) as wheel:
        names = set(wheel.namelist())

    files = [path for path in WEB.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {f"longterm/web/{path.relative_to(WEB).as_posix()}" for path in files} <= names


async def test_who_asks_is_told_who_they_are(house: House, client: httpx.AsyncClient) -> None:
    keyless = (await client.get("/api/me")).json()
    async with await house.client("user", "ada") as http:
        ada = (await http.get("/api/me")).json()
    async with await house.client("app") as http:
        app = (await http.get("/api/me")).json()

    assert (keyless["keyless"], keyless["tenant_id"], keyless["scope"]) == (True, 1, "admin")
    assert (ada["keyless"], ada["scope"], ada["user_id"]) == (False, "user", "ada")
    assert (app["scope"], app["user_id"]) == ("app", None)
    assert ada["model"] == {"name": "offline", "state": "off"}
    assert ada["embedder"]["state"] == "ready"
    assert (ada["memory"], ada["degraded"], ada["retention_hours_default"]) == (True, False, None)
    assert ada["memory_tokens_limit"] == 10_000
