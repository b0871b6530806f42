"""Anthropic's memory tool over key-value memory, beside Anthropic's own that works on files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool

from longterm import AsyncTenant, Tenant
from longterm.adapters.anthropic import AsyncLongtermMemoryTool, LongtermMemoryTool
from tests.providers import vendor_server
from tests.providers.vendor_server import Body

Command = dict[str, Any]


def create(path: str, text: str = "one\ntwo\nthree\n") -> Command:
    return {"command": "create", "path": path, "file_text": text}


def view(path: str, **more: Any) -> Command:
    return {"command": "view", "path": path, **more}


def replace(path: str, old: str, new: str = "new") -> Command:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path: str, line: int, text: str = "inserted") -> Command:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path: str) -> Command:
    return {"command": "delete", "path": path}


def rename(old: str, new: str) -> Command:
    return {"command": "rename", "old_path": old, "new_path": new}


def answer(tool: Any, command: Command) -> str:
    """What a model reads, whether it went well or not."""
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"error: {error.content}"


# The same words as of the tool that models are trained on; sizes of folders differ.
SCRIPT = [
    create("/memories/a.txt"),
    create("/memories/a.txt"),
    view("/memories/a.txt"),
    view("/memories/a.txt", view_range=[2, 3]),
    view("/memories/a.txt", view_range=[2, -1]),
    view("/memories/none.txt"),
    replace("/memories/a.txt", "two", "second\nline"),
    replace("/memories/a.txt", "absent"),
    replace("/memories/a.txt", "e"),
    insert("/memories/a.txt", 0, "first\n"),
    insert("/memories/a.txt", 5),
    insert("/memories/a.txt", 99),
    insert("/memories/a.txt", -1),
    view("/memories/a.txt"),
    create("/memories/deep/er/b.txt", "b"),
    rename("/memories/a.txt", "/memories/deep/c.txt"),
    view("/memories/deep/c.txt"),
    rename("/memories/deep", "/memories/other"),
    view("/memories/other/er/b.txt"),
    delete("/memories/other/er"),
    view("/memories/other/er/b.txt"),
    view("/memories/other/c.txt"),
    delete("/memories"),
]


def test_it_answers_as_anthropics_own_tool_does(tenant: Tenant, tmp_path: Path) -> None:
    ours = LongtermMemoryTool(tenant, "ada")
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path))

    for number, command in enumerate(SCRIPT):
        assert answer(ours, command) == answer(theirs, command), (number, command)


def test_a_folder_shows_two_levels_and_nothing_hidden(tenant: Tenant) -> None:
    tool = LongtermMemoryTool(tenant, "ada")
    empty = answer(tool, view("/memories"))
    for path in ("a", "b/c", "b/d/e", ".hidden"):
        tool.call(create(f"/memories/{path}", "12345"))

    shown = answer(tool, view("/memories/"))

    assert empty.splitlines()[1:] == ["0B\t/memories"]
    assert [line.split("\t")[1] for line in shown.splitlines()[1:]] == [
        "/memories",
        "/memories/a",
        "/memories/b/",
        "/memories/b/c",
        "/memories/b/d/",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/memories/../x",
        "/memories/a/../../x",
        "/memories/..",
        "/memories/./x",
        "/memories//x",
        "/memories/a\\..\\x",
        "/memoriesx",
        "/etc/passwd",
        "memories/x",
        "",
        "/memories/\x00",
        "/memories/" + "x" * 250,
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(tenant: Tenant, path: str) -> None:
    tool = LongtermMemoryTool(tenant, "ada")
    tenant.set_memory("ada", "x", {"text": "of the application"})
    tool.call(create("/memories/there"))

    for command in (create(path), rename("/memories/there", path)):
        assert answer(tool, command).startswith("error: ")
    for command in (view(path), replace(path, "one"), insert(path, 0), delete(path)):
        assert answer(tool, command).startswith("error: ")

    assert [one.key for one in tenant.get_all_memory("ada")] == ["/memories/there", "x"]


def test_a_file_is_no_folder_and_a_folder_is_no_file(tenant: Tenant) -> None:
    tool = LongtermMemoryTool(tenant, "ada")
    tool.call(create("/memories/a/b"))

    for command in (
        create("/memories/a"),
        create("/memories/a/b/c"),
        rename("/memories/a", "/memories/a/b"),
        rename("/memories/a", "/memories/a"),
        replace("/memories/a", "one"),
        insert("/memories", 0),
    ):
        assert answer(tool, command).startswith("error: "), command


def test_a_secret_is_refused_and_the_model_is_told_why(tenant: Tenant) -> None:
    """c7"""
    tool = LongtermMemoryTool(tenant, "ada")

    told = answer(tool, create("/memories/a", "The password is hunter2-Correct-Horse"))

    assert told.startswith("error: value must not hold a secret")


def test_clearing_leaves_what_is_not_in_files(tenant: Tenant) -> None:
    tool = LongtermMemoryTool(tenant, "ada")
    tenant.set_memory("ada", "key", {"a": 1})
    tool.call(create("/memories/a"))

    assert tool.clear_all_memory() == "All memory cleared"
    assert [one.key for one in tenant.get_all_memory("ada")] == ["key"]


async def test_two_users_and_two_tenants_are_apart(new_tenant: Callable[[], AsyncTenant]) -> None:
    mem, foreign = new_tenant(), new_tenant()
    await AsyncLongtermMemoryTool(mem, "ada").call(create("/memories/a", "of Ada"))

    for tool in (AsyncLongtermMemoryTool(mem, "bob"), AsyncLongtermMemoryTool(foreign, "ada")):
        assert "/memories/a" not in str(await tool.call(view("/memories")))
        with pytest.raises(ToolError, match="does not exist"):
            await tool.call(view("/memories/a"))


def reply(*content: dict[str, Any], stop: str) -> Body:
    return Body(
        json.dumps(
            {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "claude",
                "content": list(content),
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {"input_tokens": 1, "output_tokens": 1},
            }
        )
    )


async def test_a_model_uses_it_through_anthropics_client(mem: AsyncTenant) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "memory", "input": create("/memories/a", "tea")}
    async with (
        vendor_server.running() as vendor,
        AsyncAnthropic(api_key="none", base_url=vendor.url) as client,
    ):
        vendor.next += [
            reply(use, stop="tool_use"),
            reply({"type": "text", "text": "Noted."}, stop="end_turn"),
        ]
        runner = client.beta.messages.tool_runner(
            model="claude",
            max_tokens=100,
            messages=[{"role": "user", "content": "I like tea"}],
            tools=[AsyncLongtermMemoryTool(mem, "ada")],
        )
        await runner.until_done()

    assert vendor.requests[0].body["tools"][0]["type"] == "memory_20250818"
    assert "File created successfully" in json.dumps(vendor.last.body["messages"])
    assert await mem.get_memory("ada", "/memories/a") == {"text": "tea"}


def test_a_file_with_a_secret_is_refused(tenant: Tenant) -> None:
    """c7"""
    tool = LongtermMemoryTool(tenant, "ada")

    for path, text in (
        ("/memories/a.txt", "The wifi password is sunflower88"),
        ("/memories/passwords.md", "github sunflower88"),
    ):
        told = answer(tool, create(path, text))
        assert "must not hold a secret" in told
        assert "sunflower88" not in told
