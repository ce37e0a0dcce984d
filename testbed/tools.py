"""The programs a testbed expects of the machine, and how to bring those it lacks."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from testbed.errors import TestbedError

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"  # a plain user's PATH often lacks them
CNI_FOLDERS = (Path("/usr/lib/cni"), Path("/opt/cni/bin"))


@dataclass(frozen=True)
class Tool:
    command: str
    package: str  # Debian's

    @property
    def present(self) -> bool:
        return bool(shutil.which(self.command, path=search_path()))


@dataclass(frozen=True)
class Plugin(Tool):
    @property
    def present(self) -> bool:
        return any((folder / self.command).exists() for folder in CNI_FOLDERS)


@dataclass(frozen=True)
class Postgres(Tool):
    @property
    def present(self) -> bool:
        return any((folder / self.command).exists() for folder in _postgres_folders())


GO = (Tool("go", "golang-go"),)
CONTROL_PLANE = (Tool("setpriv", "util-linux"), Tool("openssl", "openssl"))
NODE = (
    *CONTROL_PLANE,
    Tool("unshare", "util-linux"),
    Tool("containerd", "containerd"),
    Tool("runc", "runc"),
    Tool("ip", "iproute2"),
    Tool("iptables", "iptables"),
    Tool("ipset", "ipset"),
    Tool("conntrack", "conntrack"),
    Plugin("bridge", "containernetworking-plugins"),
)
KUBECTL = Tool("kubectl", "kubernetes-client")
IMAGES = (Tool("buildah", "buildah"), Tool("mmdebstrap", "mmdebstrap"))
GATEWAY = (Postgres("initdb", "postgresql"), Tool("setpriv", "util-linux"), Tool("node", "nodejs"), Tool("npm", "npm"))
EVERYTHING = (*GO, *NODE, *IMAGES, *GATEWAY)


def search_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}:{SYSTEM_FOLDERS}"


def cni_folder() -> Path:
    return next(folder for folder in CNI_FOLDERS if (folder / "bridge").exists())


def postgres_folder() -> Path:
    """The newest PostgreSQL's server programs, which Debian keeps off the PATH."""
    return next(folder for folder in _postgres_folders() if (folder / "initdb").exists())


def _postgres_folders() -> list[Path]:
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    return [*reversed(debian), *map(Path, search_path().split(os.pathsep))]


def require(tools: Iterable[Tool]) -> None:
    """Raise TestbedError, in one line with the command that helps, unless this machine has all of TOOLS."""
    if sys.platform != "linux":
        raise TestbedError(
            "The testbed runs on Linux only. Elsewhere, name a cluster of your own in MEMSTACK_TEST_KUBECONFIG."
        )
    if missing := [tool for tool in tools if not tool.present]:
        names = ", ".join(tool.command for tool in missing)
        raise TestbedError(f"Missing on this machine: {names}. Bring it with: {apt(missing)}")


def require_rights(*, node: bool) -> None:
    if node and os.geteuid():
        raise TestbedError("A node needs root: run this with sudo, or start a control plane alone.")


def apt(tools: Iterable[Tool]) -> str:
    return "apt-get install " + " ".join(sorted({tool.package for tool in tools}))


def install(tools: Iterable[Tool]) -> None:
    """Bring what is missing from Debian's packages, as root on Debian or a child of it."""
    missing = [tool for tool in tools if not tool.present]
    if missing and (os.geteuid() or not shutil.which("apt-get")):
        require(missing)
    if missing:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-q"], env=quiet, check=True, stdout=sys.stderr)
        command = [*apt(missing).split(), "--yes", "--no-install-recommends", "-q"]
        subprocess.run(command, env=quiet, check=True, stdout=sys.stderr)
    require(tools)
