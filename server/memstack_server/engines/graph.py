"""What each tool means: facts and episodes, stored, found, corrected and deleted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from memstack_server.domain import limits
from memstack_server.domain.admission import admit
from memstack_server.domain.embedding import Embedder, Vector
from memstack_server.domain.entity import Entity
from memstack_server.domain.episode import Episode
from memstack_server.domain.errors import InvalidInput, StoreUnavailable, UnknownMemory
from memstack_server.domain.filters import Filters
from memstack_server.domain.memory import Kind, Memory, MemoryId, Provenance, Source
from memstack_server.domain.names import key as entity_key
from memstack_server.domain.page import Cursor, Page
from memstack_server.domain.ranking import calibration
from memstack_server.domain.scope import GLOBAL, Scope
from memstack_server.domain.scoring import Weights
from memstack_server.domain.text import checked
from memstack_server.domain.words import distinct, terms
from memstack_server.engines.embedding import Choice, Embedders
from memstack_server.engines.searching import Hit, Question, ask
from memstack_server.models.cache import QueryVectors
from memstack_server.stores.falkordb.entities import Step
from memstack_server.stores.falkordb.queue import Dead
from memstack_server.stores.falkordb.store import FalkorStore

_SCOPES_SHOWN = 100
_ENTITIES_COMPARED = 50
_MOST_HOPS = 3


@dataclass(frozen=True)
class Status:
    """How the server does: the store's state, the embedder in use, what is in the scopes, and what waits."""

    store: str
    embedder: Choice | None
    scopes: int
    memories: dict[str, int]
    waiting: dict[str, int]
    dead: int


@dataclass(frozen=True)
class Version:
    """A fact in a chain of facts that replaced each other."""

    memory: Memory
    superseded_by: tuple[MemoryId, ...]


