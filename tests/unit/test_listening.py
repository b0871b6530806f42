"""What waits for a listener is bounded by the answer itself."""

from longterm.memory.listening import Events
from longterm.records.chat import ChatEvent

PIECES = 10_000


def delta(number: int) -> ChatEvent:
    return ChatEvent(kind="delta", text=f"{number} ")


async def test_who_listens_late_hears_every_word_in_few_events() -> None:
    events = Events()
    for number in range(PIECES):
        events.put(delta(number))
    events.put(ChatEvent(kind="done"))

    heard = [await events.get()]
    while heard[-1].kind != "done":
        heard.append(await events.get())

    assert len(heard) < 100
    words = "".join(event.text for event in heard)
    assert words.split() == [str(number) for number in range(PIECES)]


async def test_nothing_is_kept_for_who_left() -> None:
    events = Events()
    events.put(delta(1))
    events.leave()
    events.put(delta(2))

    assert not events._waiting  # pyright: ignore[reportPrivateUsage]
