"""A pytest plugin: one testbed of each kind for a whole session, started when the first test asks for it."""

from collections.abc import Iterator

import pytest

from testbed import Testbed
from testbed.gateway import Gateway


@pytest.fixture(scope="session")
def control_plane() -> Iterator[Testbed]:
    """A real API server with its controllers, and no node: objects are stored and checked, pods do not run."""
    with Testbed.start() as bed:
        yield bed


@pytest.fixture(scope="session")
def node() -> Iterator[Testbed]:
    """A whole cluster with one node: pods run, names resolve, policies hold, volumes are made and erased."""
    with Testbed.start(node=True) as bed:
        yield bed


@pytest.fixture(scope="session")
def gateway() -> Iterator[Gateway]:
    """The real LiteLLM proxy with virtual keys, a stand-in for Ollama behind it and a decoy cloud beside it."""
    with Gateway.start() as gateway:
        yield gateway
