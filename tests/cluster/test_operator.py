"""The operator on a real API server, with the account and the rights that it is shipped with."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from testbed import Testbed
from tests.cluster.running import ACCOUNT, SYSTEM_NAMESPACE, Namespace, Operator, eventually
from tests.unit.operator.examples import document

SAMPLE = Path(__file__).parents[2] / "manifests" / "samples" / "mem-b.yaml"
CHILDREN = {
    ("Secret", "mem-b-store"),
    ("Secret", "mem-b-token"),
    ("ConfigMap", "mem-b-store"),
    ("Service", "mem-b-store"),
    ("Service", "mem-b"),
    ("StatefulSet", "mem-b-store"),
    ("Deployment", "mem-b-server"),
}
EVERYTHING = "memorystacks,secrets,services,statefulsets,deployments,replicasets,controllerrevisions,pods,pvc"


@pytest.fixture
def stack(namespace: Namespace, operator: Operator) -> Namespace:  # noqa: ARG001  it makes the children
    """A namespace with the stack mem-b, all its children made and its state reported."""
    namespace.apply(document())
    namespace.wait_for_reason("mem-b", "Starting")
    return namespace


def versions(stack: Namespace) -> dict[tuple[str, str], str]:
    """The children's versions, once the controllers have said of each of them what there is to say."""
    stack.pretend_to_run("mem-b")
    stack.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=120s")
    return {child: each["metadata"]["resourceVersion"] for child, each in stack.children("mem-b").items()}


def transitions(stack: Namespace) -> dict[str, str]:
    conditions = stack.get("memorystack", "mem-b")["status"]["conditions"]
    return {condition["type"]: condition["lastTransitionTime"] for condition in conditions}


def secret_data(stack: Namespace) -> list[dict[str, str]]:
    return [stack.get("secret", name)["data"] for name in ("mem-b-store", "mem-b-token")]


def test_the_children_are_made_and_owned_by_the_stack(stack: Namespace) -> None:
    children = stack.children("mem-b")
    assert children.keys() == CHILDREN
    uid = stack.get("memorystack", "mem-b")["metadata"]["uid"]
    assert {child["metadata"]["ownerReferences"][0]["uid"] for child in children.values()} == {uid}


def test_the_sample_becomes_ready(namespace: Namespace, operator: Operator) -> None:  # noqa: ARG001
    sample = SAMPLE.read_text().replace("namespace: mem-eval", f"namespace: {namespace.name}")
    namespace.kubectl("apply", "-f", "-", input=sample)
    namespace.pretend_to_run("mem-b")
    namespace.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=120s")
    status = namespace.get("memorystack", "mem-b")["status"]
    assert status["phase"] == "Memory is ready"
    assert status["endpoint"] == f"http://mem-b.{namespace.name}.svc:8420/mcp"
    assert status["store"] == f"mem-b-store.{namespace.name}.svc:6379"
    assert status["observedGeneration"] == 1
    assert [(c["type"], c["status"], c["observedGeneration"]) for c in status["conditions"]] == [
        ("StoreReady", "True", 1),
        ("ServerReady", "True", 1),
        ("Ready", "True", 1),
    ]
    row = namespace.kubectl("get", "ms").splitlines()[1]
    assert row.split()[:3] == ["mem-b", "FalkorDB", "True"]
    assert status["endpoint"] in row


def test_a_stack_that_is_ready_and_loses_its_store_is_not_ready(stack: Namespace) -> None:
    stack.pretend_to_run("mem-b")
    stack.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=120s")
    stack.kubectl("delete", "pod", "mem-b-store-0")
    stack.kubectl("wait", "--for=condition=Ready=False", "memorystack/mem-b", "--timeout=120s")
    assert stack.get("memorystack", "mem-b")["status"]["phase"] == "Store is starting"


def test_a_restarted_operator_changes_nothing(stack: Namespace, operator: Operator) -> None:
    before, since = versions(stack), transitions(stack)
    assert operator.stop() == 0
    operator.start()
    # No child depends on this field yet: when it is answered, a whole round was made with nothing to do.
    stack.apply(document({"spec.virtualKey.allow": ["ollama/qwen2.5:14b"]}))
    stack.kubectl("wait", "--for=jsonpath={.status.observedGeneration}=2", "ms/mem-b", "--timeout=120s")
    assert versions(stack) == before
    assert transitions(stack) == since


