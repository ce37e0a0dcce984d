"""The JSON in what a model wrote, whatever it wrote around it.

Nothing here raises, and nothing takes longer than a fixed multiple of the text's length.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from memstack_server.engines.extraction.flaws import Flaw, Flaws

Json = Mapping[str, object]

_THOUGHT = re.compile(r"</?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_BEGINNING = re.compile(r"\s*(?:```\w*)?\s*[{\[]")
_START = re.compile(r"[{\[]")
_LAST_COMMA = re.compile(r",(?=\s*[}\]])")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_NUMBER = re.compile(r"-?\d{1,9}")
_WORST = (Flaw.EMPTY, Flaw.CUT, Flaw.BROKEN, Flaw.SCHEMA, Flaw.THINKING, Flaw.PROSE)
_CHARACTERS = 200_000  # eight times the longest answer that is asked for
_EFFORT = 10  # a damaged answer is read so many times at most

_decoder = json.JSONDecoder(strict=False)  # a line feed within a string is no reason to lose it


def values(text: str, flaws: Flaws) -> list[object]:
    """The outermost complete objects and lists in TEXT, in its order; notes how they were wrapped.

    Where the outermost is cut off or damaged, those within it are the outermost that are complete.
    """
    answer = _without_thoughts(text[:_CHARACTERS], flaws)
    found, broken = _decoded(answer)
    if broken and (mended := _LAST_COMMA.sub("", answer)) != answer:
        found, broken = _decoded(mended)
    flaws[Flaw.EMPTY] += not text.strip()
    flaws[Flaw.BROKEN] += broken
    flaws[Flaw.FENCED] += "```" in answer
    flaws[Flaw.PROSE] += not _BEGINNING.match(answer)
    return found


def within(values: Iterable[object]) -> Iterator[tuple[str, object]]:
    """Every value in VALUES with the key that it stands under, what holds others before them.

    By hand and not by recursion: JSON may be nested deeper than calls may.
    """
    pending = [("", value) for value in reversed(list(values))]
    while pending:
        key, value = pending.pop()
        yield key, value
        pending.extend(reversed(_children(key, value)))


def other_names(**names: str) -> Mapping[str, str]:
    """For each other name, the name that it stands for; the arguments list them after the name."""
    return {plain(other): name for name, others in names.items() for other in others.split()}


def renamed(raw: Json, names: Mapping[str, str]) -> tuple[dict[str, object], bool]:
    """The fields under their proper names, and whether one had another; where both stand, the proper one counts."""
    fields = {plain(key): value for key, value in raw.items()}
    others = {names[key]: value for key, value in fields.items() if key in names and names[key] not in fields}
    return fields | others, bool(others)


def plain(key: str) -> str:
    """A key without what people write it with: `validFrom`, `Valid From` and `valid_from` are one."""
    return "".join(filter(str.isalnum, key)).casefold()


def worst(flaws: Flaws) -> Flaw:
    """The flaw that tells best why an answer holds nothing of use."""
    return next((flaw for flaw in _WORST if flaws[flaw]), Flaw.SHAPE)


def text_of(value: object) -> str:
    """A string or number as text on one line; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(_UNPRINTABLE.sub(" ", str(value)).split())


def truth_of(value: object) -> bool:
    """Whether a value says yes, in JSON or in words."""
    return value is True or text_of(value).casefold() in {"true", "yes", "1"}


def number_of(value: object) -> int | None:
    """The first whole number in a value: 4 in 4, in "4/5" and in "[4]"; None if there is none."""
    found = _NUMBER.search(text_of(value))
    return int(found[0]) if found else None


def list_of(value: object) -> list[object]:
    """A list as it is, and a single value as a list of one."""
    if isinstance(value, list):
        return list[object](value)
    return [] if value is None or value == "" else [value]


def _without_thoughts(text: str, flaws: Flaws) -> str:
    tags = list(_THOUGHT.finditer(text))
    if not tags:
        return text
    flaws[Flaw.THINKING] += 1
    # Some models only close their thoughts, others only open them: what counts is where the last tag stands.
    answer = text[tags[-1].end() :]
    return answer if _START.search(answer) else text


def _decoded(text: str) -> tuple[list[object], bool]:
    """The values, and whether JSON began somewhere that could not be read."""
    found: list[object] = []
    broken = False
    effort = _EFFORT * len(text)
    start = _START.search(text)
    while start and effort > 0:
        value, end = _value_at(text, start.start())
        effort -= end - start.start()
        if value is None:
            broken, end = True, start.end()
        else:
            found.append(value)
        start = _START.search(text, end)
    return found, broken


def _value_at(text: str, start: int) -> tuple[object, int]:
    """The value that begins at START, and how far it was read; None for the value if it is damaged."""
    try:
        return _decoder.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return None, max(error.pos, start + 1)
    except (ValueError, RecursionError):  # a number of thousands of digits; thousands of brackets
        return None, len(text)


def _children(key: str, value: object) -> list[tuple[str, object]]:
    if isinstance(value, dict):
        return list(dict[str, object](value).items())
    return [(key, each) for each in list[object](value)] if isinstance(value, list) else []
