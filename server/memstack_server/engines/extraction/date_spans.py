"""The days and periods that a text names: a pattern for each way to name them, the most exact first."""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from memstack_server.engines.extraction import date_words as words
from memstack_server.engines.extraction.date_words import DAY, MONTH, WEEK, YEAR

_YEARS = range(1900, 2101)  # what is outside is a slip


@dataclass(frozen=True)
class Span:
    """Days from `first` to `last`, both of them within."""

    first: date
    last: date

    def holds(self, day: date) -> bool:
        return self.first <= day <= self.last

    def gap(self, other: "Span") -> int:
        """How many days it takes from one to the other; 0 if they overlap."""
        return max(0, (other.first - self.last).days, (self.first - other.last).days)


@dataclass(frozen=True)
class Today:
    """From where "last" and "next" are counted; `ahead` if the text speaks of what is to come."""

    date: date
    ahead: bool = False


_Match = re.Match[str]
_Reader = Callable[[_Match, Today], Span]


def spans(text: str, today: Today) -> list[Span]:
    """The days and periods that TEXT names, in its order."""
    text = folded(text)
    found: dict[tuple[int, int], Span] = {}
    for pattern, read in _RULES:
        for match in pattern.finditer(text):
            if _is_free(match.span(), found) and (span := _tried(read, match, today)):
                found[match.span()] = span
    return [found[place] for place in sorted(found)]


