"""One cluster with the operator for all end-to-end tests."""

import pytest

from e2e.cluster import Cluster, installed
from testbed import Testbed


@pytest.fixture(scope="session")
def cluster(node: Testbed) -> Cluster:
    return installed(node)
