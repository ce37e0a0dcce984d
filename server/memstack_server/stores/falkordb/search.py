"""Candidates for an answer: by their terms, by their vectors, and the neighbours of both."""

import asyncio
import heapq
import json
import logging
from collections import defaultdict
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from redis.exceptions import ResponseError

from memstack_server.domain.clock import microseconds
from memstack_server.domain.embedding import Vector
from memstack_server.domain.filters import BEGINNING, END_OF_TIME, Filters
from memstack_server.domain.memory import Memory
from memstack_server.domain.scope import Scope
from memstack_server.stores.falkordb import rows
from memstack_server.stores.falkordb.connection import Connection, Literal, Parameters, Rows
from memstack_server.stores.falkordb.queries import schema as schema_queries
from memstack_server.stores.falkordb.queries import search as queries

log = logging.getLogger(__name__)

NEAREST = 40  # by vector
SCANNED = 200  # by vector, of what passes a filter
MATCHING = 40  # by terms
MOST_ENTRIES_OF_A_TERM = 100
EXACT_UP_TO = 2_000  # entries; here an exact search begins to cost more than one by index
_POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Entry:
    """What ranking needs to know of one memory; `at` is its place in its session, or -1."""

    id: int
    at: int
    cosine: float
    importance: int
    valid_at: int
    terms: frozenset[str]


@dataclass
class Candidates:
    """What a scope has to offer for one query.

    Attributes:
        listed: For each term the entries that it stands in, or the first `MOST_ENTRIES_OF_A_TERM` of them.
        size: How many entries there are.
        entries: By id, those that may be among the best.
    """

    listed: dict[str, list[int]]
    size: int
    entries: dict[int, Entry] = field(default_factory=dict[int, Entry])

    def frequency(self, term: str) -> int:
        """In how many entries a term stands, as far as that was counted."""
        return len(self.listed[term])


@dataclass(frozen=True)
class Found:
    """A memory of a scope.

    Attributes:
        passages: The keys of the passages that state a fact.
        outdated: Whether a passage states facts, and none of them holds any more.
    """

    memory: Memory
    passages: tuple[str, ...]
    outdated: bool


class Search:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sizes: dict[str, int] = {}
        self._indexes = VectorIndexes(connection)

    async def candidates(self, scope: Scope, terms: Sequence[str], vector: Vector, filters: Filters) -> Candidates:
        """Everything that may be among the best answers to a query of those terms and that vector."""
        asked = Literal(vector)
        known = list(terms[: queries.MOST_TERMS])
        if filters.narrow:
            return await self._scanned(scope.slug, known, asked, filters)
        listed, nearest = await asyncio.gather(
            self._listed(scope.slug, known), self._nearest(scope.slug, asked, len(vector))
        )
        found = _candidates(listed, known)
        self._sizes[scope.slug] = found.size
        _add(found, nearest)
        # The nearest without a session have no neighbours, and their cosine is known.
        unknown = [i for i in _most_matching(found) if i not in found.entries]
        unknown += [entry.id for entry in found.entries.values() if entry.at >= 0]
        if unknown:
            around = {"ids": unknown, "vector": asked}
            _add(found, await self._connection.numbers(scope.slug, queries.AROUND, around))
        return found

    async def nearest(self, scope: Scope, vector: Vector, limit: int) -> list[int]:
        """The entries nearest to the vector."""
        return [row[0] for row in (await self._nearest(scope.slug, Literal(vector), len(vector)))[:limit]]

    async def fetch(self, scope: Scope, entries: Sequence[int]) -> dict[int, Found]:
        """The memories of those entries, as far as they are still there."""
        found = await self._connection.read(scope.slug, queries.FETCH, {"ids": list(entries)})
        return {
            entry: Found(rows.memory(memory, scope, entities, episode), tuple(passages), facts > 0 and not live)
            for entry, memory, entities, episode, passages, facts, live in found
        }

    async def _listed(self, slug: str, terms: Sequence[str]) -> Rows:
        parameters = {f"t{n}": term for n, term in enumerate(terms)} | {"most": MOST_ENTRIES_OF_A_TERM}
        return await self._connection.numbers(slug, queries.lists(len(terms)), parameters)

    async def _nearest(self, slug: str, vector: Literal, dimensions: int) -> Rows:
        parameters: Parameters = {"vector": vector, "limit": NEAREST}
        if self._sizes.get(slug, 0) > EXACT_UP_TO and await self._indexes.ready(slug, dimensions):
            found = await self._connection.numbers(slug, queries.NEAREST_BY_INDEX, parameters)
            # Deleted entries leave holes in the index that use up the limit.
            if len(found) >= NEAREST // 2:
                return found
            self._indexes.renew(slug, dimensions)
        return await self._connection.numbers(slug, queries.NEAREST_EXACT, parameters)

    async def _scanned(self, slug: str, terms: list[str], vector: Literal, filters: Filters) -> Candidates:
        found = _candidates(await self._listed(slug, terms), terms)
        narrowed = _conditions(filters) | {"vector": vector}
        _add(found, await self._connection.numbers(slug, queries.SCAN, narrowed | {"limit": SCANNED}))
        unknown = [i for i in _most_matching(found) if i not in found.entries]
        _add(found, await self._connection.numbers(slug, queries.SCAN_THESE, narrowed | {"ids": unknown}))
        return found