def test_secrets_are_made_once(stack: Namespace, operator: Operator) -> None:
    before = secret_data(stack)
    stack.kubectl("delete", "deployment", "mem-b-server")
    stack.wait_until_made("deployment/mem-b-server")
    stack.apply(document({"spec.models.embedding.dimensions": 1024}))
    stack.kubectl("wait", "--for=jsonpath={.status.observedGeneration}=2", "ms/mem-b", "--timeout=120s")
    operator.stop()
    operator.start()
    stack.kubectl("delete", "statefulset", "mem-b-store")
    stack.wait_until_made("statefulset/mem-b-store")
    assert secret_data(stack) == before


def test_no_secret_is_logged(stack: Namespace, operator: Operator) -> None:
    assert f"Applying Secret mem-b-token in {stack.name}" in operator.log()
    for data in secret_data(stack):
        for value in data.values():
            assert value not in operator.log()
            assert base64.b64decode(value).decode().split()[-1] not in operator.log()


@pytest.mark.parametrize("child", sorted(CHILDREN - {("Secret", "mem-b-store"), ("Secret", "mem-b-token")}), ids=str)
def test_a_deleted_child_comes_back(stack: Namespace, child: tuple[str, str]) -> None:
    before = stack.children("mem-b")[child]["metadata"]["uid"]
    stack.kubectl("delete", *child)
    stack.wait_until_made("/".join(child))
    assert stack.get(*child)["metadata"]["uid"] != before


def test_a_deleted_secret_comes_back_with_the_next_round_and_pods_follow(stack: Namespace) -> None:
    def content() -> str:
        template = stack.get("deployment", "mem-b-server")["spec"]["template"]
        return template["metadata"]["annotations"]["memorystack.dev/content"]

    before = content()
    stack.kubectl("delete", "secret", "mem-b-token")
    stack.kubectl("annotate", "memorystack", "mem-b", "look=here")  # a round that does not have to be waited for
    stack.wait_until_made("secret/mem-b-token")
    eventually("the server's pod is replaced", lambda: content() != before)


@pytest.mark.parametrize(
    ("child", "patch"),
    [
        ("statefulset/mem-b-store", {"spec": {"replicas": 0}}),
        ("deployment/mem-b-server", {"spec": {"template": {"spec": {"enableServiceLinks": True}}}}),
        ("service/mem-b", {"spec": {"selector": {"app.kubernetes.io/instance": "other"}}}),
        ("configmap/mem-b-store", {"data": {"redis.conf": "appendonly no"}}),
        ("configmap/mem-b-store", {"metadata": {"labels": {"app.kubernetes.io/managed-by": "someone"}}}),
    ],
    ids=["replicas", "pod", "selector", "configuration", "label"],
)
def test_an_edited_child_is_repaired(stack: Namespace, child: str, patch: dict[str, Any]) -> None:
    before = _asked_for(stack.get(*child.split("/")))
    stack.kubectl("patch", child, "--type=merge", "-p", json.dumps(patch))
    eventually("it is as it was", lambda: _asked_for(stack.get(*child.split("/"))) == before)


def _asked_for(child: dict[str, Any]) -> dict[str, Any]:
    return {"labels": child["metadata"]["labels"], "spec": child.get("spec"), "data": child.get("data")}


def test_what_is_no_longer_asked_for_is_taken_away(stack: Namespace) -> None:
    path = "{.spec.template.spec.containers[0].resources.limits.cpu}"
    stack.apply(document({"spec.server.resources": {"limits": {"cpu": "1", "memory": "512Mi"}}}))
    stack.kubectl("wait", f"--for=jsonpath={path}=1", "deployment/mem-b-server", "--timeout=120s")
    stack.apply(document({"spec.server.resources": {"limits": {"memory": "512Mi"}}}))
    eventually(
        "there is no limit any more",
        lambda: stack.kubectl("get", "deployment", "mem-b-server", "-o", f"jsonpath={path}") == "",
    )


def test_a_foreign_object_is_not_taken_over(namespace: Namespace, operator: Operator) -> None:  # noqa: ARG001
    namespace.kubectl("create", "service", "clusterip", "mem-b", "--tcp=80:80")
    before = namespace.get("service", "mem-b")
    namespace.apply(document())
    namespace.wait_for_reason("mem-b", "Conflict")
    assert namespace.get("service", "mem-b") == before
    assert not namespace.children("mem-b")
    ready = namespace.get("memorystack", "mem-b")["status"]["conditions"][-1]
    assert "Service mem-b" in ready["message"]
    namespace.kubectl("delete", "service", "mem-b")
    namespace.wait_for_reason("mem-b", "Starting")
    assert namespace.children("mem-b").keys() == CHILDREN


