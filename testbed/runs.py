"""The testbeds of this machine: a folder each, locked for as long as the testbed lives.

The lock tells the living from the dead. The kernel frees it when the last process that holds it has gone, whatever
ended that process, so a crashed testbed is one whose folder is there and whose lock is free.
"""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from testbed import cgroups, folders, locks, network, processes
from testbed.errors import TestbedError

NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True)
class Run:
    name: str

    @property
    def folder(self) -> Path:
        return folders.runs() / self.name

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def pid_file(self) -> Path:
        return self.folder / "pid"

    @property
    def alive(self) -> bool:
        return self.folder.exists() and locks.is_held(self.lock)

    def end(self) -> None:
        """Kill it if it lives, and take away everything it leaves."""
        if self.alive:
            processes.end_tree(self.pid)
        with locks.locked(_register()):
            self.clean()

    def clean(self) -> None:
        """Take away what a dead run left. The caller holds the register's lock."""
        if self.folder.exists():
            with locks.locked(self.lock):
                cgroups.remove(self.name)
                network.disconnect(self.name)
                shutil.rmtree(self.folder)

    @property
    def pid(self) -> int:
        try:
            return int(self.pid_file.read_text())
        except FileNotFoundError:
            raise TestbedError(f"The testbed {self.name!r} is only just starting. Try again in a second.") from None


def known() -> list[Run]:
    return [Run(folder.name) for folder in sorted(folders.runs().iterdir()) if folder.is_dir()]


def create(name: str) -> tuple[Run, int]:
    """A new run and the descriptor that holds its lock; what crashed testbeds left is cleaned away first."""
    if not NAME.fullmatch(name):
        raise TestbedError(f"{name!r} cannot name a testbed: use up to 40 of a-z, 0-9 and '-'.")
    with locks.locked(_register()):
        for crashed in (run for run in known() if not run.alive):
            crashed.clean()
        run = Run(name)
        if run.folder.exists():
            raise TestbedError(
                f"A testbed {name!r} runs already. End it with `python -m testbed down {name}`, or choose another name."
            )
        folders.made(run.folder)
        return run, locks.hold(run.lock)


def _register() -> Path:
    """The lock under which runs are made and taken away, one at a time."""
    return folders.runs() / "lock"
