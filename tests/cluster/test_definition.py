"""The object as the API server takes it: what is refused, what is filled in, what `kubectl` shows."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memstack_operator.api import parse
from memstack_operator.crd import crd
from testbed import Testbed, TestbedError
from tests.cluster.running import Namespace, eventually
from tests.unit.operator.examples import ACCEPTED, REFUSED, Refused, document


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_a_refusal_names_the_field_and_what_is_allowed(common_namespace: Namespace, case: Refused) -> None:
    with pytest.raises(TestbedError) as refusal:
        common_namespace.apply(document(case.changes))
    assert case.field in str(refusal.value)
    assert case.allowed in str(refusal.value)


@pytest.mark.parametrize("changes", ACCEPTED, ids=str)
def test_what_is_allowed_is_taken(common_namespace: Namespace, changes: dict[str, Any]) -> None:
    common_namespace.apply(document(changes), "--dry-run=server")


@pytest.mark.parametrize(
    ("changes", "field", "allowed"),
    [
        ({"spec.store.storage.size": "1Gi"}, "spec.store.storage.size", "cannot shrink"),
        ({"spec.store.storage.size": "2047Mi"}, "spec.store.storage.size", "cannot shrink"),
        ({"spec.store.storage.storageClassName": "slow"}, "spec.store.storage", "storageClassName cannot be changed"),
        ({"spec.store.storage.storageClassName": None}, "spec.store.storage", "storageClassName cannot be changed"),
    ],
    ids=str,
)
def test_a_change_that_would_lose_a_memory_is_refused(
    namespace: Namespace, changes: dict[str, Any], field: str, allowed: str
) -> None:
    before = {"spec.store.storage.size": "2Gi", "spec.store.storage.storageClassName": "fast"}
    namespace.apply(document(before))
    with pytest.raises(TestbedError) as refusal:
        namespace.apply(document({**before, **changes}))
    assert field in str(refusal.value)
    assert allowed in str(refusal.value)


@pytest.mark.parametrize("size", ["2Gi", "2048Mi", "3Gi"])
def test_storage_may_grow(namespace: Namespace, size: str) -> None:
    namespace.apply(document({"spec.store.storage.size": "2Gi"}))
    namespace.apply(document({"spec.store.storage.size": size}))
    assert namespace.get("memorystack", "mem-b")["spec"]["store"]["storage"]["size"] == size


@pytest.fixture
def two_store_types(installed: Testbed, namespace: Namespace) -> Iterator[None]:
    """The definition as it will be when there is a second type: today the list of types alone refuses a change."""
    definition = crd()
    spec = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["store"]["properties"]["type"]["enum"].append("Another")
    installed.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=json.dumps(definition))
    eventually("the second type is served", lambda: _is_taken(namespace, "Another"))
    yield
    installed.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=json.dumps(crd()))
    eventually("the second type is gone", lambda: not _is_taken(namespace, "Another"))


def _is_taken(namespace: Namespace, type_: str) -> bool:
    try:
        namespace.apply(document({"spec.store.type": type_, "metadata.name": "probe"}), "--dry-run=server")
    except TestbedError:
        return False
    return True


@pytest.mark.usefixtures("two_store_types")
def test_the_store_s_type_cannot_be_changed(namespace: Namespace) -> None:
    namespace.apply(document())
    with pytest.raises(TestbedError, match=r"spec\.store\.type.*cannot be changed"):
        namespace.apply(document({"spec.store.type": "Another"}))


def test_a_field_that_does_not_exist_is_refused(common_namespace: Namespace) -> None:
    with pytest.raises(TestbedError, match=r'unknown field "spec\.store\.sise"'):
        common_namespace.apply(document({"spec.store.sise": "2Gi"}))


def test_the_api_server_fills_in_the_defaults_that_the_types_have(namespace: Namespace) -> None:
    namespace.apply(document())
    assert parse(namespace.get("memorystack", "mem-b")).spec == parse(document()).spec
    spec = namespace.get("memorystack", "mem-b")["spec"]
    assert spec["models"]["embedding"] == {"name": "ollama/nomic-embed-text", "dimensions": 768}
    assert spec["virtualKey"]["allow"] == ["ollama/*"]


@pytest.mark.parametrize("name", ["memorystacks", "ms", "memory"])
def test_kubectl_knows_it_by_plural_short_name_and_category(namespace: Namespace, name: str) -> None:
    namespace.apply(document())
    headings, row = namespace.kubectl("get", name).splitlines()
    assert headings.split() == ["NAME", "STORE", "READY", "PHASE", "ENDPOINT", "AGE"]
    assert row.split()[:2] == ["mem-b", "FalkorDB"]


def test_kubectl_explains_every_field(installed: Testbed) -> None:
    assert "can grow later" in installed.kubectl("explain", "memorystack.spec.store.storage.size")
