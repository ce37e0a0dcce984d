"""How an answer is found: candidates from every scope that is asked, one ranking over all of them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memstack_server.domain.clock import moment
from memstack_server.domain.embedding import Vector
from memstack_server.domain.filters import Filters
from memstack_server.domain.memory import Kind, Memory
from memstack_server.domain.ranking import Calibration, Candidate, idf, relevance
from memstack_server.domain.scope import Scope
from memstack_server.domain.scoring import Score, Weights, score
from memstack_server.stores.falkordb.search import Candidates, Entry, Found, Search

_SPARE = 5  # fetched beyond what was asked for: some have ended, some passages say what a fact says
_PLACES = 1_048_576  # of a session, in the number that says where an entry stands

_Place = tuple[int, int]  # which scope, which entry of it


@dataclass(frozen=True)
class Hit:
    """A memory that a search found, and why it stands where it does."""

    memory: Memory
    score: Score


@dataclass(frozen=True)
class Question:
    """What is asked, what it is narrowed to, and how results are weighed."""

    terms: Sequence[str]
    vector: Vector
    filters: Filters
    weights: Weights
    calibration: Calibration
    kinds: frozenset[Kind] = frozenset(Kind)


async def ask(search: Search, scopes: Sequence[Scope], question: Question, k: int) -> list[Hit]:
    """The `k` best of all the scopes, best first."""
    now = datetime.now(UTC)
    offers = await asyncio.gather(
        *(search.candidates(scope, question.terms, question.vector, question.filters) for scope in scopes)
    )
    scored = _scored(offers, question, now)
    best = sorted(scored, key=lambda place: scored[place].total, reverse=True)[: k + _SPARE]
    found = await _fetched(search, scopes, best)
    shown = [place for place in best if place in found and _asked_for(found[place], question, now)]
    said = {key for place in shown if found[place].memory.kind is Kind.FACT for key in found[place].passages}
    # A passage whose fact is shown is that fact's source, and no answer of its own.
    hits = [Hit(found[place].memory, scored[place]) for place in shown if found[place].memory.id.key not in said]
    return hits[:k]


def _scored(offers: Sequence[Candidates], question: Question, now: datetime) -> dict[_Place, Score]:
    places = [(n, entry) for n, offer in enumerate(offers) for entry in offer.entries.values()]
    weights = [{term: idf(offer.frequency(term), offer.size) for term in offer.listed} for offer in offers]
    candidates = [_candidate(n, entry, weights[n]) for n, entry in places]
    return {
        (n, entry.id): score(relevant, moment(entry.valid_at), entry.importance, question.weights, now)
        for (n, entry), relevant in zip(places, relevance(candidates, question.calibration), strict=True)
    }


def _candidate(scope: int, entry: Entry, weights: Mapping[str, float]) -> Candidate:
    words = sum(weights[term] for term in weights.keys() & entry.terms)
    if entry.at < 0:
        return Candidate(entry.cosine, words)
    session, position = divmod(entry.at, _PLACES)
    return Candidate(entry.cosine, words, (scope, session), position)


async def _fetched(search: Search, scopes: Sequence[Scope], best: Sequence[_Place]) -> dict[_Place, Found]:
    wanted = [[entry for scope, entry in best if scope == n] for n in range(len(scopes))]
    asked = [(n, entries) for n, entries in enumerate(wanted) if entries]
    answers = await asyncio.gather(*(search.fetch(scopes[n], entries) for n, entries in asked))
    return {(n, entry): memory for (n, _), found in zip(asked, answers, strict=True) for entry, memory in found.items()}


def _asked_for(found: Found, question: Question, now: datetime) -> bool:
    if found.memory.kind not in question.kinds:
        return False
    # Beside what was superseded this leaves out an end that was known beforehand and has come.
    return question.filters.narrow or (found.memory.lifetime.current(now) and not found.outdated)
