"""FalkorDB: one graph for each scope.

    mem:<slug>     the graph of a scope: (:Fact)-[:EMBEDDED]->(:Embedding)
    mem:scopes     hash, slug -> name: which scopes there are
    mem:embedder   string, JSON: whose vectors this store holds, set once with the first memory

Graphs come into being on writing and never on reading: a search in a scope that nobody wrote to leaves no trace.
"""

import asyncio
import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from itertools import chain
from typing import Any, LiteralString, cast

from falkordb.asyncio.graph import AsyncGraph
from falkordb.asyncio.query_result import QueryResult
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from memstack_server.domain.clock import microseconds, moment
from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.memory import Memory, MemoryId, Provenance, Source
from memstack_server.domain.page import Cursor, Page
from memstack_server.domain.scope import Scope
from memstack_server.stores import queries
from memstack_server.stores.errors import mapped

_SCOPES = "mem:scopes"
_EMBEDDER = "mem:embedder"
_CONNECTIONS = 32
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 30
_NO_SUCH_GRAPH = "empty key"
_INDEX_EXISTS = "already indexed"


class _Literal:
    """A vector in the store's notation.

    The client would render each of its numbers by itself, which takes longer than the store's search.
    """

    def __init__(self, vector: Vector) -> None:
        # Eight digits: more than the store's numbers of 32 bits tell apart.
        self._text = "[" + ",".join(["%.8g"] * len(vector)) % tuple(vector) + "]"

    def __str__(self) -> str:
        return self._text


