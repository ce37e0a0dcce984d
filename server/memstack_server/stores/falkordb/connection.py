"""The way to the store: queries with parameters, transactions, and rows of plain numbers where speed matters."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString, cast

from falkordb.asyncio.graph import AsyncGraph
from falkordb.asyncio.query_result import QueryResult
from falkordb.helpers import stringify_param_value
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.client import Pipeline
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError, WatchError

from memstack_server.domain.embedding import Vector
from memstack_server.domain.errors import MemoryStackError
from memstack_server.stores.falkordb.errors import mapped

Parameters = Mapping[str, object]
Rows = list[list[Any]]

_CONNECTIONS = 32
_CONNECT_SECONDS = 2
_ANSWER_SECONDS = 30
_NO_SUCH_GRAPH = "empty key"


class Literal:
    """A vector in the store's notation.

    The client would render each of its numbers by itself, which takes longer than the store's search.
    """

    def __init__(self, vector: Vector) -> None:
        # Eight digits: more than the store's numbers of 32 bits tell apart.
        self._text = "[" + ",".join(["%.8g"] * len(vector)) % tuple(vector) + "]"

    def __str__(self) -> str:
        return self._text


class Overtaken(MemoryStackError):
    """Somebody else changed what a transaction watched; nothing of it was done."""


class Connection:
    """Connections are made when needed: a store that is down is an error of one call, and not of the server.

    Every method may raise `StoreUnavailable`.

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
        self.redis = Redis.from_pool(pool)

    async def read(self, slug: str, query: LiteralString, parameters: Parameters) -> Rows:
        """The rows of a query that changes nothing; none where nobody wrote yet."""
        with mapped():
            try:
                result: QueryResult = await self._graph(slug).ro_query(query, dict(parameters))
            except ResponseError as error:
                return _none_if_absent(error)
        return result.result_set

    async def numbers(self, slug: str, query: LiteralString, parameters: Parameters) -> Rows:
        """As `read`, for columns of numbers: they come as they are, in a fraction of the time."""
        text = _rendered(query, parameters)
        with mapped():
            try:
                answer: Any = await self.redis.execute_command("GRAPH.RO_QUERY", _name(slug), text)
            except ResponseError as error:
                return _none_if_absent(error)
        return answer[1]

    async def write(self, slug: str, query: LiteralString, parameters: Parameters) -> QueryResult:
        with mapped():
            return await self._graph(slug).query(query, dict(parameters))

    def transaction(self) -> "Transaction":
        return Transaction(self.redis)

    async def shutdown(self) -> None:
        """Ends the store itself, with everything on disk; one that has ended already is no error."""
        with contextlib.suppress(RedisConnectionError, OSError):
            await self.redis.shutdown()

    async def aclose(self) -> None:
        await self.redis.aclose()

    def _graph(self, slug: str) -> AsyncGraph:
        return AsyncGraph(self.redis, _name(slug))


class Transaction:
    """Queries and commands that are done all or none.

    In memory by MULTI, and after a crash because the log of writes holds them as one. A query is known to be
    well-formed, so what could fail half-way through fails before the first.
    """

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self.pipe: Pipeline = redis.pipeline(transaction=True)
        self._graphs: list[AsyncGraph | None] = []

    def query(self, slug: str, query: LiteralString, parameters: Parameters) -> int:
        """Adds a query; returns which of the answers will be its."""
        self._graphs.append(AsyncGraph(self._redis, _name(slug)))
        self.pipe.execute_command("GRAPH.QUERY", _name(slug), _rendered(query, parameters), "--compact")
        return len(self._graphs) - 1

    def command(self, *arguments: str | int) -> int:
        """Adds a command of Redis itself; returns which of the answers will be its."""
        self._graphs.append(None)
        self.pipe.execute_command(*arguments)
        return len(self._graphs) - 1

    async def watch(self, *keys: str) -> list[str | None]:
        """The keys' values now; if one of them changes before `run`, nothing is done."""
        with mapped():
            await self.pipe.watch(*keys)
            values = cast("list[str | None]", await self.pipe.mget(keys))
            self.pipe.multi()
        return values

    async def run(self) -> list[QueryResult | Any]:
        """The answers, in order.

        Raises:
            Overtaken: Something that was watched has changed; nothing was done.
            StoreFull: The store has no room; nothing was done.
        """
        with mapped():
            try:
                answers = await self.pipe.execute()
            except WatchError as error:
                raise Overtaken("another worker has taken over; nothing was changed.") from error
            finally:
                await self.pipe.reset()
            return [
                await _parsed(graph, answer) if graph else answer
                for graph, answer in zip(self._graphs, answers, strict=True)
            ]


async def _parsed(graph: AsyncGraph, answer: Sequence[Any]) -> QueryResult:
    result = QueryResult(graph)
    await result.parse(answer)
    return result


def _name(slug: str) -> str:
    return f"mem:{slug}"


def _rendered(query: LiteralString, parameters: Parameters) -> str:
    if not parameters:
        return query
    values = " ".join(f"{name}={stringify_param_value(value)}" for name, value in parameters.items())
    return f"CYPHER {values} {query}"


def _none_if_absent(error: ResponseError) -> Rows:
    if _NO_SUCH_GRAPH in str(error):
        return []
    raise error
