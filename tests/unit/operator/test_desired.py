"""The children's manifests. `MEMSTACK_WRITE_GOLDEN=1 pytest tests/unit/operator` writes the golden files anew."""

import base64
import os
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from memstack_operator.api import MemoryStack
from memstack_operator.desired import Drawn, children, desired
from memstack_operator.desired.store import redis_conf
from memstack_operator.seen import Child, Manifest, Seen, child_of
from memstack_server.settings import Settings
from tests.unit.operator.examples import UID, stack

GOLDEN = Path(__file__).parent / "golden"
DRAWN = Drawn(password="a-drawn-password", token="a-drawn-token")
IMAGE = "memory-stack:tested"

STACKS: dict[str, dict[str, Any]] = {
    "smallest": {},
    "full": {
        "spec.store.image": "falkordb:mine",
        "spec.store.storage": {"size": "20Gi", "storageClassName": "fast"},
        "spec.store.resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2", "memory": "4Gi"}},
        "spec.models.gateway.url": "http://litellm.litellm.svc:4000",
        "spec.models.embedding": {"name": "ollama/mxbai-embed-large", "dimensions": 1024},
        "spec.server.image": "memory-stack:mine",
        "spec.server.resources": {"limits": {"memory": "1Gi"}},
    },
}


def manifests(stack: MemoryStack, seen: Seen | None = None, drawn: Drawn = DRAWN) -> dict[Child, Manifest]:
    steps = desired(stack, seen or Seen(), drawn, IMAGE)
    return {child_of(manifest): manifest for manifest in chain.from_iterable(steps)}


def test_what_pods_mount_is_made_before_the_pods() -> None:
    kinds = [{manifest["kind"] for manifest in step} for step in desired(stack(), Seen(), DRAWN, IMAGE)]
    assert kinds == [{"Secret", "ConfigMap", "Service"}, {"StatefulSet", "Deployment"}, set()]


def applied(stack: MemoryStack, drawn: Drawn = DRAWN) -> Seen:
    """The cluster after the stack was applied."""
    return Seen(manifests(stack, drawn=drawn))


def pod(manifest: Manifest) -> Manifest:
    return manifest["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", STACKS)
def test_manifests_are_as_in_the_golden_file(name: str) -> None:
    file = GOLDEN / f"{name}.yaml"
    wanted = list(manifests(stack(STACKS[name])).values())
    if os.environ.get("MEMSTACK_WRITE_GOLDEN"):
        file.write_text(yaml.safe_dump_all(wanted, sort_keys=True, width=120))
    assert list(yaml.safe_load_all(file.read_text())) == wanted


def test_everything_that_is_made_is_looked_for() -> None:
    assert manifests(stack()).keys() <= set(children(stack()))


@pytest.mark.parametrize("child", manifests(stack()), ids=str)
def test_every_child_is_the_stack_s_own(child: Child) -> None:
    metadata = manifests(stack())[child]["metadata"]
    (owner,) = metadata["ownerReferences"]
    assert (owner["uid"], owner["name"], owner["controller"]) == (UID, "mem-b", True)
    assert metadata["namespace"] == "mem-eval"
    assert metadata["labels"]["app.kubernetes.io/instance"] == "mem-b"


def test_secrets_that_exist_are_left_alone() -> None:
    again = manifests(stack(), applied(stack()), Drawn(password="another", token="another"))
    assert "Secret" not in {child.kind for child in again}


def test_pods_stay_as_they_are_when_other_values_are_drawn() -> None:
    seen = applied(stack())
    again = manifests(stack(), seen, Drawn(password="another", token="another"))
    assert again.items() <= seen.objects.items()


def test_pods_are_replaced_when_a_secret_was() -> None:
    before = manifests(stack())
    after = manifests(stack(), drawn=Drawn(password="another", token=DRAWN.token))
    for child in (Child("StatefulSet", "mem-b-store"), Child("Deployment", "mem-b-server")):
        assert before[child]["spec"]["template"]["metadata"] != after[child]["spec"]["template"]["metadata"]


def test_the_store_is_replaced_when_its_configuration_changes() -> None:
    child = Child("StatefulSet", "mem-b-store")
    larger = stack({"spec.store.resources": {"limits": {"memory": "2Gi"}}})
    annotations = [manifests(s)[child]["spec"]["template"]["metadata"]["annotations"] for s in (stack(), larger)]
    assert annotations[0] != annotations[1]


def test_no_secret_is_in_anything_but_a_secret() -> None:
    for child, manifest in manifests(stack()).items():
        if child.kind != "Secret":
            text = yaml.safe_dump(manifest)
            for value in (DRAWN.password, DRAWN.token):
                assert value not in text
                assert base64.b64encode(value.encode()).decode() not in text
    assert DRAWN.password not in repr(DRAWN)


def test_the_server_s_environment_is_its_settings() -> None:
    server = pod(manifests(stack(STACKS["full"]))[Child("Deployment", "mem-b-server")])["containers"][0]
    settings = Settings.from_environment({entry["name"]: entry["value"] for entry in server["env"]})
    assert settings.store_url == "redis://mem-b-store.mem-eval.svc:6379"
    assert settings.allowed_hosts[-1] == "mem-b.mem-eval.svc.cluster.local"
    assert (settings.embedding_model, settings.embedding_dimensions) == ("ollama/mxbai-embed-large", 1024)
    assert [entry["name"] for entry in server["env"]] == sorted(entry["name"] for entry in server["env"])


def test_the_server_s_environment_is_not_the_operator_s(monkeypatch: pytest.MonkeyPatch) -> None:
    before = manifests(stack())
    monkeypatch.setenv("MEMSTACK_EMBEDDING_MODEL", "ollama/of-the-operator")
    assert manifests(stack()) == before


def test_a_volume_grows_by_its_claim_for_the_template_is_immutable() -> None:
    claim, store = Child("PersistentVolumeClaim", "data-mem-b-store-0"), Child("StatefulSet", "mem-b-store")
    seen = applied(stack({"spec.store.storage.size": "2Gi"}))
    seen = seen.with_object(
        {
            "kind": claim.kind,
            "metadata": {"name": claim.name},
            "spec": {"resources": {"requests": {"storage": "2Gi"}}},
        }
    )
    grown = manifests(stack({"spec.store.storage.size": "3Gi"}), seen)
    assert grown[claim]["spec"]["resources"]["requests"]["storage"] == "3Gi"
    assert grown[store]["spec"]["volumeClaimTemplates"] == seen.objects[store]["spec"]["volumeClaimTemplates"]
    assert claim not in manifests(stack({"spec.store.storage.size": "2048Mi"}), seen)


def test_the_store_leaves_a_quarter_of_its_memory_free() -> None:
    assert f"maxmemory {3 * 1024**3 // 4}\n" in redis_conf("1Gi")
    assert "maxmemory " not in redis_conf(None)