def folded(text: str) -> str:
    """Lower case, without accents, single spaces: how the tables write words."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("\u2019", "'"))
    return " ".join("".join(sign for sign in plain if not unicodedata.combining(sign)).split())


def _is_free(place: tuple[int, int], taken: Iterable[tuple[int, int]]) -> bool:
    return all(place[1] <= start or end <= place[0] for start, end in taken)


def _tried(read: _Reader, match: _Match, today: Today) -> Span | None:
    try:
        span = read(match, today)
    except (ValueError, OverflowError):  # 31 February; 9,999 years ago
        return None
    return span if span.first.year in _YEARS and span.last.year in _YEARS else None


def _calendar_day(match: _Match, _: Today) -> Span:
    return _day(date(int(match["year"]), int(match["month"]), int(match["day"])))


def _calendar_month(match: _Match, _: Today) -> Span:
    return _month(int(match["year"]), int(match["month"]))


def _calendar_year(match: _Match, _: Today) -> Span:
    return _year(int(match["year"]))


def _named_day(match: _Match, today: Today) -> Span:
    month, day = _month_number(match), int(match["day"])
    if match["year"]:
        return _day(date(int(match["year"]), month, day))
    this_year = today.date.replace(month=month, day=day)
    turn = int(this_year < today.date) if today.ahead else -int(this_year > today.date)
    return _day(this_year.replace(year=today.date.year + turn))


def _named_month(match: _Match, today: Today) -> Span:
    month = _month_number(match)
    if match["year"]:
        return _month(int(match["year"]), month)
    this, shift = today.date, _shift(match)
    late, early = month > this.month, month < this.month
    turn = {-1: -int(not early), 0: 0, 1: int(not late), None: int(early) if today.ahead else -int(late)}[shift]
    return _month(this.year + turn, month)


def _month_of_year(match: _Match, today: Today) -> Span:
    return _month(today.date.year + (_shift(match) or 0), _month_number(match))


def _cjk_month(match: _Match, today: Today) -> Span:
    if match["period"] is None:
        month = _month_number(match)
        later = month > today.date.month
        return _month(today.date.year - int(later and not today.ahead), month)
    return _month(today.date.year + words.CJK_YEARS[match["period"]], _month_number(match))


def _ago(match: _Match, today: Today) -> Span:
    return _day(_moved(today.date, words.UNITS[match["unit"]], -_count(match)))


def _hence(match: _Match, today: Today) -> Span:
    return _day(_moved(today.date, words.UNITS[match["unit"]], _count(match)))


def _day_word(match: _Match, today: Today) -> Span:
    return _day(today.date + timedelta(days=words.DAYS[match[0]]))


def _weekday(match: _Match, today: Today) -> Span:
    days = (words.WEEKDAYS[match["weekday"]] - today.date.weekday()) % 7
    return _day(today.date + timedelta(days=_turned(days, _shift(match), today)))


def _cjk_weekday(match: _Match, today: Today) -> Span:
    number = words.CJK_WEEKDAYS[match["weekday"]]
    if match["week"] is None:
        days = (number - today.date.weekday()) % 7
        return _day(today.date + timedelta(days=_turned(days, None, today)))
    return _day(_monday(today.date, words.CJK_WEEKS[match["week"]]) + timedelta(days=number))


def _turned(days: int, shift: int | None, today: Today) -> int:
    """Days to a weekday that comes in so many DAYS, 0 to 6, if it is the last, this or the next that is meant."""
    if shift == 1:
        return days or 7
    if shift == -1:
        return days - 7
    return days if shift == 0 or today.ahead or days == 0 else days - 7


def _period(match: _Match, today: Today) -> Span:
    return _around(today.date, words.UNITS[match["unit"]], _shift(match) or 0)


def _cjk_period(match: _Match, today: Today) -> Span:
    return _around(today.date, *words.CJK_PERIODS[match[0]])


def _day(day: date) -> Span:
    return Span(day, day)


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _year(year: int) -> Span:
    return Span(date(year, 1, 1), date(year, 12, 31))


def _around(day: date, unit: str, shift: int) -> Span:
    """The week, month or year that DAY is in, or one before or after."""
    moved = _moved(day, unit, shift)
    if unit == WEEK:
        monday = _monday(day, shift)
        return Span(monday, monday + timedelta(days=6))
    if unit == MONTH:
        return _month(moved.year, moved.month)
    return _year(moved.year) if unit == YEAR else _day(moved)


def _monday(day: date, weeks: int) -> date:
    return day + timedelta(days=7 * weeks - day.weekday())


def _moved(day: date, unit: str, count: int) -> date:
    if unit in (DAY, WEEK):
        return day + timedelta(days=count * (7 if unit == WEEK else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == YEAR else 1)
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _month_number(match: _Match) -> int:
    name = match["month"]
    return words.MONTHS[name] if name in words.MONTHS else int(name)


def _count(match: _Match) -> int:
    count = match["count"]
    return words.NUMBERS[count] if count in words.NUMBERS else int(count)


def _shift(match: _Match) -> int | None:
    """-1 for last, 0 for this, 1 for next; None where nothing is said."""
    groups = match.groupdict()
    mark = groups.get("mark") or groups.get("after")
    if mark is None:
        return None
    return -1 if mark in words.LAST else int(mark in words.NEXT)


def _any(names: Iterable[str]) -> str:
    # The longest first: one that another begins with would hide it.
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_LATIN_UNITS = [unit for unit in words.UNITS if unit.isascii()]
_CJK_UNITS = words.UNITS.keys() - set(_LATIN_UNITS)
_YEAR = r"(?<![\d/.-])(?P<year>(?:19|20)\d\d)"
_MARK = rf"(?P<mark>{_any(words.LAST | words.NEXT | words.THIS)})"
_AFTER = rf"(?P<after>{_any(words.LAST | words.NEXT)})"
_MONTH = rf"\b(?P<month>{_any(words.MONTHS)})\b\.?"
_OF_YEAR = r"(?:,? (?:de |del )?(?P<year>(?:19|20)\d\d)\b)?"
_UNIT = rf"(?P<unit>{_any(_LATIN_UNITS)})\b"
_COUNT = rf"\b(?P<count>\d{{1,4}}|{_any(word for word in words.NUMBERS if word.isascii())})"
_COUNTED = rf"{_COUNT} {_UNIT}"
_CJK_COUNTED = rf"(?P<count>\d{{1,4}}|[一二两三四五六七八九十])(?P<unit>{_any(_CJK_UNITS)})"
_CJK_DAYS = [name for name in words.DAYS if not name.isascii()]
_CJK_WEEKDAY = "(?P<weekday>[{}])"

_RULES: tuple[tuple[re.Pattern[str], _Reader], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"{_YEAR}[-/.年] ?(?P<month>\d\d?)[-/.月] ?(?P<day>\d\d?)(?!\d)", _calendar_day),
        (r"(?<!\d)(?P<day>\d\d?)\. ?(?P<month>\d\d?)\. ?(?P<year>(?:19|20)\d\d)(?!\d)", _calendar_day),
        # 3/4 is a day in March for some and in April for others; 3/14 is plain.
        (r"\b(?P<month>\d\d?)/(?P<day>1[3-9]|2\d|3[01])/(?P<year>(?:19|20)\d\d)\b", _calendar_day),
        (r"\b(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d\d?)/(?P<year>(?:19|20)\d\d)\b", _calendar_day),
        (rf"{_YEAR}[-/年] ?(?P<month>\d\d?)(?!\d)", _calendar_month),
        (rf"\b(?P<day>\d\d?)(?:st|nd|rd|th|er|\.)? (?:of |de )?{_MONTH}{_OF_YEAR}", _named_day),
        (rf"{_MONTH} (?P<day>\d\d?)(?:st|nd|rd|th)?\b{_OF_YEAR}", _named_day),
        (r"(?P<year>(?!))?(?<!\d)(?P<month>\d\d?)月(?P<day>\d\d?)[日号]", _named_day),
        (rf"{_MONTH} (?:of |de |del )?{_MARK} (?:year|jahr|jahres|annee|ano)\b", _month_of_year),
        (rf"(?:\b{_MARK} )?{_MONTH}{_OF_YEAR}", _named_month),
        (rf"{_COUNTED} (?:ago|earlier|back|before)\b", _ago),
        (rf"\b(?:vor|seit|il y a|depuis|hace|for|since) {_COUNTED}", _ago),
        (rf"{_CJK_COUNTED}(?:以|之)?前", _ago),
        (rf"{_COUNTED} (?:from now|later)\b", _hence),
        (rf"\b(?:in|within|dans|en) {_COUNTED}", _hence),
        (rf"{_CJK_COUNTED}(?:以|之)?[后後]", _hence),
        (rf"(?:(?P<period>{_any(words.CJK_YEARS)})の?)?(?<!\d)(?P<month>\d\d?)月", _cjk_month),
        (rf"\b(?:{_any(name for name in words.DAYS if name.isascii())})\b", _day_word),
        (_any(_CJK_DAYS), _day_word),
        (rf"(?:\b{_MARK} )?\b(?P<weekday>{_any(words.WEEKDAYS)})\b(?: {_AFTER}\b)?", _weekday),
        (r"(?P<week>[上下这本])?个?(?:周|週|星期)(?P<weekday>[一二三四五六日天])", _cjk_weekday),
        (r"(?:(?P<week>[先今来])週の?)?(?P<weekday>[月火水木金土日])曜日?", _cjk_weekday),
        (rf"\b{_MARK} {_UNIT}", _period),
        (rf"\b{_UNIT} {_AFTER}\b", _period),
        (_any(words.CJK_PERIODS), _cjk_period),
        (rf"{_YEAR}(?![\d/.-]\d|\d)", _calendar_year),
    )
)