class FalkorStore:
    """Memories in FalkorDB.

    Connections are made when needed, so a store that is down, starting or restarted is an error of one call and not of
    the server. Every method may raise `StoreUnavailable`.

    Args:
        url: redis://HOST:PORT or unix://SOCKET.
        password: The store's password, if it has one.
    """

    def __init__(self, url: str, password: str | None) -> None:
        pool = BlockingConnectionPool.from_url(
            url,
            password=password,
            max_connections=_CONNECTIONS,
            timeout=_ANSWER_SECONDS,
            socket_connect_timeout=_CONNECT_SECONDS,
            socket_timeout=_ANSWER_SECONDS,
            decode_responses=True,
            protocol=2,
            # A connection that the store closed while it lay idle is replaced at once. Every query may run twice.
            retry=Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
        )
        self._redis = Redis.from_pool(pool)
        self._indexed: set[str] = set()

    async def ping(self) -> None:
        with mapped():
            await self._redis.execute_command("PING")

    async def embedder(self) -> EmbedderId | None:
        """Whose vectors the store holds; None while it holds none."""
        with mapped():
            record = await self._redis.get(_EMBEDDER)
        return _embedder(str(record)) if record else None

    async def claim(self, embedder: EmbedderId) -> EmbedderId:
        """Records the embedder if none is recorded yet; returns the one that is."""
        # SET NX GET is one step in the store: of any number of starters one is first, and all learn who it was.
        with mapped():
            earlier = await self._redis.set(_EMBEDDER, json.dumps(asdict(embedder)), nx=True, get=True)
        return _embedder(str(earlier)) if earlier else embedder

    async def store(self, memory: Memory, vector: Vector) -> tuple[Memory, bool]:
        """The memory as it is kept, and whether this call created it.

        Raises:
            StoreFull: The store has no room; nothing was stored.
        """
        with mapped():
            await self._register(memory.scope)
            result = await self._graph(memory.scope.slug).query(queries.STORE, _parameters(memory, vector))
        return _memory(result.result_set[0][0], memory.scope), bool(result.nodes_created)

    async def search(self, scopes: Iterable[Scope], vector: Vector, k: int) -> list[tuple[Memory, float]]:
        """The `k` memories of each scope that are nearest to the vector, with their cosine similarity."""
        parameters: dict[str, object] = {"vector": _Literal(vector), "k": k}
        found = await asyncio.gather(*(self._nearest(scope, parameters) for scope in scopes))
        return list(chain.from_iterable(found))

    async def _nearest(self, scope: Scope, parameters: dict[str, object]) -> list[tuple[Memory, float]]:
        rows = await self._read(scope.slug, queries.SEARCH, parameters)
        return [(_memory(fact, scope), 1 - distance) for fact, distance in rows]

    async def get(self, memory_id: MemoryId) -> Memory | None:
        rows = await self._read(memory_id.slug, queries.GET, {"key": memory_id.key})
        return _memory(rows[0][0], await self._scope(memory_id.slug)) if rows else None

    async def delete(self, memory_id: MemoryId) -> bool:
        """Whether there was such a memory. Nothing of it is left."""
        # Read before writing: a write to a graph that does not exist would bring it into being.
        if not await self._read(memory_id.slug, queries.GET, {"key": memory_id.key}):
            return False
        with mapped():
            await self._graph(memory_id.slug).query(queries.DELETE, {"key": memory_id.key})
        return True

    async def page(self, scope: Scope, limit: int, after: Cursor | None) -> Page:
        """Up to `limit` memories, newest first."""
        # One more than asked for tells whether there is another page.
        parameters: dict[str, object] = {"limit": limit + 1}
        query: LiteralString = queries.LIST
        if after:
            query = queries.LIST_AFTER
            parameters |= {"created_at": after.created_at, "key": after.key}
        memories = [_memory(fact, scope) for (fact,) in await self._read(scope.slug, query, parameters)]
        return _page(memories, limit)

    async def scopes(self) -> list[Scope]:
        """All scopes that were ever written to, by name."""
        with mapped():
            names = await self._redis.hvals(_SCOPES)
        return [Scope(name) for name in sorted(map(str, names))]

    async def count(self, scope: Scope) -> int:
        rows = await self._read(scope.slug, queries.COUNT, {})
        return rows[0][0] if rows else 0

    async def shutdown(self) -> None:
        """Ends the store itself, with everything on disk; one that has ended already is no error."""
        with contextlib.suppress(RedisConnectionError, OSError):
            await self._redis.shutdown()

    async def aclose(self) -> None:
        await self._redis.aclose()

    def _graph(self, slug: str) -> AsyncGraph:
        return AsyncGraph(self._redis, f"mem:{slug}")

    async def _read(self, slug: str, query: LiteralString, parameters: dict[str, object]) -> list[list[Any]]:
        with mapped():
            try:
                result: QueryResult = await self._graph(slug).ro_query(query, parameters)
            except ResponseError as error:
                if _NO_SUCH_GRAPH in str(error):
                    return []
                raise
        return result.result_set

    async def _register(self, scope: Scope) -> None:
        # NX: a name that is there already costs the store no write to its disk.
        await self._redis.hsetnx(_SCOPES, scope.slug, scope.name)
        if scope.slug in self._indexed:
            return
        try:
            await self._graph(scope.slug).query(queries.CREATE_KEY_INDEX)
        except ResponseError as error:
            if _INDEX_EXISTS not in str(error):
                raise
        self._indexed.add(scope.slug)

    async def _scope(self, slug: str) -> Scope:
        with mapped():
            return Scope(cast("str", await self._redis.hget(_SCOPES, slug)))


def _embedder(record: str) -> EmbedderId:
    return EmbedderId(**json.loads(record))


def _parameters(memory: Memory, vector: Vector) -> dict[str, object]:
    properties = {
        "content": memory.content,
        "category": memory.category,
        "tags": list(memory.tags),
        "importance": memory.importance,
        "created_at": microseconds(memory.created_at),
        **asdict(memory.provenance),
    }
    return {"key": memory.id.key, "properties": properties, "vector": _Literal(vector)}


def _memory(fact: dict[str, Any], scope: Scope) -> Memory:
    return Memory(
        id=MemoryId(scope.slug, fact["key"]),
        scope=scope,
        content=fact["content"],
        category=fact.get("category"),
        tags=tuple(fact["tags"]),
        importance=fact["importance"],
        created_at=moment(fact["created_at"]),
        provenance=Provenance(
            source=Source(fact["source"]),
            **{name: fact.get(name) for name in ("repo", "workspace", "worktree_path", "base_dir", "session")},
        ),
    )


def _page(memories: list[Memory], limit: int) -> Page:
    shown = tuple(memories[:limit])
    return Page(shown, Cursor.at(shown[-1]) if len(memories) > limit else None)
