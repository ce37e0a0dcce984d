"""What can be wrong with a model's answer, by name.

A flaw that can be lived with is counted and told; an answer that holds nothing to live with is `Unusable`.
"""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from memstack_server.models.chat import ChatFailed, Fault


class Flaw(StrEnum):
    """First those of the answer as a whole, then those of one fact or verdict in it."""

    THINKING = "thinking"  # thought aloud before it answered
    FENCED = "fenced"  # put the answer into a code fence
    PROSE = "prose"  # wrote around the answer, or nothing but prose
    SCHEMA = "schema"  # repeated the schema
    BARE_LIST = "bare list"  # left out the object around the list
    RENAMED = "renamed"  # gave a field another name
    BROKEN = "broken"  # JSON that ends early or is damaged; what is complete in it was kept
    CUT = "cut"  # ended by the greatest length
    SHAPE = "shape"  # JSON of something else
    TOO_MANY = "too many"  # more facts or pairs than are read

    EMPTY = "empty"  # without a word
    TOO_LONG = "too long"  # no sentence but a text
    DUPLICATE = "duplicate"  # said before in the same answer
    EXAMPLE = "example"  # taken from the examples of the instructions
    INVENTED = "invented"  # about what neither the text nor the scope knows
    UNGROUNDED = "ungrounded"  # shares no word with the text
    LANGUAGE = "language"  # in another script than the text
    PASSAGE = "passage"  # names a passage that is not there
    IMPORTANCE = "importance"  # none of the five tiers
    DATE = "date"  # no date, or one that the text does not support
    PAIR = "pair"  # a verdict on a pair that was not asked about, or none on one that was
    VERDICT = "verdict"  # not a verdict, or two that differ


Flaws = Counter[Flaw]


@dataclass(frozen=True)
class Note:
    """How often a flaw was met in one answer."""

    flaw: Flaw
    count: int


def notes(flaws: Flaws) -> tuple[Note, ...]:
    """The flaws that were met, in the order of `Flaw`."""
    return tuple(Note(flaw, flaws[flaw]) for flaw in Flaw if flaws[flaw])


class Unusable(ChatFailed):
    """An answer that holds nothing of what was asked for, and the flaw that tells best why."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(Fault.UNUSABLE, f"the model's answer holds nothing of what was asked for ({flaw})")
        self.flaw = flaw
