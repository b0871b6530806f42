"""What stands around a candidate: the messages beside it, and its conversation."""

from collections.abc import Sequence
from dataclasses import dataclass

from longterm.recall.candidate import Candidate


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The neighbours of each candidate, and how well its conversation matches.

    An answer follows its question, and one good match makes the rest of its conversation likelier.
    """

    best: list[float]
    """How well the best candidate of the conversation matches."""
    _found: Sequence[Candidate]
    _places: dict[tuple[str | None, int | None], int]

    @classmethod
    def of(cls, found: Sequence[Candidate], matching: Sequence[float]) -> "Surroundings":
        """Look around each candidate, given how well each matches by itself."""
        places = {
            (candidate.conversation_id, candidate.place): index
            for index, candidate in enumerate(found)
        }
        return cls(_best_of_each(found, matching), found, places)

    def beside(self, index: int) -> list[int]:
        """The candidate and those of its two neighbours that were found too."""
        candidate = self._found[index]
        if candidate.place is None:
            return [index]
        around = (
            self._places.get((candidate.conversation_id, candidate.place + step))
            for step in (-1, 1)
        )
        return [index, *(other for other in around if other is not None)]


def _best_of_each(found: Sequence[Candidate], matching: Sequence[float]) -> list[float]:
    """The best match of each candidate's conversation; what belongs to none stands alone."""
    best: dict[str, float] = {}
    for candidate, match in zip(found, matching, strict=True):
        conversation_id = candidate.conversation_id
        if conversation_id is not None and match > best.get(conversation_id, -1.0):
            best[conversation_id] = match
    return [
        match if candidate.conversation_id is None else best[candidate.conversation_id]
        for candidate, match in zip(found, matching, strict=True)
    ]
