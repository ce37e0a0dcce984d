"""etcd, the API server, the controllers and the scheduler: a whole Kubernetes but for its nodes."""

import base64
import json
import secrets
import socket
import ssl
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from testbed import folders, processes
from testbed.processes import Part

SERVICE_CIDR = "10.88.128.0/20"
ADMIN = "admin"
# name: user, uid, groups: the format of the API server's token file
IDENTITIES = {
    ADMIN: "admin,admin,system:masters",
    "controllers": "system:kube-controller-manager,controllers,",
    "scheduler": "system:kube-scheduler,scheduler,",
    "kubelet": "system:node:node,node,system:nodes",
    "proxy": "system:kube-proxy,proxy,",
}


@dataclass(frozen=True)
class Site:
    """Where a control plane lives: its folder, its program, and the address its API server answers at."""

    folder: Path
    kube: Path
    address: str
    api_port: int
    etcd_port: int
    has_node: bool

    @property
    def server(self) -> str:
        return f"https://{self.address}:{self.api_port}"

    @property
    def authority(self) -> Path:
        return self.folder / "pki" / "apiserver.crt"

    @property
    def key(self) -> Path:
        return self.folder / "service-accounts.key"

    @property
    def tokens(self) -> Path:
        return self.folder / "tokens.csv"

    def kubeconfig(self, identity: str) -> Path:
        return self.folder / ("kubeconfig" if identity == ADMIN else f"{identity}.kubeconfig")

    def kubectl(self, *words: str, text: str | None = None) -> str:
        config = f"--kubeconfig={self.kubeconfig(ADMIN)}"
        return processes.run(self.kube, "kubectl", config, *words, text=text)

    def component(self, name: str, *flags: str) -> Part:
        return Part(self.folder, name, self.kube, name, *flags)


def reserve_port(address: str) -> socket.socket:
    """A socket that keeps a free port: only who shares it knowingly (SO_REUSEPORT), as this user, can listen there."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    keeper.bind((address, 0))
    return keeper


def start(site: Site) -> list[Part]:
    """Start everything; return when the API server is ready and the others run."""
    tokens = _write_identities(site)
    etcd = site.component("etcd", *etcd_flags(site))
    api = site.component("kube-apiserver", *api_server_flags(site))
    api.until(lambda: _answers(site, tokens[ADMIN]))
    for identity, token in tokens.items():
        write_kubeconfig(site.kubeconfig(identity), site.server, site.authority.read_text(), token)
    controllers = site.component("kube-controller-manager", *controller_flags(site))
    scheduler = site.component("kube-scheduler", *scheduler_flags(site))
    return [etcd, api, controllers, scheduler]


def etcd_flags(site: Site) -> list[str]:
    client = f"http://127.0.0.1:{site.etcd_port}"
    return [
        f"--data-dir={site.folder}/etcd",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        "--listen-peer-urls=http://127.0.0.1:0",
        "--socket-reuse-port",
        "--unsafe-no-fsync",  # a testbed's data need not survive the machine
        "--log-level=error",
    ]


def api_server_flags(site: Site) -> list[str]:
    return [
        f"--etcd-servers=http://127.0.0.1:{site.etcd_port}",
        f"--bind-address={site.address}",
        f"--advertise-address={site.address}",
        f"--secure-port={site.api_port}",
        "--permit-port-sharing",
        f"--cert-dir={site.folder}/pki",
        f"--token-auth-file={site.tokens}",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged",
        f"--service-cluster-ip-range={SERVICE_CIDR}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={site.key}",
        f"--service-account-signing-key-file={site.key}",
        "--kubelet-preferred-address-types=InternalIP",
        # Without a node nothing can reach the service `kubernetes`, and 127.0.0.1 is no valid endpoint.
        "--endpoint-reconciler-type=" + ("lease" if site.has_node else "none"),
    ]


def controller_flags(site: Site) -> list[str]:
    return [
        f"--kubeconfig={site.kubeconfig('controllers')}",
        f"--root-ca-file={site.authority}",
        f"--service-account-private-key-file={site.key}",
        "--use-service-account-credentials",
        f"--flex-volume-plugin-dir={site.folder}/volume-plugins",  # it makes this folder, by default in /usr
        "--leader-elect=false",
        "--secure-port=0",
    ]


def scheduler_flags(site: Site) -> list[str]:
    return [f"--kubeconfig={site.kubeconfig('scheduler')}", "--leader-elect=false", "--secure-port=0"]


def write_kubeconfig(path: Path, server: str, authority: str, token: str) -> Path:
    """A kubeconfig that carries all it needs, readable by its owner alone. AUTHORITY is PEM text."""
    encoded = base64.b64encode(authority.encode()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "testbed",
        "contexts": [{"name": "testbed", "context": {"cluster": "testbed", "user": "testbed"}}],
        "clusters": [{"name": "testbed", "cluster": {"server": server, "certificate-authority-data": encoded}}],
        "users": [{"name": "testbed", "user": {"token": token}}],
    }
    return folders.write_secret(path, json.dumps(config, indent=2))


def _write_identities(site: Site) -> dict[str, str]:
    tokens = {name: secrets.token_hex(16) for name in IDENTITIES}
    lines = [f"{tokens[name]},{rest}\n" for name, rest in IDENTITIES.items()]
    folders.write_secret(site.tokens, "".join(lines))
    processes.run("openssl", "genrsa", "-out", site.key, "2048")
    return tokens


def _answers(site: Site, token: str) -> bool:
    if not site.authority.exists():
        return False
    request = urllib.request.Request(f"{site.server}/readyz", headers={"Authorization": f"Bearer {token}"})
    trust = ssl.create_default_context(cafile=site.authority)
    try:
        with urllib.request.urlopen(request, context=trust, timeout=5):
            return True
    except OSError:  # not listening yet, or 500 while its parts start
        return False
