"""The operator as a process of the tests, with the rights of its service account and no others."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from testbed import Testbed

SYSTEM_NAMESPACE, ACCOUNT = "memory-stack-system", "memory-stack-operator"
CHILD_KINDS = "secrets,configmaps,services,statefulsets,deployments"
PATIENCE_SECONDS = 120


def eventually(what: str, check: Callable[[], object]) -> None:
    """Return when the check holds; a bound there is only so that a hanging test ends."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not check():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.05)


class Operator:
    def __init__(self, bed: Testbed, log: Path) -> None:
        self._bed, self._log = bed, log
        self._kubeconfig = bed.service_account_kubeconfig(SYSTEM_NAMESPACE, ACCOUNT)
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0

    def start(self) -> None:
        self.launch()
        eventually("the operator is alive", self.is_alive)

    def launch(self) -> None:
        self._port = _free_port()
        environment = {**os.environ, "KUBECONFIG": str(self._kubeconfig), "MEMSTACK_HEALTH_PORT": str(self._port)}
        with self._log.open("ab") as log:
            command = [sys.executable, "-m", "memstack_operator"]
            self._process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    def stop(self) -> int:
        """End it as a cluster does, by SIGTERM; returns its exit code."""
        assert self._process
        self._process.terminate()
        return self._process.wait(PATIENCE_SECONDS)

    def log(self) -> str:
        return self._log.read_text()

    def resident_bytes(self) -> int:
        assert self._process
        lines = Path(f"/proc/{self._process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    def is_alive(self) -> bool:
        assert self._process
        assert self._process.poll() is None, self.log()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/healthz", timeout=10) as answer:
                return answer.status == 200
        except OSError:
            return False


class Namespace:
    """One namespace of the cluster, in which Pod Security's level `restricted` is enforced."""

    def __init__(self, bed: Testbed, name: str) -> None:
        self._bed, self.name = bed, name

    def kubectl(self, *words: str, input: str | None = None) -> str:  # noqa: A002  subprocess's own word for it
        return self._bed.kubectl(f"--namespace={self.name}", *words, input=input)

    def apply(self, document: dict[str, Any], *words: str) -> str:
        document = document | {"metadata": document["metadata"] | {"namespace": self.name}}
        return self.kubectl("apply", "-f", "-", *words, input=json.dumps(document))

    def get(self, kind: str, name: str) -> dict[str, Any]:
        return json.loads(self.kubectl("get", kind, name, "-o", "json"))

    def list(self, kinds: str, *words: str) -> list[dict[str, Any]]:
        return json.loads(self.kubectl("get", kinds, "-o", "json", *words))["items"]

    def children(self, stack: str) -> dict[tuple[str, str], dict[str, Any]]:
        items = self.list(CHILD_KINDS, "-l", f"app.kubernetes.io/instance={stack}")
        return {(item["kind"], item["metadata"]["name"]): item for item in items}

    def wait_for_reason(self, stack: str, reason: str) -> None:
        path = '{.status.conditions[?(@.type=="Ready")].reason}'
        self.kubectl(
            "wait", f"--for=jsonpath={path}={reason}", f"memorystack/{stack}", f"--timeout={PATIENCE_SECONDS}s"
        )

    def wait_until_made(self, *objects: str) -> None:
        for each in objects:
            self.kubectl("wait", "--for=create", each, f"--timeout={PATIENCE_SECONDS}s")

    def pretend_to_run(self, stack: str) -> None:
        """Stands in for the kubelet, for this cluster has no node: it reports the stack's two pods as running.

        All that follows from it (StatefulSet, ReplicaSet, Deployment) is said by the real controllers.
        """
        selector = ("-l", f"app.kubernetes.io/instance={stack}")
        eventually("the two pods exist", lambda: len(self.list("pods", *selector)) == 2)
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        for pod in self.list("pods", *selector):
            name = pod["metadata"]["name"]
            patch = json.dumps({"status": status})
            self.kubectl("patch", "pod", name, "--subresource=status", "--type=merge", "-p", patch)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
