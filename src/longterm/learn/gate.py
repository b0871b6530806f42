"""What every proposal has to pass, whoever makes it: worth it, no secret, said once, dated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from longterm.learn import dated
from longterm.records.proposal import Proposal
from longterm.records.reading import Heard, Reading
from longterm.text import prompt_data
from longterm.text.secrets import Kind
from longterm.text.secrets import gate as secret_gate

# Below these a proposal is noise.
LEAST_CONFIDENCE = 0.4
LEAST_IMPORTANCE = 0.2

Quote = tuple[str, Kind]

_OPPOSITES = {"likes": "dislikes", "dislikes": "likes"}


def reading(
    message: Heard, proposals: Iterable[Proposal], *, timezone: str, refused: str | None = None
) -> Reading:
    """Keep what may be remembered of a message."""
    kept: dict[tuple[str, str], Proposal] = {}
    proposals = list(proposals)
    quotes = secret_gate.quoted(message.content) if proposals else []
    for proposal in sorted(proposals, key=lambda each: each.start):
        kind = _secret(proposal, message.content, quotes)
        if kind is not None:
            refused = f"It holds a secret: {kind}."
        elif _is_worth_it(proposal):
            words = prompt_data.one_line(proposal.value)
            value = dated.absolute(words, said_at=message.said_at, timezone=timezone)
            # Said twice in one message is said once; the later one counts.
            kept[proposal.category, proposal.key] = replace(proposal, value=value)
    opposed = [opposite for each in kept.values() if (opposite := _opposite(each)) is not None]
    ended = [each for each in opposed if (each.category, each.key) not in kept]
    return Reading(message_id=message.id, proposals=(*kept.values(), *ended), refused=refused)


def _secret(proposal: Proposal, message: str, quotes: Sequence[Quote]) -> Kind | None:
    """The kind of secret a proposal holds, read with its key, its quote and the whole message."""
    key = proposal.key.replace(":", " ")
    beneath_key = f"{key}: {message[proposal.start : proposal.end]}"
    return (
        secret_gate.kind_in_field((), proposal.key)
        or secret_gate.kind_in_field((proposal.category, key), proposal.value)
        or secret_gate.kind_repeated(proposal.value, secret_gate.quoted(beneath_key))
        or secret_gate.kind_repeated(proposal.value, quotes)
        or secret_gate.kind_repeated(proposal.key, quotes)
    )


def _opposite(proposal: Proposal) -> Proposal | None:
    """Who likes something no longer dislikes it, and the other way round."""
    liking, _, thing = proposal.key.partition(":")
    other = _OPPOSITES.get(liking)
    if other is None or not thing or proposal.ended:
        return None
    return replace(proposal, key=f"{other}:{thing}", ended=True)


def _is_worth_it(proposal: Proposal) -> bool:
    return proposal.confidence >= LEAST_CONFIDENCE and proposal.importance >= LEAST_IMPORTANCE
