from datetime import UTC, datetime, timedelta

import pytest

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.filters import Filters
from memstack_server.domain.lifetime import Lifetime


def day(number: int) -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)


ENDED = Lifetime(valid_at=day(0), created_at=day(10), invalid_at=day(20), expired_at=day(30))


@pytest.mark.parametrize(
    ("as_of", "known_at", "holds"),
    [
        (5, 40, True),  # it did hold then
        (25, 40, False),  # it had ended, and that is known
        (25, 25, True),  # it had ended, and nobody had heard of it
        (5, 5, False),  # it held, and nobody had heard of it
        (-1, 40, False),  # it had not begun
        (20, 40, False),  # the end does not belong to it
    ],
)
def test_both_times_count(as_of: int, known_at: int, holds: bool):
    assert ENDED.holds(day(as_of), day(known_at)) is holds


def test_current_is_what_has_not_ended():
    assert ENDED.current(day(19))
    assert not ENDED.current(day(20))
    assert Lifetime(day(50), day(0)).current(day(1))


def test_nothing_ends_before_it_begins():
    assert Lifetime(day(5), day(5)).ended(day(1), day(9)).invalid_at == day(5)


def test_filters_that_contradict_themselves_are_refused():
    with pytest.raises(InvalidInput, match="as_of and ended"):
        Filters(as_of=day(1), ended=True)
    with pytest.raises(InvalidInput, match="since is not before until"):
        Filters(since=day(2), until=day(1))
    with pytest.raises(InvalidInput, match="importance is 6"):
        Filters(importance=6)