class VectorIndexes:
    """The indexes of the scopes that have outgrown an exact search: made when first needed, in the background."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._ready: set[str] = set()
        self._making: dict[str, asyncio.Task[None]] = {}

    async def ready(self, slug: str, dimensions: int) -> bool:
        """Whether the scope's index can be asked; if there is none, it is being made from now on."""
        if slug not in self._ready and slug not in self._making:
            self._begin(slug, self._make(slug, dimensions))
        return slug in self._ready

    def renew(self, slug: str, dimensions: int) -> None:
        """Makes the index anew; it cannot be asked until then."""
        if slug in self._ready:
            self._ready.discard(slug)
            self._begin(slug, self._remake(slug, dimensions))

    def _begin(self, slug: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._making[slug] = task
        task.add_done_callback(lambda done: self._ended(slug, done))

    def _ended(self, slug: str, task: asyncio.Task[None]) -> None:
        self._making.pop(slug, None)
        if not task.cancelled() and (error := task.exception()):
            # Searches stay exact, and the next one tries again.
            log.warning("no vector index for a scope yet: %s", type(error).__name__)

    async def _remake(self, slug: str, dimensions: int) -> None:
        await self._connection.write(slug, schema_queries.DROP_VECTOR_INDEX, {})
        await self._make(slug, dimensions)

    async def _make(self, slug: str, dimensions: int) -> None:
        try:
            await self._connection.write(slug, schema_queries.vector_index(dimensions), {})
        except ResponseError as error:
            if "already indexed" not in str(error):
                raise
        while not await self._operational(slug):  # noqa: ASYNC110 - what is awaited is another program
            await asyncio.sleep(_POLL_SECONDS)
        self._ready.add(slug)

    async def _operational(self, slug: str) -> bool:
        states = await self._connection.numbers(slug, schema_queries.STATE_OF_INDEXES, {})
        return all(state == "OPERATIONAL" for label, _, state in states if label == "Entry")


def _candidates(listed: Rows, terms: Sequence[str]) -> Candidates:
    lists = {number: json.loads(entries) for number, entries in listed}
    size = lists.get(-1, [0])[0]
    return Candidates({term: lists.get(number, []) for number, term in enumerate(terms)}, size)


def _add(found: Candidates, entries: Rows) -> None:
    for entry, at, distance, importance, valid_at, terms in entries:
        words = frozenset(terms.split())
        found.entries[entry] = Entry(entry, at, 1 - float(distance), importance, valid_at, words)


def _most_matching(found: Candidates) -> list[int]:
    """The entries with the rarest terms; one that holds nothing but common ones is no candidate by its terms."""
    weight: dict[int, float] = defaultdict(float)
    for entries in found.listed.values():
        if len(entries) < MOST_ENTRIES_OF_A_TERM:
            for entry in entries:
                weight[entry] += 1 / len(entries)
    return heapq.nlargest(MATCHING, weight, key=weight.__getitem__)


def _conditions(filters: Filters) -> dict[str, object]:
    begun_by = filters.as_of or END_OF_TIME
    return {
        "category": filters.category,
        "repo": filters.repo,
        "tags": list(filters.tags),
        "importance": filters.importance,
        "since": microseconds(filters.since or BEGINNING),
        "until": microseconds(filters.until or END_OF_TIME),
        "known_at": microseconds(filters.known_at or END_OF_TIME),
        "begun_by": microseconds(begun_by),
        "holds_at": microseconds(filters.holds_at(datetime.now(UTC))),
    }
