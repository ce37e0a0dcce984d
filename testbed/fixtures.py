"""A pytest plugin: one testbed of each kind for a whole session, started when the first test asks for it."""

from collections.abc import Iterator

import pytest

from testbed import Testbed


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
