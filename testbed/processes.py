"""Starting processes that die with their starter, and ending whole trees of them."""

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from testbed.errors import TestbedError


class Part:
    """A running part of a testbed: its output is in FOLDER/NAME.log, and it dies with the process that made it."""

    def __init__(self, folder: Path, name: str, *command: str | Path) -> None:
        self.name, self.log = name, folder / f"{name}.log"
        # setpriv asks the kernel for a KILL at the starter's death, and becomes the part.
        mortal = ["setpriv", "--pdeathsig", "KILL", "--", *map(str, command)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(mortal, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def until(self, ready: Callable[[], bool], seconds: float = 120) -> None:
        """Wait until READY says so.

        Raises:
            TestbedError: the part ended first, or SECONDS have passed.
        """
        deadline = time.monotonic() + seconds
        while not ready():
            if self.process.poll() is not None:
                raise TestbedError(f"{self.name} ended at its start. Its last words:\n{self.last_words()}")
            if time.monotonic() > deadline:
                raise TestbedError(
                    f"{self.name} was not ready after {seconds:.0f} s. Its last words:\n{self.last_words()}"
                )
            time.sleep(0.05)

    def last_words(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-10:])


def run(*command: str | Path, text: str | None = None, keep: tuple[int, ...] = (), title: str = "") -> str:
    """The standard output of a command that must succeed.

    TEXT is its standard input, KEEP are descriptors it inherits, TITLE stands for it in an error.

    Raises:
        TestbedError: it did not; the message is what it wrote to standard error.
    """
    words = [str(word) for word in command]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False, pass_fds=keep)
    if done.returncode:
        raise TestbedError(f"`{title or ' '.join(words)}` failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def end_tree(pid: int) -> None:
    """Kill PID and all that descends from it; return when every one of them is gone."""
    watched = [descriptor for member in (pid, *descendants(pid)) if (descriptor := watch(member)) is not None]
    for descriptor in watched:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    for descriptor in watched:
        wait(descriptor)


def watch(pid: int) -> int | None:
    """A descriptor that stands for PID, even when the number goes to another; None when it has ended already."""
    with suppress(ProcessLookupError):
        return os.pidfd_open(pid)
    return None


def wait(descriptor: int) -> None:
    """Return when the watched process has ended."""
    select.select([descriptor], [], [])
    os.close(descriptor)


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in map(int, children.read_text().split()):
                found += [child, *descendants(child)]
    return found