def test_what_the_api_server_refuses_is_told_in_its_words(stack: Namespace) -> None:
    resources = {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}
    stack.apply(document({"spec.server.resources": resources}))
    stack.wait_for_reason("mem-b", "Refused")
    ready = stack.get("memorystack", "mem-b")["status"]["conditions"][-1]
    assert "Deployment mem-b-server" in ready["message"]
    assert "must be less than or equal to memory limit" in ready["message"]
    stack.apply(document())
    stack.wait_for_reason("mem-b", "Starting")


def test_the_operator_writes_nothing_but_the_status(stack: Namespace) -> None:
    metadata = json.loads(stack.kubectl("get", "ms", "mem-b", "-o", "json", "--show-managed-fields"))["metadata"]
    writers = {(field["manager"], field.get("subresource")) for field in metadata["managedFields"]}
    assert writers == {("kubectl-client-side-apply", None), ("memory-stack", "status")}
    assert "finalizers" not in metadata
    assert metadata["annotations"].keys() == {"kubectl.kubernetes.io/last-applied-configuration"}


def test_deleting_the_stack_leaves_nothing(stack: Namespace) -> None:
    stack.wait_until_made("pod/mem-b-store-0", "pvc/data-mem-b-store-0")
    stack.kubectl("delete", "memorystack", "mem-b", "--cascade=foreground")
    eventually("nothing is left", lambda: not stack.list(EVERYTHING))
    assert [each["metadata"]["name"] for each in stack.list("configmaps")] == ["kube-root-ca.crt"]


def test_a_stack_made_anew_is_a_new_one(stack: Namespace) -> None:
    before = secret_data(stack)
    stack.kubectl("delete", "memorystack", "mem-b")
    stack.apply(document())
    stack.wait_for_reason("mem-b", "Starting")
    assert stack.children("mem-b").keys() == CHILDREN
    assert secret_data(stack) != before


def test_the_pods_are_restricted(stack: Namespace, installed: Testbed) -> None:
    # The namespace enforces it, so a pod that were not would not be there.
    stack.wait_until_made("pod/mem-b-store-0")
    eventually("the server's pod is let in", lambda: len(stack.list("pods")) == 2)
    template = json.loads(
        installed.kubectl("-n", SYSTEM_NAMESPACE, "get", "deployment", "memory-stack-operator", "-o", "json")
    )["spec"]["template"]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "operator"}, "spec": template["spec"]}
    installed.kubectl("-n", SYSTEM_NAMESPACE, "create", "--dry-run=server", "-f", "-", input=json.dumps(pod))


FORBIDDEN = (
    ("list", "", "secrets", ""),
    ("watch", "", "secrets", ""),
    ("delete", "", "secrets", ""),
    ("update", "", "secrets", ""),
    ("create", "", "pods", ""),
    ("create", "", "pods", "exec"),
    ("get", "", "pods", "log"),
    ("create", "", "serviceaccounts", "token"),
    ("delete", "", "persistentvolumeclaims", ""),
    ("delete", "", "namespaces", ""),
    ("get", "", "nodes", ""),
    ("patch", "memorystack.dev", "memorystacks", ""),
    ("delete", "memorystack.dev", "memorystacks", ""),
    ("delete", "apps", "statefulsets", ""),
    ("create", "rbac.authorization.k8s.io", "clusterrolebindings", ""),
    ("impersonate", "", "users", ""),
)


@pytest.mark.parametrize(("verb", "group", "resource", "subresource"), FORBIDDEN)
def test_the_operator_may_not(installed: Testbed, verb: str, group: str, resource: str, subresource: str) -> None:
    attributes = {"verb": verb, "group": group, "resource": resource, "subresource": subresource}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": f"system:serviceaccount:{SYSTEM_NAMESPACE}:{ACCOUNT}",
            "resourceAttributes": attributes | {"namespace": "mem-eval"},
        },
    }
    answer = json.loads(installed.kubectl("create", "-f", "-", "-o", "json", input=json.dumps(review)))
    assert answer["status"]["allowed"] is False


def test_the_operator_is_small(stack: Namespace, operator: Operator) -> None:  # noqa: ARG001  it has worked
    assert operator.resident_bytes() < 130 * 1024**2
