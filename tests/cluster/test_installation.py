"""What `kubectl apply -k manifests/` brings, and in which order it may come."""

import pytest

from testbed import Testbed
from tests.cluster.conftest import CHECKOUT
from tests.cluster.running import Namespace, Operator, eventually
from tests.unit.operator.examples import document

DEFINITION = "crd/memorystacks.memorystack.dev"


def test_an_operator_that_is_there_first_waits_for_the_definition(
    installed: Testbed, operator: Operator, namespace: Namespace
) -> None:
    operator.stop()
    installed.kubectl("delete", DEFINITION)
    operator.launch()
    eventually("it says what is missing", lambda: "kubectl apply -k manifests/" in operator.log())
    assert not operator.is_alive()
    installed.kubectl("apply", "-k", str(CHECKOUT / "crds"))
    installed.kubectl("wait", "--for=condition=Established", DEFINITION)
    eventually("it goes on", operator.is_alive)
    namespace.apply(document())
    namespace.wait_for_reason("mem-b", "Starting")


@pytest.mark.parametrize("name", ["mem-eval", "memory-stack-system"])
def test_its_namespaces_enforce_the_strictest_level(installed: Testbed, name: str) -> None:
    path = r"jsonpath={.metadata.labels.pod-security\.kubernetes\.io/enforce}"
    assert installed.kubectl("get", "namespace", name, "-o", path) == "restricted"