class GraphEngine:
    """Graph memory: what is stored is searchable at once, and tied to entities and to its history afterwards.

    Every method may raise `StoreUnavailable`.

    Args:
        extraction: The model that draws facts, or why there is none.
        wake: Called when something new waits for the language model.
    """

    def __init__(
        self,
        store: FalkorStore,
        embedders: Embedders,
        weights: Weights,
        extraction: str,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._embedders = embedders
        self.weights = weights
        self.extraction = extraction
        self._wake = wake
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
        valid_at: datetime | None = None,
    ) -> tuple[Memory, bool]:
        """The memory as it is kept, and whether it is new: the same text in the same scope is one memory.

        Raises:
            InvalidInput: A part is empty, too long or out of range, or a deleted text comes back by an import.
            Refused: The text is nothing to remember.
            EmbedderUnavailable: No vector could be had; nothing was stored.
            StoreFull: The store has no room; nothing was stored.
        """
        memory = Memory.new(
            Scope.parse(scope),
            content,
            created_at=datetime.now(UTC),
            valid_at=valid_at,
            category=category,
            tags=tags,
            importance=importance,
            provenance=provenance,
        )
        admit(content)
        if provenance.source is Source.IMPORTED and await self._store.memories.buried(memory.scope, content):
            raise InvalidInput(
                "this text was deleted from the scope, and an import does not bring it back. Store it with source "
                "user-said or agent-inferred if it is meant to return."
            )
        kept = await self._store.memories.store(
            memory, terms(memory.indexed_text), await self._vector(memory.indexed_text)
        )
        self._wake()
        return kept

    async def search(  # noqa: PLR0913 - a question has these parts
        self,
        query: str,
        scope: str,
        k: int,
        *,
        filters: Filters | None = None,
        weights: Weights | None = None,
        kinds: frozenset[Kind] = frozenset(Kind),
    ) -> list[Hit]:
        """The `k` memories of the scope and of `global` that answer the query best.

        Raises:
            InvalidInput: The query, the scope or `k` is out of bounds.
            EmbedderUnavailable: No vector could be had for the query.
        """
        scopes = list(dict.fromkeys((Scope.parse(scope), GLOBAL)))
        checked(query, "query", limits.QUERY_CHARACTERS)
        _check_number(k, "k")
        embedder = await self._embedders.for_reading()
        if embedder is None:
            return []
        question = Question(
            terms=distinct(query),
            vector=await self._queries.of(query, embedder),
            filters=filters or Filters(),
            weights=weights or self.weights,
            calibration=calibration(embedder.id),
            kinds=kinds,
        )
        return await ask(self._store.search, scopes, question, k)

    async def get(self, memory_id: str) -> Memory:
        """Raises `InvalidInput` for what is no id, `UnknownMemory` for one that names nothing."""
        memory = await self._store.memories.get(MemoryId.parse(memory_id))
        if memory is None:
            raise _unknown(memory_id)
        return memory

    async def update(
        self,
        memory_id: str,
        *,
        content: str | None,
        category: str | None,
        tags: tuple[str, ...] | None,
        importance: int | None,
    ) -> Memory:
        """The memory as it is now. Its id stays; what it said before stays in its history.

        Raises:
            InvalidInput: A part is out of bounds, or the new text is another memory's.
            Refused: The text is nothing to remember.
            UnknownMemory: The id names no fact.
        """
        memory = await self.get(memory_id)
        if memory.kind is not Kind.FACT:
            raise InvalidInput("a passage of an episode cannot be edited. Delete it, or store the right fact.")
        if not memory.lifetime.current(datetime.now(UTC)):
            raise InvalidInput(
                "this fact has given way, so it stays as it was. Edit what replaced it: see fact_history."
            )
        changed = _changed(memory, content, category, tags, importance)
        vector = None
        if changed.content != memory.content:
            admit(changed.content)
            await self._check_unique(changed)
            vector = await self._vector(changed.indexed_text)
        await self._store.memories.change(changed, terms(changed.indexed_text), vector)
        self._wake()
        return await self.get(memory_id)

    async def delete(self, memory_id: str) -> None:
        """Raises `InvalidInput` for what is no id, `UnknownMemory` for one that names nothing."""
        if not await self._store.memories.delete(MemoryId.parse(memory_id)):
            raise _unknown(memory_id)

    async def delete_all(self, scope: str) -> int:
        """Deletes what the scope holds; how many facts that were."""
        return await self._store.memories.delete_all(await self._existing(scope))

    async def clear(self, scope: str) -> int:
        """Removes the scope itself, with every mark of what was deleted; how many facts that were."""
        existing = await self._existing(scope)
        counted = await self._store.memories.total(existing)
        await self._store.schema.clear(existing)
        return counted

    async def page(self, scope: str, limit: int, cursor: str | None, *, ended: bool = False) -> Page:
        """The scope's facts, newest first; raises `InvalidInput` for a cursor of another list."""
        of = Scope.parse(scope)
        _check_number(limit, "limit")
        return await self._store.memories.page(of, limit, Cursor.decode(cursor, of) if cursor else None, ended=ended)

    async def history(self, memory_id: str) -> list[Version]:
        """The chain of facts that the fact is part of, oldest first."""
        memory = await self.get(memory_id)
        chain = await self._store.memories.history(memory.id, memory.scope)
        slug = memory.scope.slug
        return [Version(each, tuple(MemoryId(slug, key) for key in newer)) for each, newer in chain]

    async def add_episode(
        self, text: str, scope: str, *, said_at: datetime | None, provenance: Provenance
    ) -> tuple[Episode, bool]:
        """The episode, and whether it is new. Its passages are searchable at once; its facts come later.

        Raises:
            InvalidInput: The text is empty or too long.
            Refused: It holds a secret, or nothing to remember.
        """
        now = datetime.now(UTC)
        of = Scope.parse(scope)
        episode = Episode.new(of, text, created_at=now, said_at=said_at or now, provenance=provenance)
        for passage in episode.passages:
            admit(passage)
        index = [(terms(passage), await self._vector(passage)) for passage in episode.passages]
        created = await self._store.episodes.add(episode, index)
        self._wake()
        return episode if created else await self.episode(str(episode.id)), created

    async def episode(self, episode_id: str) -> Episode:
        """Raises `InvalidInput` for what is no id, `UnknownMemory` for one that names nothing."""
        episode = await self._store.episodes.get(MemoryId.parse(episode_id))
        if episode is None:
            raise UnknownMemory(f"there is no episode {episode_id}. Find ids with get_episodes.")
        return episode

    async def episodes(self, scope: str, limit: int, cursor: str | None) -> tuple[tuple[Episode, ...], Cursor | None]:
        """The scope's episodes, the latest said first."""
        of = Scope.parse(scope)
        _check_number(limit, "limit")
        return await self._store.episodes.page(of, limit, Cursor.decode(cursor, of) if cursor else None)

    async def delete_episode(self, episode_id: str) -> int:
        """Deletes an episode and the facts that only it states; how many facts that were."""
        deleted = await self._store.episodes.delete(MemoryId.parse(episode_id))
        if deleted is None:
            raise UnknownMemory(f"there is no episode {episode_id}. Find ids with get_episodes.")
        return deleted

    async def position(self, episode: Episode) -> int | None:
        """How many jobs are to be done before this episode's; None if it waits no longer."""
        return await self._store.queue.position(episode.scope.slug, episode.id.key)

    async def entities(self, query: str, scope: str, k: int) -> list[tuple[Scope, Entity, int]]:
        """The entities whose names share words with the query, those with the most facts first, with their number."""
        checked(query, "query", limits.QUERY_CHARACTERS)
        _check_number(k, "k")
        found: list[tuple[Scope, Entity, int]] = []
        for each in dict.fromkeys((Scope.parse(scope), GLOBAL)):
            named = await self._store.entities.by_terms(each, distinct(query), _ENTITIES_COMPARED)
            counted = await self._store.entities.counted(each, [entity.key for entity in named])
            found += [(each, entity, count) for entity, count in counted]
        return sorted(found, key=lambda hit: hit[2], reverse=True)[:k]

    async def entities_of(self, memory_id: MemoryId) -> list[Entity]:
        return await self._store.entities.of_fact(memory_id)

    async def cut(self, memory_id: str, entity: str) -> None:
        """The fact is no longer about the entity; raises `UnknownMemory` if it was not."""
        memory = await self.get(memory_id)
        if not await self._store.entities.cut(memory.id, entity_key(entity)):
            raise UnknownMemory(f"{memory_id} is not about {entity!r}. It is about: {', '.join(memory.entities)}.")

    async def related(self, entity: str, scope: str, hops: int, limit: int) -> list[tuple[Step, ...]]:
        """Paths from the entity to others over the facts that they share, the shortest first.

        Raises:
            InvalidInput: `hops` or `limit` is out of bounds.
            UnknownMemory: The scope knows no such entity.
        """
        if not 1 <= hops <= _MOST_HOPS:
            raise InvalidInput(f"hops is {hops}. Pass 1 to {_MOST_HOPS}.")
        _check_number(limit, "limit")
        of, start = Scope.parse(scope), entity_key(entity)
        if not await self._store.entities.by_keys(of, [start]):
            raise UnknownMemory(f"{scope} knows no {entity!r}. Find names with search_nodes.")
        paths: dict[str, tuple[Step, ...]] = {start: ()}
        edge = [start]
        for _ in range(hops):
            steps = await self._store.entities.neighbours(of, edge, paths, limit)
            new = {step.ahead.key: (*paths[step.behind], step) for step in reversed(steps)}
            paths |= new
            edge = list(new)
        return [path for path in paths.values() if path][:limit]

    async def dead(self) -> list[tuple[Scope | None, Dead]]:
        """What failed for good, with its scope."""
        return [(await self._store.schema.scope(dead.slug), dead) for dead in await self._store.queue.dead()]

    async def replay(self, ids: Sequence[str]) -> int:
        """Gives dead jobs another chance, all if none is named; how many."""
        chosen = [dead for dead in await self._store.queue.dead() if not ids or dead.id in ids]
        for dead in chosen:
            await self._store.queue.replay(dead)
        self._wake()
        return len(chosen)

    async def ready(self) -> None:
        """Returns if calls can be answered, and raises why not otherwise."""
        await self._store.ping()
        if self._embedders.choice is None:
            raise StoreUnavailable("the server has yet to ask the store whose vectors it holds. Try again shortly.")

    async def status(self) -> Status:
        """Never raises for a store that is down: that is what one asks for."""
        try:
            scopes = await self._store.schema.scopes()
            counts = await self._store.memories.counts(scopes[:_SCOPES_SHOWN])
            slugs = await self._store.queue.waiting()
            waiting = {slug: await self._store.queue.length(slug) for slug in slugs[:_SCOPES_SHOWN]}
            dead = len(await self._store.queue.dead())
        except StoreUnavailable as error:
            return Status(str(error), self._embedders.choice, 0, {}, {}, 0)
        names = {scope.slug: scope.name for scope in scopes}
        named = {names.get(slug, slug): length for slug, length in waiting.items() if length}
        return Status("ready", self._embedders.choice, len(scopes), counts, named, dead)

    async def _vector(self, text: str) -> Vector:
        embedder: Embedder = await self._embedders.for_writing()
        return await embedder.embed(text)

    async def _check_unique(self, memory: Memory) -> None:
        other = await self._store.memories.by_text(memory.scope, memory.content)
        if other and other.id != memory.id:
            raise InvalidInput(f"memory {other.id} says exactly this already. Delete one of the two instead.")

    async def _existing(self, scope: str) -> Scope:
        of = Scope.parse(scope)
        if of not in await self._store.schema.scopes():
            raise UnknownMemory(f"there is no scope {scope!r}: nothing was ever stored there. get_status lists scopes.")
        return of


def _changed(
    memory: Memory, content: str | None, category: str | None, tags: tuple[str, ...] | None, importance: int | None
) -> Memory:
    wanted = Memory.new(
        memory.scope,
        content or memory.content,
        created_at=memory.created_at,
        category=category if category is not None else memory.category,
        tags=tags if tags is not None else memory.tags,
        importance=importance or memory.importance,
    )
    parts = {"content": wanted.content, "category": wanted.category, "tags": wanted.tags}
    return replace(memory, **parts, importance=wanted.importance)


def _check_number(value: int, name: str) -> None:
    if not 1 <= value <= limits.RESULTS:
        raise InvalidInput(f"{name} is {value}. Pass 1 to {limits.RESULTS}.")


def _unknown(memory_id: str) -> UnknownMemory:
    return UnknownMemory(
        f"there is no memory {memory_id}: it was deleted, or never stored. "
        "Find ids with search_memory or list_memories."
    )
