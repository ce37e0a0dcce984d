"""How well a memory answers a question: words and meaning together, and what stands beside it.

    words   the sum over the question's terms that the memory holds of idf = log(1 + (N - n + 0.5) / (n + 0.5)),
            relative to the best candidate's (Robertson and Spärck Jones, 1976, as BM25 uses it)
    meaning (cosine - mean) / (6 · deviation) of the embedder's cosine over unrelated pairs
    alone   0.4 · words + 0.6 · meaning
    whole   (alone + 0.2 · previous + 0.2 · next) / 1.4 + 0.5 · best of its session

A memory of a session is read with its neighbours: what answers is often said in a few turns. The weights are flat: a
tenth more or less of each moves recall by less than its noise.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from memstack_server.domain.embedding import EmbedderId

WORDS, MEANING = 0.4, 0.6
NEIGHBOUR = 0.2
SESSION = 0.5


@dataclass(frozen=True)
class Calibration:
    """Mean and standard deviation of an embedder's cosine over unrelated pairs of question and memory."""

    mean: float
    deviation: float

    def meaning(self, cosine: float) -> float:
        return (cosine - self.mean) / (6 * self.deviation)


# Measured; what others' cosines do lies between.
_KNOWN: Mapping[str, Calibration] = {
    "all-minilm": Calibration(0.26, 0.14),
    "e5": Calibration(0.78, 0.03),
    "nomic-embed": Calibration(0.55, 0.08),
}
_UNKNOWN = Calibration(0.40, 0.12)


def calibration(embedder: EmbedderId) -> Calibration:
    """That of an embedder, by its name."""
    return next((known for part, known in _KNOWN.items() if part in embedder.name), _UNKNOWN)


@dataclass(frozen=True)
class Candidate:
    """A memory that may be an answer.

    Attributes:
        cosine: Of its vector and the question's.
        words: The sum of the idf of the question's terms that it holds.
        session: Which session it belongs to; None for what stands alone.
        position: Its place in that session; neighbours differ by one.
    """

    cosine: float
    words: float
    session: Hashable | None = None
    position: int = 0


def idf(frequency: int, size: int) -> float:
    """The weight of a term that FREQUENCY of SIZE memories hold."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def relevance(candidates: Sequence[Candidate], calibration: Calibration) -> list[float]:
    """How well each candidate answers, in their order; what is unrelated comes to about 0.3."""
    alone = _alone(candidates, calibration)
    places = {(c.session, c.position): s for c, s in zip(candidates, alone, strict=True) if c.session is not None}
    best = _best_of_sessions(candidates, alone)
    return [_whole(c, s, places, best) for c, s in zip(candidates, alone, strict=True)]


def _alone(candidates: Sequence[Candidate], calibration: Calibration) -> list[float]:
    most = max((candidate.words for candidate in candidates), default=0) or 1
    return [WORDS * c.words / most + MEANING * calibration.meaning(c.cosine) for c in candidates]


def _best_of_sessions(candidates: Iterable[Candidate], alone: Iterable[float]) -> dict[Hashable, float]:
    best: dict[Hashable, float] = defaultdict(lambda: -math.inf)
    for candidate, score in zip(candidates, alone, strict=True):
        if candidate.session is not None:
            best[candidate.session] = max(best[candidate.session], score)
    return best


def _whole(
    candidate: Candidate,
    alone: float,
    places: Mapping[tuple[Hashable, int], float],
    best: Mapping[Hashable, float],
) -> float:
    if candidate.session is None:
        # It has no neighbours, so it is its own: what stands alone competes with what stands in a session.
        return alone + SESSION * alone
    beside = (places.get((candidate.session, candidate.position + step), 0.0) for step in (-1, 1))
    return (alone + NEIGHBOUR * sum(beside)) / (1 + 2 * NEIGHBOUR) + SESSION * best[candidate.session]
