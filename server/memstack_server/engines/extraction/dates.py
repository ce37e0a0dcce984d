"""What a text means by "last Friday", "in March" or "vor zwei Jahren", said on a certain day.

Small models copy such words well and compute with them badly. So the model copies, and this computes; a date that a
model did compute counts only if it is near one that the text itself names. English, German, French, Spanish, Chinese
and Japanese are known here; of other words no date is made, and the fact holds from when it was said.

Days are those of the speaker's time zone, answers are in UTC. Of a period that is over or still to come it is the
beginning; of one that is under way it is the moment of speaking, unless the words say "since".
"""

import re
from datetime import UTC, datetime, time

from memstack_server.engines.extraction import date_words as words
from memstack_server.engines.extraction.date_spans import Span, Today, folded, spans

_NEAR_DAYS = 7  # a model that miscounts weekdays errs by less
_CALENDAR = re.compile(r"\d{4}(?:-\d\d?(?:-\d\d?)?)?(?:[T ].*)?")
_WORD = re.compile(r"\w+")


def resolve(phrase: str, said_at: datetime, *, ahead: bool = False, end: bool = False) -> datetime | None:
    """The moment that PHRASE names; None if it names none that is known here.

    Args:
        phrase: Words of the text, such as "since last March".
        said_at: When they were said, with a zone.
        ahead: Whether they belong to what is still to come, so that "in March" is the next one.
        end: Of several dates the last and not the first: "from May to July" ends in July.
    """
    found = spans(phrase, Today(said_at.date(), ahead))
    since = not words.SINCE.isdisjoint(_words(phrase))
    return _moment(found[-1 if end else 0], said_at, since=since) if found else None


def supported(computed: str, text: str, said_at: datetime, *, ahead: bool = False) -> datetime | None:
    """The moment named in TEXT that a date COMPUTED by a model stands for; None if the text names none near it."""
    today = Today(said_at.date(), ahead)
    claimed = spans(computed, today)
    named = spans(text, today) if claimed else []
    nearest = min(named, key=claimed[0].gap, default=None) if claimed else None
    if nearest is None or nearest.gap(claimed[0]) > _NEAR_DAYS:
        return None
    return _moment(nearest, said_at, since=False)


def is_computed(phrase: str) -> bool:
    """Whether PHRASE is a date of the calendar and not words."""
    return bool(_CALENDAR.fullmatch(phrase))


def is_ahead(text: str) -> bool:
    """Whether TEXT speaks of what is still to come."""
    return not words.AHEAD.isdisjoint(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(text))


def _moment(span: Span, said_at: datetime, *, since: bool) -> datetime:
    if span.holds(said_at.date()) and not (since and span.first < span.last):
        return said_at.astimezone(UTC)
    return datetime.combine(span.first, time(), said_at.tzinfo).astimezone(UTC)
