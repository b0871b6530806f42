"""`longterm bench`: what it tells, and that it leaves nothing behind; never how fast."""

import asyncio
import itertools
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from longterm.bench import data, imports, loads
from longterm.bench.http_client import Client
from longterm.bench.report import Report, as_table, row
from longterm.bench.timing import Silence
from longterm.cli.bench import app

TINY = data.Sizes(
    messages_in_table=1_200,
    turns_of_users=(20, 40),
    early_turn=2,
    late_turn=5,
    read_rounds=2,
    connections=2,
    write_rounds=2,
    late_rounds=2,
    policy_blocks=2,
    policy_rounds=2,
    imported_messages=(80,),
    import_rounds=2,
    start_rounds=2,
    passages_of_users=(20, 40),
    recall_rounds=2,
    http_rounds=2,
    load_clients=(1, 2, 3),
    load_blocks=2,
    load_block_s=0.0,
    warm_up=1,
)
# Together in one process: they look for databases that a benchmark left.
pytestmark = pytest.mark.xdist_group("bench")
SPREAD = {"median", "q1", "q3", "measured"}


def databases(server: str) -> set[str]:
    with psycopg.connect(server) as conn:
        # Others make and drop databases of their own at the same time.
        query = "SELECT datname FROM pg_database WHERE datname LIKE 'longterm_bench%'"
        return {name for (name,) in conn.execute(query)}


