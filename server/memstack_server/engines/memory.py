"""What each tool means: memories, stored and found by what they say."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import attrgetter

from memstack_server.domain import limits
from memstack_server.domain.errors import InvalidInput, StoreUnavailable, UnknownMemory
from memstack_server.domain.memory import Memory, MemoryId, Provenance
from memstack_server.domain.page import Cursor, Page
from memstack_server.domain.scope import GLOBAL, Scope
from memstack_server.domain.text import checked
from memstack_server.engines.embedding import Choice, Embedders
from memstack_server.models.cache import QueryVectors
from memstack_server.stores.falkordb import FalkorStore

_SCOPES_SHOWN = 100


@dataclass(frozen=True)
class Hit:
    """A memory that a search found; `similarity` is the cosine of its angle to the query."""

    memory: Memory
    similarity: float

    @property
    def score(self) -> float:
        """What results are ranked by."""
        return self.similarity


@dataclass(frozen=True)
class Status:
    """How the server does: the store's state, the embedder in use, and what is in the scopes (the first hundred)."""

    store: str
    embedder: Choice | None
    scopes: int
    memories: dict[str, int]


class MemoryEngine:
    """Explicit memory: what is stored is what was said, and is searchable once `store` returns.

    Every method may raise `StoreUnavailable`.
    """

    def __init__(self, store: FalkorStore, embedders: Embedders) -> None:
        self._store = store
        self._embedders = embedders
        self._queries = QueryVectors()

    async def store(  # noqa: PLR0913 - a memory has these parts
        self,
        content: str,
        scope: str,
        *,
        category: str | None,
        tags: tuple[str, ...],
        importance: int,
        provenance: Provenance,
    ) -> tuple[Memory, bool]:
        """The memory as it is kept, and whether it is new: the same text in the same scope is one memory.

        Raises:
            InvalidInput: A part is empty, too long or out of range.
            EmbedderUnavailable: No vector could be had; nothing was stored.
            StoreFull: The store has no room; nothing was stored.
        """
        memory = Memory.new(
            Scope.parse(scope),
            content,
            created_at=datetime.now(UTC),
            category=category,
            tags=tags,
            importance=importance,
            provenance=provenance,
        )
        embedder = await self._embedders.for_writing()
        return await self._store.store(memory, await embedder.embed(content))

    async def search(self, query: str, scope: str, k: int) -> list[Hit]:
        """The `k` memories of the scope and of `global` that are nearest to the query, best first.

        Raises:
            InvalidInput: The query, the scope or `k` is out of bounds.
            EmbedderUnavailable: No vector could be had for the query.
        """
        scopes = {Scope.parse(scope), GLOBAL}
        checked(query, "query", limits.QUERY_CHARACTERS)
        _check_number(k, "k")
        embedder = await self._embedders.for_reading()
        if embedder is None:
            return []
        vector = await self._queries.of(query, embedder)
        found = await self._store.search(scopes, vector, k)
        hits = [Hit(memory, similarity) for memory, similarity in found]
        return sorted(hits, key=attrgetter("score"), reverse=True)[:k]

    async def get(self, memory_id: str) -> Memory:
        """Raises `InvalidInput` for what is no id, `UnknownMemory` for one that names nothing."""
        memory = await self._store.get(MemoryId.parse(memory_id))
        if memory is None:
            raise _unknown(memory_id)
        return memory

    async def delete(self, memory_id: str) -> None:
        """Raises `InvalidInput` for what is no id, `UnknownMemory` for one that names nothing."""
        if not await self._store.delete(MemoryId.parse(memory_id)):
            raise _unknown(memory_id)

    async def page(self, scope: str, limit: int, cursor: str | None) -> Page:
        """The scope's memories, newest first; raises `InvalidInput` for a cursor of another list."""
        of = Scope.parse(scope)
        _check_number(limit, "limit")
        return await self._store.page(of, limit, Cursor.decode(cursor, of) if cursor else None)

    async def ready(self) -> None:
        """Returns if calls can be answered, and raises why not otherwise."""
        await self._store.ping()
        if self._embedders.choice is None:
            raise StoreUnavailable("the server has yet to ask the store whose vectors it holds. Try again shortly.")

    async def status(self) -> Status:
        """Never raises for a store that is down: that is what one asks for."""
        try:
            scopes = await self._store.scopes()
            shown = scopes[:_SCOPES_SHOWN]
            counts = await asyncio.gather(*map(self._store.count, shown))
        except StoreUnavailable as error:
            return Status(str(error), self._embedders.choice, 0, {})
        names = (scope.name for scope in shown)
        return Status("ready", self._embedders.choice, len(scopes), dict(zip(names, counts, strict=True)))


def _check_number(value: int, name: str) -> None:
    if not 1 <= value <= limits.RESULTS:
        raise InvalidInput(f"{name} is {value}. Pass 1 to {limits.RESULTS}.")


def _unknown(memory_id: str) -> UnknownMemory:
    return UnknownMemory(
        f"there is no memory {memory_id}: it was deleted, or never stored. "
        "Find ids with search_memory or list_memories."
    )
