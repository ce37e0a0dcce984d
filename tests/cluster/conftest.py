"""The product installed on a real API server as a user installs it, and its operator at work."""

import itertools
import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from testbed import Testbed
from tests.cluster.running import SYSTEM_NAMESPACE, Namespace, Operator

CHECKOUT = Path(__file__).parents[2]
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def installed(control_plane: Testbed) -> Testbed:
    control_plane.kubectl("apply", "-k", str(CHECKOUT / "manifests"))
    control_plane.kubectl("wait", "--for=condition=Established", "crd/memorystacks.memorystack.dev")
    # The tests run it themselves; two at once would be one too many where the cluster has nodes.
    control_plane.kubectl("-n", SYSTEM_NAMESPACE, "scale", "deployment/memory-stack-operator", "--replicas=0")
    return control_plane


@pytest.fixture(scope="session")
def operator(installed: Testbed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    operator = Operator(installed, tmp_path_factory.mktemp("operator") / "log")
    operator.start()
    yield operator
    operator.stop()


@pytest.fixture
def namespace(installed: Testbed) -> Iterator[Namespace]:
    """A namespace of the test's own."""
    with _made(installed) as namespace:
        yield namespace


@pytest.fixture(scope="session")
def common_namespace(installed: Testbed) -> Iterator[Namespace]:
    """A namespace for all tests that leave nothing behind."""
    with _made(installed) as namespace:
        yield namespace


@contextmanager
def _made(bed: Testbed) -> Generator[Namespace]:
    name = f"test-{next(_numbers)}"
    document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": RESTRICTED}}
    bed.kubectl("create", "-f", "-", input=json.dumps(document))
    yield Namespace(bed, name)
    bed.kubectl("delete", "namespace", name, "--wait=false")