def bench(server: str, what: str, *options: str) -> str:
    result = CliRunner().invoke(app, [what, "--quick", "--database-url", server, *options])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes next to nothing, so that the shape of the result can be seen in seconds."""
    monkeypatch.setattr(data, "QUICK", TINY)


def test_bench_speed_tells_every_comparison_as_json_and_drops_its_database(server: str) -> None:
    before = databases(server)

    told: dict[str, Any] = json.loads(bench(server, "speed", "--json"))

    rows = told["rows"]
    limits = {(one["what"].split(" (")[0], one["against"]): one["limit"] for one in rows}
    assert databases(server) == before
    assert told["messages_in_table"] > 1_200
    assert limits == {
        ("append a turn", "raw INSERT and COMMIT"): 1.5,
        ("append a message", "raw INSERT and COMMIT"): 1.5,
        ("append a turn", "turn 2"): 1.1,
        ("append a message, blocking", "AsyncLongterm"): None,
        ("last 1 turns", "turn 2"): 1.1,
        ("last 20 messages", "raw SELECT in a transaction"): None,
        ("last 20 messages", "raw SELECT, no transaction, no pool"): None,
        ("last 20 messages", "RLS off"): 1.1,
        ("bulk import", "COPY"): 3,
        ("recall", "embedding + SQL"): 2.0,
        ("recall", "the same alone"): 1.2,
        ("ranking and text", "the whole recall"): None,
        ("import longterm", "python -c pass"): 300,
        ("from longterm import Longterm", "python -c pass"): None,
    }
    assert sum(told_row["limit"] == 1.3 for told_row in rows) == 3
    for told_row in rows:
        ours, theirs, limit = told_row["ours"], told_row["theirs"], told_row["limit"]
        assert set(ours) == set(theirs) == SPREAD
        assert ours["q1"] <= ours["median"] <= ours["q3"]
        assert told_row["met"] is (None if limit is None else told_row["value"] <= limit)


def test_bench_http_compares_the_server_with_the_library_and_drops_its_database(
    server: str,
) -> None:
    before = databases(server)

    told: dict[str, Any] = json.loads(bench(server, "http", "--json"))

    limits = {
        (one["what"], one["against"], one["compared_by"]): one["limit"] for one in told["rows"]
    }
    guarded = ("chat, guarded against outages", "the same without the guard")
    assert databases(server) == before
    assert limits == {
        ("POST /api/chat", "`chat` in the library", "ratio"): 1.3,
        ("POST /api/recall", "`recall` in the library", "ratio"): 1.5,
        ("GET …/messages?limit=20", "FastAPI, the same bytes from memory", "ratio"): 3,
        ("POST /api/chat", "turn 2", "ratio"): 1.2,
        (*guarded, "ratio"): 1.05,
        (*guarded, "difference"): 50,
        ("time for each POST /api/chat", "one client", "ratio"): 1.0,
        ("time for each POST /api/recall", "one client", "ratio"): 1.0,
        ("time for each GET …/messages", "one client", "ratio"): 1.0,
    }
    assert [one["clients"] for one in told["loads"]] == [1, 2, 3] * 3
    for load in told["loads"]:
        assert load["per_second"] > 0
        assert load["p50_ms"] <= load["p95_ms"] <= load["p99_ms"]


def test_a_table_says_what_was_met_and_what_was_missed() -> None:
    found = Report(
        machine="two cores",
        postgres="PostgreSQL 18",
        messages_in_table=7,
        seconds=1,
        rows=(
            # More than the limit, but not of what is told.
            row("read", "here", "there", [1.3004, 1.3004], [1, 1], limit=1.3),
            row("import", "here", "there", [400, 400], [100, 100], limit=3, messages=1_000),
            row("note", "", "there", [5, 5], [1, 1]),
        ),
    )

    told = [line[5:] for line in as_table(found)]

    assert told == [
        ("1.30 \N{MULTIPLICATION SIGN}", "1.3 \N{MULTIPLICATION SIGN}", "met"),
        ("4.00 \N{MULTIPLICATION SIGN}, 2,500 messages/s", "3 \N{MULTIPLICATION SIGN}", "MISSED"),
        ("5.00 \N{MULTIPLICATION SIGN}", "", ""),
    ]


async def test_clients_are_measured_though_time_is_over_and_a_connection_was_closed() -> None:
    """As on a machine that stands still for seconds."""
    connections = itertools.count()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_first = next(connections) == 0
        with suppress(asyncio.IncompleteReadError):
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]")
                if is_first:
                    break
        writer.close()

    asked: dict[str, loads.Request] = {"GET /": lambda client: client.get("/")}
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with Client(f"http://127.0.0.1:{port}") as client:
            await client.get("/")
            while not client._reader.at_eof():  # pyright: ignore[reportPrivateUsage]
                await asyncio.sleep(0.01)
            (one, *_), _ = await loads.measure(
                [client], (1, 1, 1), asked, blocks=2, block_s=0, progress=Silence()
            )

    assert one.requests == 2


def test_bench_recall_tells_what_each_part_of_the_ranking_is_worth(
    server: str, tmp_path: Path
) -> None:
    said = ("I hiked in the Dolomites with Bo.", "My cat is called Miso.")
    questions = {
        "id": "one",
        "user": "ada",
        "messages": [
            {"id": f"m{place}", "speaker": "Ada", "role": "user", "text": text, "session": "s",
             "ts": "2026-03-01T10:00:00Z"}
            for place, text in enumerate(said)
        ],
        "queries": [
            {"id": "q", "query": "Where did Ada hike?", "category": "single-hop", "gold": ["m0"]}
        ],
    }  # fmt: skip
    file = tmp_path / "questions.json"
    file.write_text(json.dumps([questions]))

    result = CliRunner().invoke(
        app,
        ["recall", "--data", str(file), "--ablate", "--json", "--database-url", server],
    )

    told = json.loads(result.stdout)
    assert [score["category"] for score in told["scores"]] == ["single-hop", "answerable"]
    assert told["scores"][-1]["recall"]["5"] == 1.0
    assert {score["category"] for score in told["without"]} >= {"meaning", "words", "speaker"}
    assert set(told["background"]) == {"index", "embed", "learn"}
    assert told["asked"][0]["ranked"][0] == "m0"


def test_bench_import_tells_speed_memory_and_that_nothing_comes_twice(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """§3 Yours: 2,000 messages a second, in bounded memory, each once."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(imports, "QUICK_MB", 1)
    before = databases(server)

    told: dict[str, Any] = json.loads(bench(server, "import", "--json"))

    small, large, again = told["runs"]
    assert databases(server) == before
    assert list(tmp_path.iterdir()) == []
    assert 0.9 < large["megabytes"] < 1.2
    assert 6 * small["messages"] < large["messages"] == again["messages"]
    assert [one["added"] for one in told["runs"]] == [small["messages"], large["messages"], 0]
    assert all(one["resident_mb"] > 20 and one["seconds"] > 0 for one in told["runs"])
    limits = {one["what"].split(",")[0]: (one["limit"], one["met"]) for one in told["limits"]}
    # So small a file is not judged by its speed: starting takes longer than reading.
    assert limits == {
        "messages/s": (2_000, None),
        "memory against a tenth": (1.5, True),
        "messages that a second run adds": (0, True),
    }
