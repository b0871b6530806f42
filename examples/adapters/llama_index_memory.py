"""A LlamaIndex chat engine whose memory is Longterm."""

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import MockLLM

from longterm import Longterm
from longterm.adapters.llama_index import LongtermMemory


def main() -> None:
    """Talk in one conversation, and ask in another one."""
    with Longterm() as lt:
        mem = lt.tenant(1)
        for session_id, question in (
            ("monday", "I'm allergic to peanuts"),
            ("tuesday", "What am I allergic to?"),
        ):
            memory = LongtermMemory(mem, "ada", session_id)
            # This model repeats what it is shown: what was recalled, and the question.
            engine = SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory)
            print(engine.chat(question))
            lt.drain()


if __name__ == "__main__":
    main()
