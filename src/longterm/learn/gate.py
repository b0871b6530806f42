"""What every proposal has to pass, whoever makes it: worth it, no secret, said once, dated."""

from collections.abc import Iterable
from dataclasses import replace

from longterm.learn import dated
from longterm.records.proposal import Proposal
from longterm.records.reading import Heard, Reading
from longterm.text import prompt_data, secrets

# Below these a proposal is noise.
LEAST_CONFIDENCE = 0.4
LEAST_IMPORTANCE = 0.2

_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}


def reading(
    message: Heard, proposals: Iterable[Proposal], *, timezone: str, refused: str | None = None
) -> Reading:
    """Keep what may be remembered of a message."""
    kept: dict[tuple[str, str], Proposal] = {}
    for proposal in sorted(proposals, key=lambda each: each.start):
        found = secrets.find(proposal.value)
        if found:
            refused = f"It holds a secret: {found[0].kind}."
        elif _is_worth_it(proposal):
            words = prompt_data.one_line(proposal.value)
            value = dated.absolute(words, said_at=message.said_at, timezone=timezone)
            # Said twice in one message is said once; the later one counts.
            kept[proposal.category, proposal.key] = replace(proposal, value=value)
    opposed = [opposite for each in kept.values() if (opposite := _opposite(each)) is not None]
    ended = [each for each in opposed if (each.category, each.key) not in kept]
    return Reading(message_id=message.id, proposals=(*kept.values(), *ended), refused=refused)


def _opposite(proposal: Proposal) -> Proposal | None:
    """Who likes something no longer dislikes it, and the other way round."""
    liking, _, thing = proposal.key.partition(":")
    other = _OPPOSITES.get(liking)
    if other is None or not thing or proposal.ended:
        return None
    return replace(proposal, key=f"{other}:{thing}", ended=True)


def _is_worth_it(proposal: Proposal) -> bool:
    return proposal.confidence >= LEAST_CONFIDENCE and proposal.importance >= LEAST_IMPORTANCE
