"""An adapter without its framework says how to get it, and no adapter is loaded unasked."""

import subprocess
import sys

FRAMEWORKS = ("langchain_core", "langgraph", "agents", "llama_index", "pydantic_ai", "anthropic")
EXTRAS = {
    "langchain": "langchain",
    "langgraph_store": "langgraph",
    "langgraph_saver": "langgraph",
    "openai_agents": "openai-agents",
    "llama_index": "llama-index",
}

# One process for all of them: starting one takes seconds.
WITHOUT = f"""
import importlib, sys
for framework in {FRAMEWORKS[:4]}:
    sys.modules[framework] = None
for adapter in {tuple(EXTRAS)}:
    try:
        importlib.import_module("longterm.adapters." + adapter)
    except ImportError as error:
        print(error)
"""
UNASKED = f"""
import sys, longterm.adapters.transcript, longterm.adapters.files
from longterm import Longterm
print([name for name in {FRAMEWORKS} if name in sys.modules])
"""


def printed(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout


def test_without_its_framework_an_adapter_says_in_one_sentence_what_to_install() -> None:
    sentences = printed(WITHOUT).splitlines()

    assert len(sentences) == len(EXTRAS)
    for sentence, extra in zip(sentences, EXTRAS.values(), strict=True):
        assert sentence.startswith("This adapter needs ")
        assert sentence.endswith(f": pip install 'longterm[{extra}]'")


def test_no_framework_is_loaded_by_the_library_or_what_adapters_share() -> None:
    assert printed(UNASKED) == "[]\n"
