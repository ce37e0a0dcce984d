"""The store's rooms behind one connection."""

from functools import cached_property

from memstack_server.stores.falkordb.connection import Connection
from memstack_server.stores.falkordb.enrichment import Enrichment
from memstack_server.stores.falkordb.entities import Entities
from memstack_server.stores.falkordb.episodes import Episodes
from memstack_server.stores.falkordb.errors import mapped
from memstack_server.stores.falkordb.memories import Memories
from memstack_server.stores.falkordb.queue import Queue
from memstack_server.stores.falkordb.schema import Schema
from memstack_server.stores.falkordb.search import Search


class FalkorStore:
    """A graph memory in FalkorDB.

    Args:
        url: redis://HOST:PORT or unix://SOCKET.
        password: The store's password, if it has one.
    """

    def __init__(self, url: str, password: str | None) -> None:
        self.connection = Connection(url, password)

    @cached_property
    def schema(self) -> Schema:
        return Schema(self.connection)

    @cached_property
    def memories(self) -> Memories:
        return Memories(self.connection, self.schema)

    @cached_property
    def episodes(self) -> Episodes:
        return Episodes(self.connection, self.schema)

    @cached_property
    def entities(self) -> Entities:
        return Entities(self.connection)

    @cached_property
    def search(self) -> Search:
        return Search(self.connection)

    @cached_property
    def enrichment(self) -> Enrichment:
        return Enrichment(self.connection, self.search)

    @cached_property
    def queue(self) -> Queue:
        return Queue(self.connection)

    async def ping(self) -> None:
        """Raises `StoreUnavailable` if the store does not answer."""
        with mapped():
            await self.connection.redis.execute_command("PING")
