"""The cluster of the end-to-end tests, in the words that they speak."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from testbed import Testbed, images
from testbed.bed import say

REPOSITORY = Path(__file__).parents[1]
SAMPLE = REPOSITORY / "manifests" / "samples" / "mem-b.yaml"
NAMESPACE, SYSTEM = "mem-eval", "memory-stack-system"
# Everything a stack may consist of, and what Kubernetes makes of it.
KINDS = (
    "memorystacks,statefulsets,controllerrevisions,deployments,replicasets,pods,services,endpointslices,configmaps,"
    "secrets,persistentvolumeclaims"
)


@dataclass(frozen=True)
class Cluster:
    """A testbed with a node on which the operator is installed."""

    bed: Testbed

    def kubectl(self, *words: str) -> str:
        return self.bed.kubectl(f"--namespace={NAMESPACE}", *words)

    @property
    def kubectl_command(self) -> tuple[str, ...]:
        return (*self.bed.kubectl_words, f"--kubeconfig={self.bed.kubeconfig}")

    def headers_helper(self, stack: str) -> str:
        """The README's command, with this cluster's kubectl on its path."""
        return shlex.join([sys.executable, "-m", "memstack", "headers", stack, f"--namespace={NAMESPACE}"])

    def environment(self) -> dict[str, str]:
        """Where the command finds the cluster: its kubectl first on the path."""
        folder = self.bed.folder / "bin"
        folder.mkdir(exist_ok=True)
        kubectl = folder / "kubectl"
        kubectl.write_text(f'#!/bin/sh\nexec {shlex.join(self.kubectl_command)} "$@"\n')
        kubectl.chmod(0o700)
        return {"PATH": f"{folder}:{os.environ['PATH']}"}

    def headers(self, stack: str) -> dict[str, str]:
        command = shlex.split(self.headers_helper(stack))
        return json.loads(subprocess.check_output(command, env=os.environ | self.environment()))

    def registration(self, stack: str, endpoint: str) -> str:
        """What `claude mcp add-json` is given."""
        return json.dumps({"type": "http", "url": endpoint, "headersHelper": self.headers_helper(stack)})

    @contextmanager
    def forwarded(self, target: str, port: int) -> Generator[int]:
        """A port of this machine that leads to a port of `service/NAME` for as long as the block lasts."""
        command = [*self.kubectl_command, f"--namespace={NAMESPACE}", "port-forward", target, f":{port}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as forward:
            assert forward.stdout
            line = forward.stdout.readline()
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            assert found, f"kubectl port-forward said {line!r}"
            try:
                yield int(found[1])
            finally:
                forward.terminate()

    def objects(self) -> set[str]:
        """`Kind/name` of everything in the namespace that Kubernetes did not put there itself."""
        listed: list[dict[str, Any]] = json.loads(self.kubectl("get", KINDS, "--output=json"))["items"]
        names = {f"{each['kind']}/{each['metadata']['name']}" for each in listed}
        return names - {"ConfigMap/kube-root-ca.crt"}

    def volumes(self) -> set[str]:
        """Folders on the node that hold a volume's data."""
        return {folder.name for folder in (self.bed.folder / "volumes").iterdir()}

    def wait_until_empty(self) -> None:
        """Wait until neither an object nor a volume is left; the test's own time-out says that some are."""
        while left := self.objects() | self.volumes():
            assert left
            time.sleep(0.2)


def installed(bed: Testbed) -> Cluster:
    """The cluster once the images are on its node, and the operator runs, installed as the README says."""
    for archive in (images.product(say), images.store(say)):
        bed.load_image(archive)
    bed.kubectl("apply", "-k", str(REPOSITORY / "manifests"))
    bed.kubectl("rollout", "status", "deployment/memory-stack-operator", f"--namespace={SYSTEM}", "--timeout=180s")
    return Cluster(bed)
