from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.engines.extraction.date_spans import Today, spans
from memstack_server.engines.extraction.dates import is_ahead, is_computed, resolve, supported

BERLIN = ZoneInfo("Europe/Berlin")
SAID = datetime(2026, 11, 18, 14, 5, tzinfo=BERLIN)  # a Wednesday


def day(text: str) -> datetime:
    """The beginning of a day in Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).astimezone(UTC)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("yesterday", "2026-11-17"),
        ("the day before yesterday", "2026-11-16"),
        ("tomorrow", "2026-11-19"),
        ("last Friday", "2026-11-13"),
        ("on Tuesday", "2026-11-17"),
        ("last Wednesday", "2026-11-11"),
        ("next Wednesday", "2026-11-25"),
        ("last week", "2026-11-09"),
        ("next month", "2026-12-01"),
        ("last year", "2025-01-01"),
        ("two years ago", "2024-11-18"),
        ("a month ago", "2026-10-18"),
        ("for three weeks", "2026-10-28"),
        ("in two weeks", "2026-12-02"),
        ("in March", "2026-03-01"),
        ("since last December", "2025-12-01"),
        ("March last year", "2025-03-01"),
        ("next March", "2027-03-01"),
        ("on the 14th of May", "2026-05-14"),
        ("December 24", "2025-12-24"),
        ("May 3, 2024", "2024-05-03"),
        ("3 May 2024", "2024-05-03"),
        ("since 2019", "2019-01-01"),
        ("2024-05-03", "2024-05-03"),
        ("2024-05-03T10:00:00Z", "2024-05-03"),
        ("2024-05", "2024-05-01"),
        ("5/13/2024", "2024-05-13"),
        ("13/5/2024", "2024-05-13"),
        ("3/3/2024", None),
        ("gestern", "2026-11-17"),
        ("übermorgen", "2026-11-20"),
        ("letzten Freitag", "2026-11-13"),
        ("seit März", "2026-03-01"),
        ("vor zwei Jahren", "2024-11-18"),
        ("nächste Woche", "2026-11-23"),
        ("am 3. Mai 2024", "2024-05-03"),
        ("3.5.2024", "2024-05-03"),
        ("avant-hier", "2026-11-16"),
        ("vendredi dernier", "2026-11-13"),
        ("il y a deux ans", "2024-11-18"),
        ("la semaine dernière", "2026-11-09"),
        ("le 3 août 2024", "2024-08-03"),
        ("ayer", "2026-11-17"),
        ("hace tres meses", "2026-08-18"),
        ("el año pasado", "2025-01-01"),
        ("3 de mayo de 2024", "2024-05-03"),
        ("昨天", "2026-11-17"),
        ("上周五", "2026-11-13"),
        ("两个月前", "2026-09-18"),
        ("去年3月", "2025-03-01"),
        ("2024年5月3日", "2024-05-03"),
        ("昨日", "2026-11-17"),
        ("先週の金曜日", "2026-11-13"),
        ("3年前", "2023-11-18"),
        ("来月", "2026-12-01"),
        ("5月3日", "2026-05-03"),
        ("for ever", None),
        ("9999 years ago", None),
        ("in the year 3000", None),
        ("2026-13-45", None),
        ("30 February", "2026-02-01"),
        ("", None),
    ],
)
def test_words_for_a_day_are_counted_from_when_they_were_said(phrase: str, expected: str | None):
    assert resolve(phrase, SAID) == (day(expected) if expected else None)


@pytest.mark.parametrize(
    "phrase", ["today", "now", "this morning", "since today", "heute", "今天", "this month", "in 2026"]
)
def test_what_is_under_way_holds_from_the_moment_of_speaking(phrase: str):
    assert resolve(phrase, SAID) == SAID.astimezone(UTC)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [("since November", "2026-11-01"), ("seit diesem Jahr", "2026-01-01"), ("depuis 2026", "2026-01-01")],
)
def test_since_means_from_the_beginning(phrase: str, expected: str):
    assert resolve(phrase, SAID) == day(expected)


@pytest.mark.parametrize(
    ("phrase", "expected"), [("in March", "2027-03-01"), ("on Friday", "2026-11-20"), ("January 5", "2027-01-05")]
)
def test_what_is_still_to_come_is_the_next_one(phrase: str, expected: str):
    assert resolve(phrase, SAID, ahead=True) == day(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada will move in March.", True),
        ("Ada zieht im März um, das ist geplant.", True),
        ("Ada moved in March.", False),
    ],
)
def test_a_text_tells_whether_it_is_about_what_is_to_come(text: str, expected: bool):
    assert is_ahead(text) is expected


def test_of_two_dates_the_first_is_the_beginning_and_the_last_the_end():
    assert resolve("from May to July", SAID) == day("2026-05-01")
    assert resolve("from May to July", SAID, end=True) == day("2026-07-01")


def test_a_day_is_one_of_the_speaker_s_zone():
    said = datetime(2026, 11, 18, 2, 0, tzinfo=ZoneInfo("Asia/Tokyo"))  # still the 17th in UTC
    assert resolve("yesterday", said) == datetime(2026, 11, 16, 15, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("computed", "text", "expected"),
    [
        ("2026-11-13", "We met last Friday.", "2026-11-13"),
        ("2026-11-11", "We met last Friday.", "2026-11-13"),
        ("2024", "I moved here two years ago.", "2024-11-18"),
        ("2026-03-05", "Begun on March 3, live on March 5.", "2026-03-05"),
        ("2026-06-01", "We met last Friday.", None),
        ("2026-06-01", "We met.", None),
        ("2026-13-45", "We met last Friday.", None),
    ],
)
def test_a_date_that_a_model_computed_counts_only_near_one_of_the_text(computed: str, text: str, expected: str | None):
    assert supported(computed, text, SAID) == (day(expected) if expected else None)


@pytest.mark.parametrize("phrase", ["2026-11-13", "2026", "2026-11", "2026-11-13T10:00:00Z"])
def test_a_date_of_the_calendar_is_one_that_may_have_been_computed(phrase: str):
    assert is_computed(phrase)


@pytest.mark.parametrize("phrase", ["last Friday", "3 May 2024", "since 2019"])
def test_words_were_copied(phrase: str):
    assert not is_computed(phrase)


_WORDS = st.sampled_from(
    ["last", "May", "31", "2024", "vor", "9999", "Jahren", "金曜日", "3月", "29.2.", "-", "/", "ago", "99"]
)


@given(st.lists(_WORDS | st.text(max_size=5)).map(" ".join), st.booleans(), st.dates())
def test_no_text_can_break_it(text: str, ahead: bool, said: date):
    for span in spans(text, Today(said, ahead)):
        assert 1900 <= span.first.year <= span.last.year <= 2100
        assert span.first <= span.last
