"""A model's facts, checked field by field against the text that they are about.

Nothing in them is trusted. What can be mended is mended, what cannot is left out, and either is counted by name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memstack_server.domain import limits
from memstack_server.domain.draft import Draft
from memstack_server.domain.entity import Entity
from memstack_server.domain.names import key
from memstack_server.domain.text import normalised
from memstack_server.engines.extraction import dates, schema
from memstack_server.engines.extraction.finding import Found
from memstack_server.engines.extraction.flaws import Flaw, Flaws
from memstack_server.engines.extraction.ground import Ground
from memstack_server.engines.extraction.mentions import Mentions
from memstack_server.engines.extraction.prompt import EXAMPLE_NAMES
from memstack_server.engines.extraction.reading import Json, list_of, number_of, text_of, truth_of

_CONTENT_CHARACTERS = 1_000  # more is no sentence, whatever the schema said
_VALUE_CHARACTERS = 200
_ATTRIBUTE_CHARACTERS = 40
_DEFAULT_IMPORTANCE = 3
_NOTHING: Final = frozenset({"", "none", "null", "n/a", "na", "unknown", "unspecified", "present", "ongoing", "-"})
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Text:
    """What the facts are about: the passages, when they were said, and what the scope knows."""

    passages: Sequence[str]
    said_at: datetime
    known: Sequence[Entity] = ()


def drafts(found: Found, text: Text, flaws: Flaws) -> tuple[Draft, ...]:
    """The facts that stand on the text, each once, in their order."""
    checker = _Checker(found, text, flaws)
    flaws[Flaw.TOO_MANY] += max(0, len(found.facts) - schema.FACTS)
    kept: dict[str, Draft] = {}
    for fact in found.facts[: schema.FACTS]:
        if draft := checker.draft(fact):
            same = normalised(draft.content).casefold()
            flaws[Flaw.DUPLICATE] += same in kept
            kept[same] = _with_passages(kept.get(same, draft), draft.passages)
    return tuple(kept.values())


def _with_passages(draft: Draft, passages: Sequence[int]) -> Draft:
    return replace(draft, passages=tuple(sorted({*draft.passages, *passages})))


class _Checker:
    """Checks one answer's facts, one by one."""

    def __init__(self, found: Found, text: Text, flaws: Flaws) -> None:
        self._text = text
        self._flaws = flaws
        self._ground = Ground(text.passages, text.known)
        self._mentions = Mentions(found.entities, self._ground)

    def draft(self, fact: Json) -> Draft | None:
        content = text_of(fact["content"])
        if flaw := self._refusal(content):
            self._flaws[flaw] += 1
            return None
        draft = Draft(content, passages=self._passages(fact.get("passages"), content))
        draft = self._with_entities(draft, fact)
        if draft is None:
            return None
        draft = replace(draft, category=_category(fact.get("category")), importance=self._importance(fact))
        return self._with_dates(draft, fact)

    def _refusal(self, content: str) -> Flaw | None:
        if not content:
            return Flaw.EMPTY
        if len(content) > _CONTENT_CHARACTERS:
            return Flaw.TOO_LONG
        if self._is_example(content):
            return Flaw.EXAMPLE
        if not self._ground.same_script(content):
            return Flaw.LANGUAGE
        return None if self._ground.shares_words(content) else Flaw.UNGROUNDED

    def _is_example(self, content: str) -> bool:
        words = f" {key(content)} "
        return any(f" {key(name)} " in words and not self._ground.names(name) for name in EXAMPLE_NAMES)

    def _with_entities(self, draft: Draft, fact: Json) -> Draft | None:
        """The draft with what it is about; None if all that it is said to be about was invented."""
        subject = self._mentions.of(fact.get("subject"))
        named = list_of(fact.get("about"))
        about = [self._mentions.of(name) for name in named]
        self._flaws[Flaw.INVENTED] += (lost := about.count(None))
        if lost and lost == len(about) and not subject:
            return None
        mentions = dict.fromkeys(
            mention for mention in (*about, subject, self._mentions.listed(fact.get("value"))) if mention
        )
        draft = replace(draft, mentions=tuple(mentions), negated=truth_of(fact.get("negated")))
        return _with_slot(draft, subject.name, fact) if subject else draft

    def _passages(self, value: object, content: str) -> tuple[int, ...]:
        numbers = [number_of(each) for each in list_of(value)]
        there = sorted({n for n in numbers if n is not None and 0 <= n < len(self._text.passages)})
        self._flaws[Flaw.PASSAGE] += any(n not in there for n in numbers)
        return tuple(there) or self._ground.nearest(content)

    def _importance(self, fact: Json) -> int:
        number = number_of(fact.get("importance"))
        self._flaws[Flaw.IMPORTANCE] += number is None or not 1 <= number <= 5
        return _DEFAULT_IMPORTANCE if number is None else min(5, max(1, number))

    def _with_dates(self, draft: Draft, fact: Json) -> Draft:
        since = self._moment(fact.get("since"), draft, end=False)
        until = self._moment(fact.get("until"), draft, end=True)
        if since and until and until <= since:
            self._flaws[Flaw.DATE] += 1
            until = None
        if until and not since and until < self._text.said_at:
            # All that is known of it lies in the past, and there it belongs: it must not replace what holds today.
            since = until
        return replace(draft, valid_at=since, invalid_at=until)

    def _moment(self, value: object, draft: Draft, *, end: bool) -> datetime | None:
        phrase, said_at = text_of(value), self._text.said_at
        if phrase.casefold() in _NOTHING:
            return None
        ahead = dates.is_ahead(f"{phrase} {draft.content}")
        if dates.is_computed(phrase):
            passages = "\n".join(self._text.passages[number] for number in draft.passages)
            moment = dates.supported(phrase, passages, said_at, ahead=ahead)
        else:
            moment = dates.resolve(phrase, said_at, ahead=ahead, end=end)
        self._flaws[Flaw.DATE] += moment is None
        return moment


def _with_slot(draft: Draft, subject: str, fact: Json) -> Draft:
    attribute = "_".join(_WORD.findall(text_of(fact.get("attribute")).casefold()))[:_ATTRIBUTE_CHARACTERS]
    if not attribute:
        return draft
    return replace(
        draft,
        subject=subject,
        attribute=attribute,
        value=text_of(fact.get("value"))[:_VALUE_CHARACTERS],
        single=truth_of(fact.get("single")),
    )


def _category(value: object) -> str:
    category = text_of(value).casefold()[: limits.LABEL_CHARACTERS]
    return "" if category == "other" else category
