"""A volume that grows: a StatefulSet's claim template is immutable, so the operator changes the claim."""

import json

import pytest

from testbed import Testbed
from tests.cluster.running import Namespace
from tests.unit.operator.examples import document

CLAIM = "pvc/data-mem-b-store-0"
REQUESTED = "{.spec.resources.requests.storage}"


@pytest.fixture
def storage_class(installed: Testbed, namespace: Namespace) -> str:
    """A class whose volumes may grow, and one volume of it, made by hand: only a bound claim can be changed."""
    name = f"grows-{namespace.name}"
    storage = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "kubernetes.io/no-provisioner",
        "allowVolumeExpansion": True,
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "2Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": name,
            "hostPath": {"path": "/nowhere"},
        },
    }
    items = {"apiVersion": "v1", "kind": "List", "items": [storage, volume]}
    installed.kubectl("create", "-f", "-", input=json.dumps(items))
    return name


@pytest.mark.usefixtures("operator")
def test_a_claim_grows_with_the_object(namespace: Namespace, storage_class: str) -> None:
    storage = {"spec.store.storage": {"size": "2Gi", "storageClassName": storage_class}}
    namespace.apply(document(storage))
    namespace.wait_until_made(CLAIM)
    namespace.kubectl("wait", "--for=jsonpath={.status.phase}=Bound", CLAIM, "--timeout=120s")
    storage["spec.store.storage"]["size"] = "3Gi"
    namespace.apply(document(storage))
    namespace.kubectl("wait", f"--for=jsonpath={REQUESTED}=3Gi", CLAIM, "--timeout=120s")
    namespace.wait_for_reason("mem-b", "Starting")


@pytest.mark.usefixtures("operator")
def test_a_volume_that_cannot_grow_is_told_in_the_api_server_s_words(namespace: Namespace) -> None:
    namespace.apply(document({"spec.store.storage.size": "2Gi"}))
    namespace.wait_until_made(CLAIM)
    namespace.apply(document({"spec.store.storage.size": "3Gi"}))
    namespace.wait_for_reason("mem-b", "Refused")
    message = namespace.get("memorystack", "mem-b")["status"]["conditions"][-1]["message"]
    assert "PersistentVolumeClaim data-mem-b-store-0" in message
