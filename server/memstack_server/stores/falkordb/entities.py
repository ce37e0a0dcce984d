"""Entities: who and what the facts are about, and how they hang together."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memstack_server.domain.entity import Entity
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.scope import Scope
from memstack_server.stores.falkordb import queue, rows
from memstack_server.stores.falkordb.connection import Connection, Transaction
from memstack_server.stores.falkordb.queries import entities as queries
from memstack_server.stores.falkordb.queries import memories as memory_queries


@dataclass(frozen=True)
class Step:
    """One edge of the graph of entities: BEHIND and AHEAD share a fact."""

    behind: str
    fact: MemoryId
    content: str
    ahead: Entity


class Entities:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def by_keys(self, scope: Scope, keys: Collection[str]) -> list[Entity]:
        found = await self._connection.read(scope.slug, queries.BY_KEYS, {"keys": list(keys)})
        return [rows.entity(entity) for (entity,) in found]

    async def by_terms(self, scope: Scope, terms: Collection[str], limit: int) -> list[Entity]:
        """Entities with any of the terms in a name of theirs."""
        if not terms:
            return []
        parameters = {"terms": "|".join(terms), "limit": limit}
        return [
            rows.entity(entity) for (entity,) in await self._connection.read(scope.slug, queries.BY_TERMS, parameters)
        ]

    async def counted(self, scope: Scope, keys: Sequence[str]) -> list[tuple[Entity, int]]:
        """Entities, each with the number of facts about it that hold."""
        found = await self._connection.read(scope.slug, queries.WITH_COUNTS, {"keys": list(keys)})
        return [(rows.entity(entity), count) for entity, count in found]

    async def of_fact(self, fact: MemoryId) -> list[Entity]:
        found = await self._connection.read(fact.slug, queries.OF_FACT, {"key": fact.key})
        return [rows.entity(entity) for (entity,) in found]

    async def neighbours(self, scope: Scope, keys: Collection[str], seen: Collection[str], limit: int) -> list[Step]:
        """The entities one step from KEYS that are not in SEEN, by the weightiest facts first."""
        parameters = {"keys": list(keys), "seen": list(seen), "limit": limit}
        found = await self._connection.read(scope.slug, queries.NEIGHBOURS, parameters)
        return [
            Step(behind, MemoryId(scope.slug, fact), content, rows.entity(ahead))
            for behind, fact, content, ahead in found
        ]

    async def cut(self, fact: MemoryId, entity: str) -> bool:
        """Whether the fact was about the entity; it is not any more, and the entity goes with its last fact."""
        if entity not in {each.key for each in await self.of_fact(fact)}:
            return False
        transaction = self._connection.transaction()
        transaction.query(fact.slug, queries.CUT, {"key": fact.key, "entity": entity})
        transaction.query(fact.slug, memory_queries.DELETE_ORPHANS, {})
        queue.note_correction(transaction, fact.slug)
        await transaction.run()
        return True


def tie(transaction: Transaction, slug: str, live: str, entity: Entity, terms: list[str]) -> None:
    """Adds the queries that say what a fact is about; names that are new to a known entity become its aliases."""
    parameters: dict[str, object] = {"key": entity.key, "aliases": list(entity.aliases), "terms": " ".join(terms)}
    made: dict[str, object] = {"live": live, "name": entity.name, "type": entity.type}
    transaction.query(slug, queries.TIE, parameters | made)
    transaction.query(slug, queries.RENAME, parameters)
