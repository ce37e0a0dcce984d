"""The process that a testbed lives in: python -m testbed.holder FOLDER.

It starts the parts and holds them: they die with it, and it dies when one of them does, for half a cluster makes
riddles of tests. With a node it is process 1 of its own process, mount and network namespaces, so that everything
a node does to a machine (mounts, bridges, firewall rules, fixed ports) is undone by the kernel when it ends.

Standard output tells how far it is, a line at a time, with `READY` as the last; standard error tells why it ended.
Standard input is its owner's hand: where there is an owner, the testbed ends when that hand lets go.
"""

import os
import sys
import threading
from pathlib import Path

from testbed import cgroups, control_plane, network, node, tools
from testbed.control_plane import Site
from testbed.errors import TestbedError
from testbed.plan import READY, Plan
from testbed.processes import Part

NAMESPACES = ("--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc")


def main(folder: Path, host: int | None) -> None:
    """Hold the testbed of FOLDER. HOST is a descriptor of the host's network, once inside the namespaces."""
    os.environ["PATH"] = tools.search_path()
    plan = Plan.read(folder)
    if host is None:
        (folder / "pid").write_text(str(os.getpid()))
        if plan.node:
            _enter_namespaces(folder)
    if plan.owned:
        threading.Thread(target=_end_with_owner, daemon=True).start()
    try:
        parts = _bring_up_control_plane(folder, plan) if host is None else _bring_up_node(folder, plan, host)
    except TestbedError as error:
        sys.exit(str(error))
    print(READY, flush=True)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whoever listened may go now
    _hold(parts)


def _enter_namespaces(folder: Path) -> None:
    """Become `unshare`, whose only child is this program again. The process id stays: ending it ends the testbed."""
    host = os.open("/proc/self/ns/net", os.O_RDONLY)
    os.set_inheritable(host, True)
    again = [sys.executable, "-m", "testbed.holder", str(folder), str(host)]
    os.execvp("unshare", ["unshare", *NAMESPACES, "--", *again])


def _end_with_owner() -> None:
    os.read(sys.stdin.fileno(), 1)  # nothing is ever written: it returns when the other end has closed
    os._exit(0)  # no farewell: the kernel takes the parts and the namespaces


def _bring_up_control_plane(folder: Path, plan: Plan) -> list[Part]:
    local = "127.0.0.1"
    with control_plane.reserve_port(local) as api, control_plane.reserve_port(local) as etcd:
        ports = (keeper.getsockname()[1] for keeper in (api, etcd))
        return control_plane.start(Site(folder, Path(plan.programs["kube"]), local, *ports, has_node=False))


def _bring_up_node(folder: Path, plan: Plan, host: int) -> list[Part]:
    cgroups.make(folder.name)
    link = network.connect(folder.name, host)
    (folder / "host-address").write_text(link.outside)
    site = Site(folder, Path(plan.programs["kube"]), link.inside, 6443, 2379, has_node=True)
    parts = control_plane.start(site)
    print("the control plane runs", flush=True)
    return parts + node.start(site, plan.programs)


def _hold(parts: list[Part]) -> None:
    """Wait until a part ends, burying whatever else dies: process 1 inherits every orphan."""
    names = {part.process.pid: part for part in parts}
    while (pid := os.wait()[0]) not in names:
        pass
    sys.exit(f"{names[pid].name} ended, and the testbed with it. Its last words:\n{names[pid].last_words()}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
