"""Facts: kept, changed, listed, deleted."""

import asyncio
from datetime import UTC, datetime
from secrets import token_hex
from typing import LiteralString

from memstack_server.domain.clock import microseconds
from memstack_server.domain.embedding import Vector
from memstack_server.domain.memory import Memory, MemoryId
from memstack_server.domain.page import Cursor, Page
from memstack_server.domain.scope import Scope
from memstack_server.stores.falkordb import queue, rows
from memstack_server.stores.falkordb.connection import Connection, Literal, Parameters, Transaction
from memstack_server.stores.falkordb.queries import entries
from memstack_server.stores.falkordb.queries import memories as queries
from memstack_server.stores.falkordb.schema import Schema

EDITED = "edited"


class Memories:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection, schema: Schema) -> None:
        self._connection = connection
        self._schema = schema

    async def store(self, memory: Memory, terms: list[str], vector: Vector) -> tuple[Memory, bool]:
        """The memory as it is kept, and whether this call created it. What is new waits for its enrichment.

        Raises:
            StoreFull: The store has no room; nothing was stored.
        """
        await self._schema.prepare(memory.scope)
        transaction = self._connection.transaction()
        slug, live = memory.scope.slug, rows.text_key(memory.content)
        registered = self._schema.register(transaction, memory.scope)
        transaction.query(slug, queries.FORGIVE, {"live": live})
        transaction.query(slug, queries.RETIRE, {"live": live, "now": microseconds(memory.created_at)})
        new = put(transaction, memory, terms, vector)
        kept = transaction.query(slug, queries.LIVE, {"live": live})
        queue.add(transaction, slug, queue.MEMORY, live)
        answers = await transaction.run()
        await self._schema.settle(memory.scope, answers[registered])
        fact, entities, episode = answers[kept].result_set[0]
        return rows.memory(fact, memory.scope, entities, episode), bool(answers[new].nodes_created)

    async def get(self, memory_id: MemoryId) -> Memory | None:
        """The fact, or the passage, of that id."""
        scope = await self._schema.scope(memory_id.slug)
        if scope is None:
            return None
        for query in (queries.GET, queries.GET_PASSAGE):
            if found := await self._connection.read(scope.slug, query, {"key": memory_id.key}):
                fact, entities, episode = found[0]
                return rows.memory(fact, scope, entities, episode)
        return None

    async def by_text(self, scope: Scope, content: str) -> Memory | None:
        """The fact of these words that has not ended."""
        return await self.live(scope.slug, rows.text_key(content))

    async def live(self, slug: str, live: str) -> Memory | None:
        """The fact of these words that has not ended, by their digest."""
        scope = await self._schema.scope(slug)
        found = await self._connection.read(slug, queries.LIVE, {"live": live}) if scope else []
        return rows.memory(found[0][0], scope, found[0][1], found[0][2]) if scope and found else None

    async def buried(self, scope: Scope, content: str) -> bool:
        """Whether a fact of these words was deleted, and not stored anew since."""
        key: Parameters = {"live": rows.text_key(content), "claim": None}
        return bool(await self._connection.read(scope.slug, queries.BURIED, key))

    async def change(self, memory: Memory, terms: list[str], vector: Vector | None) -> None:
        """Makes the fact of that id say what MEMORY says; an earlier wording stays as a fact that gave way.

        Args:
            memory: The fact as it is to be, under its old id.
            terms: What it is to be found by.
            vector: The new text's; None if the text is the same.
        """
        slug, key, live = memory.id.slug, memory.id.key, rows.text_key(memory.content)
        transaction = self._connection.transaction()
        if vector is not None:
            now = microseconds(datetime.now(UTC))
            transaction.query(slug, queries.COPY, {"key": key, "fresh": fresh_key(), "now": now, "reason": EDITED})
            transaction.query(slug, queries.UNTIE, {"key": key})
        changed = rows.properties(memory) | {"live": live}
        transaction.query(slug, queries.CHANGE, {"key": key, "properties": changed})
        entry: Parameters = {
            "key": key,
            "terms": " ".join(terms),
            "vector": None if vector is None else Literal(vector),
        }
        for query in (entries.REPLACE, entries.DROP_UNOWNED, queries.DELETE_ORPHANS):
            transaction.query(slug, query, entry if query is entries.REPLACE else {})
        if vector is not None:
            queue.add(transaction, slug, queue.MEMORY, live)
        queue.note_correction(transaction, slug)
        await transaction.run()

    async def delete(self, memory_id: MemoryId) -> bool:
        """Whether there was such a fact or passage. Of it nothing is left but a mark that keeps it from coming back."""
        slug, key = memory_id.slug, memory_id.key
        # Read before writing: a write to a graph that does not exist would bring it into being.
        if traces := await self._connection.read(slug, queries.TRACES, {"key": key}):
            transaction = self._connection.transaction()
            for fact in (key, *traces[0][0]):
                bury(transaction, slug, fact)
            transaction.query(slug, queries.DELETE_ORPHANS, {})
            queue.note_correction(transaction, slug)
            await transaction.run()
            return True
        if await self._connection.read(slug, queries.GET_PASSAGE, {"key": key}):
            transaction = self._connection.transaction()
            transaction.query(slug, queries.DELETE_PASSAGE, {"key": key})
            queue.note_correction(transaction, slug)
            await transaction.run()
            return True
        return False

    async def delete_all(self, scope: Scope) -> int:
        """Deletes everything that the scope holds, and what waits in it; returns how many facts there were.

        Marks stay that keep the same words from coming back with a replay or an import.
        """
        slug = scope.slug
        transaction = self._connection.transaction()
        count = transaction.query(slug, queries.COUNT_ALL, {})
        now = microseconds(datetime.now(UTC))
        transaction.query(slug, queries.TOMBSTONES_FOR_ALL, {"now": now})
        transaction.query(slug, queries.DELETE_EVERYTHING, {})
        queue.drop(transaction, slug)
        queue.note_correction(transaction, slug)
        answers = await transaction.run()
        return answers[count].result_set[0][0]

    async def page(self, scope: Scope, limit: int, after: Cursor | None, *, ended: bool) -> Page:
        """Up to `limit` facts, newest first; with those that gave way if `ended`."""
        # One more than asked for tells whether there is another page.
        parameters: dict[str, object] = {"limit": limit + 1, "ended": ended}
        query: LiteralString = queries.LIST
        if after:
            query = queries.LIST_AFTER
            parameters |= {"created_at": after.created_at, "key": after.key}
        found = await self._connection.read(scope.slug, query, parameters)
        listed = [rows.memory(fact, scope, entities, episode) for fact, entities, episode in found]
        return _page(listed, limit)

    async def history(self, memory_id: MemoryId, scope: Scope) -> list[tuple[Memory, tuple[str, ...]]]:
        """The chain that the fact is part of, oldest first, each with the keys of what replaced it."""
        found = await self._connection.read(memory_id.slug, queries.HISTORY, {"key": memory_id.key})
        return [(rows.memory(fact, scope, [], None), tuple(newer)) for fact, _, _, newer in found]

    async def total(self, scope: Scope) -> int:
        """How many facts there are, with those that have ended."""
        found = await self._connection.read(scope.slug, queries.COUNT_ALL, {})
        return found[0][0] if found else 0

    async def counts(self, scopes: list[Scope]) -> dict[str, int]:
        found = await asyncio.gather(*(self._connection.read(scope.slug, queries.COUNT, {}) for scope in scopes))
        return {scope.name: count[0][0] if count else 0 for scope, count in zip(scopes, found, strict=True)}


