"""A testbed's node is a real one: pods run, find each other, keep and lose their data, and obey policies."""

import json
import os
import signal
import socketserver
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from testbed import Testbed, images, runs
from testbed.bed import say

SPACE = "testbed-e2e"
SERVE = "import http.server; http.server.test(http.server.SimpleHTTPRequestHandler, port=8000)"
RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


@pytest.fixture(scope="module")
def cluster(node: Testbed) -> Iterator[Testbed]:
    """The node with Python's image, and a namespace that admits only restricted pods."""
    node.load_image(images.base(say))
    node.kubectl("create", "namespace", SPACE)
    node.kubectl("label", "namespace", SPACE, "pod-security.kubernetes.io/enforce=restricted")
    yield node
    node.kubectl("delete", "namespace", SPACE)


@pytest.fixture(scope="module")
def web(cluster: Testbed) -> str:
    """A web server and its service, by name."""
    serve(cluster, "web")
    return "web"


def pod(name: str, *command: str, claim: str = "") -> dict[str, Any]:
    container: dict[str, Any] = {"name": "main", "image": images.BASE, "command": list(command), "workingDir": "/tmp"}
    container |= {"imagePullPolicy": "IfNotPresent", "securityContext": RESTRICTED}
    spec: dict[str, Any] = {"containers": [container], "restartPolicy": "Never", "terminationGracePeriodSeconds": 0}
    spec["securityContext"] = {
        "runAsNonRoot": True,
        "runAsUser": 999,
        "fsGroup": 999,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if claim:
        container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    meta = {"name": name, "namespace": SPACE, "labels": {"app": name}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec}


def service(name: str) -> dict[str, Any]:
    spec = {"selector": {"app": name}, "ports": [{"port": 80, "targetPort": 8000}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": SPACE}, "spec": spec}


def apply(bed: Testbed, *objects: dict[str, Any]) -> None:
    items = {"apiVersion": "v1", "kind": "List", "items": objects}
    bed.kubectl("apply", "--filename=-", input=json.dumps(items))


def serve(bed: Testbed, name: str) -> None:
    """A pod that answers at port 80 of the service NAME; it does when this returns."""
    server = pod(name, "python3", "-c", SERVE)
    server["spec"]["containers"][0]["readinessProbe"] = {"tcpSocket": {"port": 8000}, "periodSeconds": 1}
    apply(bed, server, service(name))
    bed.kubectl("wait", "--for=condition=Ready", f"pod/{name}", f"--namespace={SPACE}", "--timeout=120s")


def run(bed: Testbed, name: str, script: str) -> str:
    """What SCRIPT prints in a pod of its own."""
    apply(bed, pod(name, "python3", "-c", script))
    finished = "--for=jsonpath={.status.phase}=Succeeded"
    bed.kubectl("wait", finished, f"pod/{name}", f"--namespace={SPACE}", "--timeout=120s")
    return bed.kubectl("logs", name, f"--namespace={SPACE}")


def fetch(url: str) -> str:
    return f"import urllib.request; print(urllib.request.urlopen('{url}', timeout=30).status)"


def test_a_pod_finds_another_by_the_name_of_its_service(cluster: Testbed, web: str):
    assert run(cluster, "client", fetch(f"http://{web}.{SPACE}.svc.cluster.local/")) == "200\n"


def test_a_pod_reaches_the_api_server_as_real_ones_do(cluster: Testbed):
    script = (
        "import socket, ssl; trust = ssl.create_default_context("
        "cafile='/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')\n"
        "plain = socket.create_connection(('kubernetes.default.svc', 443), 30)\n"
        "print(trust.wrap_socket(plain, server_hostname='kubernetes.default.svc').version())"
    )
    assert run(cluster, "api-client", script).startswith("TLSv1.")


def test_a_pod_reaches_what_listens_on_the_host(cluster: Testbed):
    class Answer(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.sendall(b"hello from the host")

    with socketserver.TCPServer((cluster.host_address, 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        script = f"import socket; print(socket.create_connection({server.server_address!r}, 30).recv(99).decode())"
        assert run(cluster, "host-client", script) == "hello from the host\n"
        server.shutdown()


def test_exec_reaches_into_a_pod(cluster: Testbed, web: str):
    assert cluster.kubectl("exec", web, f"--namespace={SPACE}", "--", "id", "-u") == "999\n"


def test_a_policy_that_lets_nothing_in_cuts_off(cluster: Testbed, web: str):
    serve(cluster, "shut")
    address = cluster.kubectl("get", "pod", "shut", f"--namespace={SPACE}", "--output=jsonpath={.status.podIP}")
    assert run(cluster, "caller-before", fetch(f"http://{address}:8000/")) == "200\n"
    deny = {"podSelector": {"matchLabels": {"app": "shut"}}, "policyTypes": ["Ingress"], "ingress": []}
    policy: dict[str, Any] = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "spec": deny}
    apply(cluster, policy | {"metadata": {"name": "shut", "namespace": SPACE}})
    until_cut_off = (
        "import socket, time\n"
        "try:\n"
        f"    while socket.create_connection(({address!r}, 8000), 2): time.sleep(0.1)\n"
        "except OSError: print('cut off')"
    )
    assert run(cluster, "caller-after", until_cut_off) == "cut off\n"
    assert run(cluster, "caller-elsewhere", fetch(f"http://{web}/")) == "200\n"


def test_a_volume_is_made_for_a_claim_and_erased_with_it(cluster: Testbed):
    claim: dict[str, Any] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    claim["metadata"] = {"name": "data", "namespace": SPACE}
    claim["spec"] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    apply(cluster, claim, pod("writer", "sh", "-c", "echo kept > /data/file", claim="data"))
    finished = "--for=jsonpath={.status.phase}=Succeeded"
    cluster.kubectl("wait", finished, "pod/writer", f"--namespace={SPACE}", "--timeout=120s")
    volume = json.loads(cluster.kubectl("get", "persistentvolumes", "--output=json"))["items"][0]
    folder = Path(volume["spec"]["local"]["path"])
    assert (folder / "file").read_text() == "kept\n"
    assert (folder / "file").stat().st_uid == 999

    cluster.kubectl("delete", "pod/writer", "persistentvolumeclaim/data", f"--namespace={SPACE}")
    cluster.kubectl("wait", "--for=delete", f"persistentvolume/{volume['metadata']['name']}", "--timeout=120s")
    assert not folder.exists()


def test_two_nodes_run_side_by_side_and_leave_nothing(node: Testbed):
    before = traces()
    with Testbed.start(node=True) as second:
        assert second.host_address != node.host_address
        uids = [bed.kubectl("get", "node", "node", "--output=jsonpath={.metadata.uid}") for bed in (node, second)]
        assert uids[0] != uids[1]
        assert traces() != before
    assert traces() == before
    assert node.kubectl("get", "--raw=/readyz") == "ok"


def test_a_killed_node_leaves_nothing_once_the_next_testbed_starts(node: Testbed):
    before = traces()
    crashed = Testbed.start(node=True, name="crashed-node")
    assert traces() != before
    run = runs.Run("crashed-node")
    os.kill(run.pid, signal.SIGKILL)
    while run.alive:  # the kernel takes a moment to end all that lived in its namespaces
        time.sleep(0.05)
    with Testbed.start():
        assert not crashed.folder.exists()
        assert traces() == before
    crashed.stop()
    assert node.kubectl("get", "--raw=/readyz") == "ok"


def traces() -> dict[str, list[str]]:
    """What a node could leave on a machine: devices, mounts, control groups.

    Of the groups only the outermost: they cannot go before those within, and within a node that runs, pods come and go.
    """
    groups = [str(group) for group in Path("/sys/fs/cgroup").glob("*/memory-stack-*")]
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    return {
        "devices": sorted(device.name for device in Path("/sys/class/net").iterdir()),
        "mounts": sorted(mounts),
        "groups": sorted(groups),
    }
