"""What a text's facts are compared with, and how what was decided is written: all of a job or none of it."""

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any

from memstack_server.domain.embedding import Vector
from memstack_server.domain.memory import Memory, MemoryId
from memstack_server.domain.names import key
from memstack_server.domain.scope import Scope
from memstack_server.domain.supersession import Claim, Standing
from memstack_server.domain.text import digest
from memstack_server.stores.falkordb import rows
from memstack_server.stores.falkordb.connection import Connection, Literal, Transaction
from memstack_server.stores.falkordb.queries import enrichment as queries
from memstack_server.stores.falkordb.queries import memories as memory_queries
from memstack_server.stores.falkordb.search import Search

_NEAREST = 12  # facts compared for one reason


class Enrichment:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection, search: Search) -> None:
        self._connection = connection
        self._search = search

    async def standing(self, scope: Scope, claim: Claim, vector: Vector) -> list[Standing]:
        """Facts that the new one may repeat or replace, the nearest first; their similarity is the bare cosine."""
        asked = Literal(vector)
        found: dict[str, Standing] = {}
        parameters = {"vector": asked, "limit": _NEAREST}
        if claim.slot:
            read = await self._connection.read(scope.slug, queries.OF_SLOT, parameters | {"slot": claim.slot})
            found |= _standing(read, scope)
        if claim.entities:
            about = parameters | {"entities": sorted(claim.entities)}
            found |= _standing(await self._connection.read(scope.slug, queries.ABOUT_SAME, about), scope)
        ids = await self._search.nearest(scope, vector, _NEAREST)
        near = await self._connection.read(scope.slug, queries.NEAREST, parameters | {"ids": ids})
        found |= _standing(near, scope)
        return sorted(found.values(), key=attrgetter("similarity"), reverse=True)

    async def buried(self, scope: Scope, claim: Claim, vector: Vector) -> tuple[bool, list[tuple[set[str], float]]]:
        """Whether these words or this claim were deleted; and what was, nearest first: its entities and its cosine."""
        marks = {"live": rows.text_key(claim.content), "claim": _digest(claim)}
        exact = bool(await self._connection.read(scope.slug, memory_queries.BURIED, marks))
        near = await self._connection.read(scope.slug, memory_queries.NEAREST_TOMBSTONE, {"vector": Literal(vector)})
        return exact, [(set(entities), 1 - distance) for entities, distance in near if distance is not None]


def forgive(transaction: Transaction, scope: Scope, claim: Claim) -> None:
    """Adds the query after which nothing keeps the claim from coming back: it was stored on purpose."""
    transaction.query(scope.slug, memory_queries.FORGIVE_CLAIM, {"claim": _digest(claim)})


def describe(transaction: Transaction, memory: Memory, claim: Claim) -> None:
    """Adds the query that says what the fact of those words claims, and that it is enriched."""
    described: dict[str, object] = {
        "live": rows.text_key(memory.content),
        "slot": claim.slot or None,
        "properties": _claimed(claim),
    }
    transaction.query(memory.scope.slug, queries.DESCRIBE, described)


def state(transaction: Transaction, episode: MemoryId, live: str, passages: Sequence[int]) -> None:
    """Adds the queries by which an episode, and the passages of it that say so, state a fact."""
    transaction.query(episode.slug, queries.STATE, {"episode": episode.key, "live": live})
    for position in passages:
        stated: dict[str, object] = {"episode": episode.key, "position": position, "live": live}
        transaction.query(episode.slug, queries.STATE_IN_PASSAGE, stated)


def drop_passages(transaction: Transaction, episode: MemoryId, passages: Collection[int]) -> None:
    """Adds the queries that delete passages which say what was deleted."""
    for position in sorted(passages):
        dropped: dict[str, object] = {"episode": episode.key, "position": position}
        transaction.query(episode.slug, queries.DROP_PASSAGE, dropped)


def _standing(found: list[list[Any]], scope: Scope) -> dict[str, Standing]:
    return {
        fact["key"]: Standing(
            MemoryId(scope.slug, fact["key"]), _claim(fact, keys), rows.lifetime(fact), similarity=1 - distance
        )
        for fact, keys, distance in found
    }


def _claimed(claim: Claim) -> dict[str, object]:
    return {
        "subject": claim.subject,
        "attribute": claim.attribute,
        "value": claim.value,
        "single": claim.single,
        "negated": claim.negated,
        "claim": _digest(claim),
        "enriched": True,
    }


def _digest(claim: Claim) -> str | None:
    """What two statements of the same value of the same thing share, however they are worded; None if it is unknown."""
    if not claim.slot or not claim.value:
        return None
    return digest(f"{claim.slot}|{key(claim.value)}|{claim.negated}", 16)


def _claim(fact: dict[str, Any], entities: list[str]) -> Claim:
    return Claim(
        content=fact["content"],
        entities=frozenset(entities),
        subject=fact.get("subject") or "",
        attribute=fact.get("attribute") or "",
        value=fact.get("value") or "",
        single=bool(fact.get("single")),
        negated=bool(fact.get("negated")),
    )
