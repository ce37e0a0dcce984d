"""The programs of a cluster that are compiled here, each from a pinned Go module in `go/<name>`.

A new part is a folder with `go.mod`, `go.sum` and, unless the module's own command is built as it is, a `main.go`;
and one line below.
"""

from dataclasses import dataclass
from pathlib import Path

from testbed import cache, folders

KUBERNETES = "v1.37.2"
STRIPPED = "-s -w"
# Kubernetes reads its own version from these: without them clients take the server for a v0.0.0.
STAMPED = " ".join(
    (
        STRIPPED,
        f"-X k8s.io/component-base/version.gitVersion={KUBERNETES}",
        f"-X k8s.io/client-go/pkg/version.gitVersion={KUBERNETES}",
        "-X k8s.io/component-base/version.gitMajor=1",
        "-X k8s.io/component-base/version.gitMinor=37",
    )
)


@dataclass(frozen=True)
class Part:
    name: str
    holds: str
    minutes: int  # a first build on two cores, nothing cached
    ldflags: str = STRIPPED
    package: str = "."

    @property
    def folder(self) -> Path:
        return folders.SOURCE / "go" / self.name

    def digest(self, go: str) -> str:
        """A name for what this part is built of: change any input and it is another. GO is Go's own version."""
        return cache.digest(go, self.ldflags, self.package, files=self.folder.iterdir(), root=self.folder)


KUBE = Part(
    "kube", "etcd, API server, controllers, scheduler, kubelet, kube-proxy, kubectl", minutes=9, ldflags=STAMPED
)
COREDNS = Part("coredns", "the names of services and pods", minutes=2)
KUBE_ROUTER = Part(
    "kube-router",
    "network policies",
    minutes=4,
    package="github.com/cloudnativelabs/kube-router/v2/cmd/kube-router",
)
PAUSE = Part("pause", "the process that holds a pod's namespaces", minutes=1)

CONTROL_PLANE = (KUBE,)
NODE = (KUBE, COREDNS, KUBE_ROUTER, PAUSE)
