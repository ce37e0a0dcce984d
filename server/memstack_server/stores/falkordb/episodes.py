"""Episodes: raw text in passages, found from the moment it is added."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, LiteralString

from memstack_server.domain.clock import microseconds
from memstack_server.domain.embedding import Vector
from memstack_server.domain.episode import Episode, State
from memstack_server.domain.memory import Kind, MemoryId
from memstack_server.domain.page import Cursor
from memstack_server.domain.scope import Scope
from memstack_server.stores.falkordb import queue, rows
from memstack_server.stores.falkordb.connection import Connection, Literal, Parameters, Transaction
from memstack_server.stores.falkordb.memories import bury, fresh_key
from memstack_server.stores.falkordb.queries import entries
from memstack_server.stores.falkordb.queries import episodes as queries
from memstack_server.stores.falkordb.queries import memories as memory_queries
from memstack_server.stores.falkordb.schema import Schema


class Episodes:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection, schema: Schema) -> None:
        self._connection = connection
        self._schema = schema

    async def add(self, episode: Episode, index: Sequence[tuple[list[str], Vector]]) -> bool:
        """Keeps an episode and queues it, unless it is there; INDEX has the terms and the vector of each passage.

        Returns:
            Whether it is new.

        Raises:
            StoreFull: The store has no room; nothing was stored.
        """
        await self._schema.prepare(episode.scope)
        transaction = self._connection.transaction()
        slug = episode.scope.slug
        registered = self._schema.register(transaction, episode.scope)
        added = fresh_key()
        made: Parameters = {"key": episode.id.key, "properties": rows.episode_properties(episode), "added": added}
        new = transaction.query(slug, queries.ADD, made)
        for position, (terms, vector) in enumerate(index):
            _hold(transaction, episode, added, position)
            _index(transaction, episode, position, terms, vector)
        queue.add(transaction, slug, queue.EPISODE, episode.id.key)
        answers = await transaction.run()
        await self._schema.settle(episode.scope, answers[registered])
        return bool(answers[new].nodes_created)

    async def get(self, episode_id: MemoryId) -> Episode | None:
        scope = await self._schema.scope(episode_id.slug)
        if scope is None:
            return None
        found = await self._connection.read(scope.slug, queries.GET, {"key": episode_id.key})
        return _episode(found[0], scope) if found else None

    async def page(self, scope: Scope, limit: int, after: Cursor | None) -> tuple[tuple[Episode, ...], Cursor | None]:
        """Up to `limit` episodes, the latest said first, and where the next ones begin."""
        parameters: dict[str, object] = {"limit": limit + 1}
        query: LiteralString = queries.LIST
        if after:
            query = queries.LIST_AFTER
            parameters |= {"said_at": after.created_at, "key": after.key}
        found = [_episode(row, scope) for row in await self._connection.read(scope.slug, query, parameters)]
        shown = tuple(found[:limit])
        if len(found) <= limit:
            return shown, None
        return shown, Cursor(scope.slug, microseconds(shown[-1].said_at), shown[-1].id.key)

    async def mark(self, slug: str, key: str, state: State, reason: str | None = None) -> None:
        """Notes how far an episode has come; one that is gone stays gone."""
        if await self._connection.read(slug, queries.GET, {"key": key}):
            marked = {"key": key, "state": state, "reason": reason}
            await self._connection.write(slug, queries.SET_STATE, marked)

    async def delete(self, episode_id: MemoryId) -> int | None:
        """Deletes an episode and the facts that nothing else states; how many those were, None if it is not there."""
        slug, key = episode_id.slug, episode_id.key
        if await self.get(episode_id) is None:
            return None
        facts = await self._connection.read(slug, queries.OWN_FACTS, {"key": key})
        transaction = self._connection.transaction()
        for (fact,) in facts:
            bury(transaction, slug, fact)
        for query in (queries.DELETE_PASSAGES, queries.DELETE):
            transaction.query(slug, query, {"key": key})
        transaction.query(slug, memory_queries.DELETE_ORPHANS, {})
        queue.note_correction(transaction, slug)
        await transaction.run()
        return len(facts)


def set_state(transaction: Transaction, slug: str, key: str, state: State, reason: str | None = None) -> None:
    """Adds the query that notes how far an episode has come; one that is gone stays gone."""
    transaction.query(slug, queries.SET_STATE, {"key": key, "state": state, "reason": reason})


def _hold(transaction: Transaction, episode: Episode, added: str, position: int) -> None:
    """Adds the query that keeps a passage of an episode that is new: what was deleted of an old one stays deleted."""
    content = episode.passages[position]
    held: dict[str, object] = {"episode": episode.id.key, "added": added, "position": position}
    held |= {"key": rows.passage_key(content), "properties": _properties(episode, content)}
    transaction.query(episode.scope.slug, queries.HOLD, held)


def _index(transaction: Transaction, episode: Episode, position: int, terms: list[str], vector: Vector) -> None:
    key = rows.passage_key(episode.passages[position])
    index: dict[str, object] = {"key": key, "terms": " ".join(terms), "vector": Literal(vector)}
    query: LiteralString = entries.PASSAGE
    if episode.provenance.session:
        query = entries.PASSAGE_IN_SESSION
        index["session"] = episode.provenance.session
    transaction.query(episode.scope.slug, query, index)


def _properties(episode: Episode, content: str) -> dict[str, object]:
    return {
        "kind": Kind.PASSAGE,
        "content": content,
        "tags": [],
        "importance": rows.PASSAGE_IMPORTANCE,
        "valid_at": microseconds(episode.said_at),
        "created_at": microseconds(episode.created_at),
        **asdict(episode.provenance),
    }


def _episode(row: list[Any], scope: Scope) -> Episode:
    properties, passages, facts = row
    return rows.episode(properties, scope, passages, facts)
