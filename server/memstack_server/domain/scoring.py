"""What results are ranked by: how well a memory answers, how fresh it is, and how much it matters.

    score      = 0.5 · similarity + 0.2 · recency + 0.3 · (importance - 1) / 4
    similarity = the logistic function of relevance: 0.5 at the middle, steep around it
    recency    = 0.5 ^ (age / half-life), by the time from which the memory holds

The weights and the half-life are defaults; an object or a call may set its own.
"""

import math
from dataclasses import dataclass
from datetime import datetime

from memstack_server.domain.errors import InvalidInput

MIDDLE, STEEPNESS = 0.6, 6.0


@dataclass(frozen=True)
class Weights:
    """How much each part counts; together they make 1."""

    similarity: float = 0.5
    recency: float = 0.2
    importance: float = 0.3
    half_life_days: float = 365.0

    def __post_init__(self) -> None:
        """Raises `InvalidInput` for what is no weighting."""
        parts = (self.similarity, self.recency, self.importance)
        if not all(0 <= part <= 1 for part in parts) or abs(sum(parts) - 1) > 1e-6:
            raise InvalidInput(
                f"the weights {parts} do not make 1. "
                "Pass similarity, recency and importance from 0 to 1 that add up to 1."
            )
        if not 0 < self.half_life_days < math.inf:
            raise InvalidInput(f"half_life_days is {self.half_life_days}. Pass a number of days above 0.")


@dataclass(frozen=True)
class Score:
    """A score and its parts, each from 0 to 1."""

    total: float
    similarity: float
    recency: float
    importance: float


def score(relevance: float, valid_at: datetime, importance: int, weights: Weights, now: datetime) -> Score:
    """The score of a memory that answers with that relevance and holds from `valid_at`."""
    similarity = 1 / (1 + math.exp(-STEEPNESS * (relevance - MIDDLE)))
    recency = 0.5 ** (max(0.0, (now - valid_at).total_seconds()) / 86_400 / weights.half_life_days)
    tier = (importance - 1) / 4
    total = weights.similarity * similarity + weights.recency * recency + weights.importance * tier
    return Score(total, similarity, recency, tier)