def put(transaction: Transaction, memory: Memory, terms: list[str], vector: Vector, **more: object) -> int:
    """Adds the queries that keep a fact, unless one of its words is there; MORE are properties beside the memory's own.

    Returns:
        Which of the transaction's answers tells whether it was new: it created a node then.
    """
    slug, live = memory.scope.slug, rows.text_key(memory.content)
    names: Parameters = {"live": live, "key": memory.id.key, "fresh": fresh_key()}
    kept = names | {"properties": rows.properties(memory) | more}
    place = transaction.query(slug, queries.REMEMBER, kept)
    _index(transaction, memory, live, terms, vector)
    return place


def _index(transaction: Transaction, memory: Memory, live: str, terms: list[str], vector: Vector) -> None:
    parameters: dict[str, object] = {"live": live, "terms": " ".join(terms), "vector": Literal(vector)}
    query: LiteralString = entries.FACT
    if memory.provenance.session:
        query = entries.FACT_IN_SESSION
        parameters["session"] = memory.provenance.session
    transaction.query(memory.scope.slug, query, parameters)


def end(transaction: Transaction, old: MemoryId, new: MemoryId, reason: str, times: tuple[datetime, datetime]) -> None:
    """Adds the queries by which OLD gives way to NEW; TIMES are when it ended and when that was learned."""
    invalid_at, now = map(microseconds, times)
    parameters: Parameters = {"old": old.key, "new": new.key, "now": now, "reason": reason, "invalid_at": invalid_at}
    transaction.query(old.slug, queries.END, parameters)
    if invalid_at <= now:
        cease(transaction, old)


def cease(transaction: Transaction, fact: MemoryId) -> None:
    """Adds the queries that take a fact out of what is found when nothing is said of the past."""
    for query in (queries.CEASE, entries.RETIRE):
        transaction.query(fact.slug, query, {"key": fact.key})


def bury(transaction: Transaction, slug: str, key: str) -> None:
    """Adds the queries after which nothing of a fact is left but its tombstone."""
    now = microseconds(datetime.now(UTC))
    transaction.query(slug, queries.TOMBSTONE, {"key": key, "now": now})
    for query in (queries.DELETE_PASSAGES, queries.RELINK, queries.DELETE):
        transaction.query(slug, query, {"key": key})


def fresh_key() -> str:
    """A key that no text has."""
    return token_hex(8)


def _page(memories: list[Memory], limit: int) -> Page:
    shown = tuple(memories[:limit])
    return Page(shown, Cursor.at(shown[-1]) if len(memories) > limit else None)
