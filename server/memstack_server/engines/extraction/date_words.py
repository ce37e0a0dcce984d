"""How people name days, in some languages.

All words are folded, as `date_spans.folded` does: lower case, no accents ("marz", "manana").
"""

from collections.abc import Mapping
from typing import Final, TypeVar

T = TypeVar("T")

DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"


def _all(value: T, words: str, separator: str | None = None) -> dict[str, T]:
    """Every one of the words, with the same value."""
    return dict.fromkeys(words.split(separator), value)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _numbered(first: int, words: str) -> dict[str, int]:
    """The words with their numbers, counted from FIRST; a "/" stands between words of the same number."""
    return {word: number for number, place in enumerate(words.split(), first) for word in place.split("/")}


MONTHS: Final[Mapping[str, int]] = {
    **_numbered(1, "jan feb mar apr may jun jul aug sep/sept oct nov dec"),
    **_numbered(1, "january february march april may june july august september october november december"),
    **_numbered(1, "januar februar marz april mai juni juli august september oktober november dezember"),
    **_numbered(1, "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"),
    **_numbered(1, "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}

WEEKDAYS: Final[Mapping[str, int]] = {
    **_numbered(0, "monday tuesday wednesday thursday friday saturday sunday"),
    **_numbered(0, "montag dienstag mittwoch donnerstag freitag samstag/sonnabend sonntag"),
    **_numbered(0, "lundi mardi mercredi jeudi vendredi samedi dimanche"),
    **_numbered(0, "lunes martes miercoles jueves viernes sabado domingo"),
}
CJK_WEEKDAYS: Final[Mapping[str, int]] = {
    **_numbered(0, "月 火 水 木 金 土 日"),
    **_numbered(0, "一 二 三 四 五 六 天"),
}

NUMBERS: Final[Mapping[str, int]] = {
    **_numbered(1, "one two three four five six seven eight nine ten eleven twelve"),
    **_numbered(1, "ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf"),
    **_numbered(1, "un deux trois quatre cinq six sept huit neuf dix onze douze"),
    **_numbered(1, "uno dos tres cuatro cinco seis siete ocho nueve diez once doce"),
    **_numbered(1, "一 二/两/兩 三 四 五 六 七 八 九 十"),
    **_all(1, "a an eine einem einer einen une una"),
}

UNITS: Final[Mapping[str, str]] = {
    **_all(DAY, "day days tag tage tagen jour jours dia dias 天 日 日間"),
    **_all(WEEK, "week weeks woche wochen semaine semaines semana semanas 周 週間 星期 个星期"),
    **_all(MONTH, "month months monat monate monaten mois mes meses 个月 個月 か月 ヶ月 カ月"),
    **_all(YEAR, "year years jahr jahre jahren an ans annee annees ano anos 年"),
}

DAYS: Final[Mapping[str, int]] = {
    **_all(-2, "the day before yesterday/vorgestern/avant-hier/anteayer/antier/前天/一昨日", "/"),
    **_all(-1, "yesterday/last night/gestern/hier/ayer/anoche/昨天/昨日/きのう", "/"),
    **_all(
        0, "today/tonight/now/right now/this morning/heute/jetzt/aujourd'hui/maintenant/hoy/ahora/今天/今日/现在", "/"
    ),
    **_all(1, "tomorrow/morgen/demain/manana/明天/明日/あした", "/"),
    **_all(2, "the day after tomorrow/ubermorgen/apres-demain/pasado manana/后天/明後日", "/"),
}

LAST: Final = _set(
    """last past previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges vergangene vergangenen
    vergangenes dernier derniere passe passee pasado pasada ultimo ultima"""
)
NEXT: Final = _set(
    """next coming upcoming following nachste nachsten nachster nachstes nachstem kommende kommenden kommender kommendes
    prochain prochaine proximo proxima"""
)
THIS: Final = _set("this current diese diesen dieser dieses diesem ce cet cette este esta")

CJK_WEEKS: Final[Mapping[str, int]] = {**_all(-1, "上 先"), **_all(0, "这 本 今"), **_all(1, "下 来")}
CJK_YEARS: Final[Mapping[str, int]] = {**_all(-1, "去年 昨年"), **_all(0, "今年"), **_all(1, "明年 来年")}
CJK_PERIODS: Final[Mapping[str, tuple[str, int]]] = {
    **_all((WEEK, -1), "上周 上週 上星期 上个星期 先週"),
    **_all((WEEK, 0), "这周 本周 这个星期 今週"),
    **_all((WEEK, 1), "下周 下週 下星期 下个星期 来週"),
    **_all((MONTH, -1), "上个月 上月 先月"),
    **_all((MONTH, 0), "这个月 本月 今月"),
    **_all((MONTH, 1), "下个月 下月 来月"),
    **{name: (YEAR, shift) for name, shift in CJK_YEARS.items()},
}

SINCE: Final = frozenset({"since", "seit", "depuis", "desde", "from", "ab"})
AHEAD: Final = NEXT | _set(
    """will shall plan plans planned planning going intends intend wird werde werden plant plane geplant vais va
    prevoit prevu voy planea planeo"""
)
