"""What a store and a graph must have before they are written to: the embedder's name, the scope's, the indexes."""

import json
from dataclasses import asdict
from typing import Any

from redis.exceptions import ResponseError

from memstack_server.domain.embedding import EmbedderId
from memstack_server.domain.scope import Scope
from memstack_server.stores.falkordb import queue
from memstack_server.stores.falkordb.connection import Connection, Transaction
from memstack_server.stores.falkordb.errors import mapped
from memstack_server.stores.falkordb.queries import schema as queries

_SCOPES = "mem:scopes"
_EMBEDDER = "mem:embedder"
_INDEX_EXISTS = "already indexed"


class Schema:
    """Every method may raise `StoreUnavailable`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._redis = connection.redis
        self._ready: set[str] = set()

    async def embedder(self) -> EmbedderId | None:
        """Whose vectors the store holds; None while it holds none."""
        with mapped():
            record = await self._redis.get(_EMBEDDER)
        return _embedder(record) if record else None

    async def claim(self, embedder: EmbedderId) -> EmbedderId:
        """Records the embedder if none is recorded yet; returns the one that is."""
        # SET NX GET is one step in the store: of any number of starters one is first, and all learn who it was.
        with mapped():
            earlier = await self._redis.set(_EMBEDDER, _record(embedder), nx=True, get=True)
        return _embedder(earlier) if earlier else embedder

    async def prepare(self, scope: Scope) -> None:
        """Makes the scope's indexes, unless this was done before."""
        if scope.slug not in self._ready:
            await self._make_indexes(scope)
            self._ready.add(scope.slug)

    def register(self, transaction: Transaction, scope: Scope) -> int:
        """Adds the command that makes the scope known; returns which answer `settle` needs."""
        # NX: a name that is there already costs the store no write to its disk.
        return transaction.command("HSETNX", _SCOPES, scope.slug, scope.name)

    async def settle(self, scope: Scope, answer: object) -> None:
        """Makes the indexes anew if the scope was unknown: another server has cleared it since it was prepared here."""
        if answer == 1:
            await self._make_indexes(scope)

    async def _make_indexes(self, scope: Scope) -> None:
        for query in queries.INDEXES:
            try:
                await self._connection.write(scope.slug, query, {})
            except ResponseError as error:
                if _INDEX_EXISTS not in str(error):
                    raise

    async def clear(self, scope: Scope) -> bool:
        """Deletes the scope's graph with all its indexes and marks; whether there was one."""
        transaction = self._connection.transaction()
        transaction.command("UNLINK", f"mem:{scope.slug}")
        transaction.command("HDEL", _SCOPES, scope.slug)
        queue.drop(transaction, scope.slug)
        queue.note_correction(transaction, scope.slug)
        self._ready.discard(scope.slug)
        return bool((await transaction.run())[0])

    async def scopes(self) -> list[Scope]:
        """All scopes that hold something or once did, by name."""
        with mapped():
            names = await self._redis.hvals(_SCOPES)
        return [Scope(name) for name in sorted(map(str, names))]

    async def scope(self, slug: str) -> Scope | None:
        with mapped():
            name: Any = await self._redis.hget(_SCOPES, slug)
        return Scope(name) if name else None


def _record(embedder: EmbedderId) -> str:
    return json.dumps(asdict(embedder))


def _embedder(record: object) -> EmbedderId:
    return EmbedderId(**json.loads(str(record)))
