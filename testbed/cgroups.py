"""The control groups of a testbed's pods: one root a testbed, in every hierarchy that the machine has."""

import os
import time
from contextlib import suppress
from pathlib import Path

REMOVAL_SECONDS = 30


def root(name: str) -> str:
    return f"/memory-stack-{name}"


def make(name: str) -> None:
    for hierarchy, version in _hierarchies():
        if version == "cgroup2":
            # A child has only the controllers that its parent hands down.
            for controller in (hierarchy / "cgroup.controllers").read_text().split():
                with suppress(OSError):
                    (hierarchy / "cgroup.subtree_control").write_text(f"+{controller}")
        (hierarchy / root(name)[1:]).mkdir(exist_ok=True)


def remove(name: str) -> None:
    """Remove the testbed's groups. Its processes must have been killed; the last of them may still be on their way."""
    for hierarchy, _ in _hierarchies():
        top = hierarchy / root(name)[1:]
        if top.exists():
            _remove(top)


def _remove(top: Path) -> None:
    deadline = time.monotonic() + REMOVAL_SECONDS
    for folder, _, _ in os.walk(top, topdown=False):
        while True:
            try:
                Path(folder).rmdir()
                break
            except OSError:  # busy until the kernel has buried the group's last process
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


def _hierarchies() -> list[tuple[Path, str]]:
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    return [(Path(where), kind) for where, kind in mounts if kind in {"cgroup", "cgroup2"}]
