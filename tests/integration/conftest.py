"""Real parts, shared where a test does not have to break them: a store and a server for the session."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.integration.parts import Server, Store


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def store() -> Iterator[Store]:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder)).start()
        yield store
        store.kill()


@pytest.fixture(scope="session")
def server(store: Store) -> Iterator[Server]:
    server = Server(store.folder, store.url).start()
    yield server
    server.kill()


@pytest.fixture
def own_store() -> Iterator[Store]:
    """An empty store that the test may break."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder)).start()
        yield store
        store.kill()


@pytest.fixture
def launch(own_store: Store) -> Iterator[Callable[..., Server]]:
    """Makes servers, with settings of the test's choice, on the test's own store."""
    servers: list[Server] = []

    def launch(**settings: str) -> Server:
        servers.append(Server(own_store.folder, own_store.url, **settings))
        return servers[-1]

    yield launch
    for server in servers:
        if hasattr(server, "process"):
            server.kill()


_numbers = count()


@pytest.fixture
def scope() -> str:
    """A scope that no other test uses."""
    return f"project:github.com/tests/{next(_numbers)}"
