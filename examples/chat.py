"""An exchange that remembers; without a language model the answer is what memory has."""

from longterm import Longterm

with Longterm() as lt:
    mem = lt.tenant(1)
    print(mem.chat("ada", "I am allergic to peanuts.").answer)
    lt.drain()

    for event in mem.stream("ada", "What must I not eat?"):
        if event.kind == "delta":
            print(event.text, end="")
        elif event.reply is not None and event.reply.memories is not None:
            print("\n---", len(event.reply.memories.items), "memories were used")
