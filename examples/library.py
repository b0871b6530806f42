"""Memory inside of a Python program: it stores, learns, finds, corrects."""

from longterm import Longterm

with Longterm() as lt:
    mem = lt.tenant(1)
    mem.add_message("ada", "user", "My name is Ada and I live in Lisbon.")
    mem.add_message("ada", "assistant", "Nice to meet you, Ada.")
    mem.add_message("ada", "user", "Actually, I live in Porto now.")
    lt.drain()

    for fact in mem.get_active_facts("ada"):
        print(f"{fact.key}: {fact.content} (from message {fact.source_message_id})")

    found = mem.recall("ada", "Where do I live?")
    for item in found.items:
        print(f"{item.score:.2f} {item.text} ({'; '.join(item.why)})")
