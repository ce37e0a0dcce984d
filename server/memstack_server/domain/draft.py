"""A fact as it was drawn from a text, before anything is decided about it."""

from dataclasses import dataclass
from datetime import datetime

from memstack_server.domain.entity import Mention


@dataclass(frozen=True)
class Draft:
    """One statement, checked for form only.

    Attributes:
        content: The fact in one full sentence.
        mentions: The entities it is about; never empty for a fact that can be superseded by slot.
        category: Such as decision, preference, fact; empty for none.
        importance: 1 (passing) to 5 (critical).
        valid_at: From when it holds in the world; None if the text does not say.
        invalid_at: Until when; None for what goes on.
        subject: The name of the mention that `attribute` belongs to; empty if there is none.
        attribute: What is said of the subject, as a short name in snake case such as `employer`; empty if none.
        value: What the attribute's value is, in the words of the text; empty if none.
        single: Whether the subject has only one such value at a time (an employer), not many (a skill).
        negated: Whether the text says that this does not, or no longer, hold.
        passages: The numbers of the passages that state it, from 0.
    """

    content: str
    mentions: tuple[Mention, ...] = ()
    category: str = ""
    importance: int = 3
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    subject: str = ""
    attribute: str = ""
    value: str = ""
    single: bool = False
    negated: bool = False
    passages: tuple[int, ...] = ()
