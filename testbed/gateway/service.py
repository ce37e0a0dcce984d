"""A part of the gateway that can be stopped and started again on its own: tests play outages with it."""

from abc import ABC, abstractmethod
from pathlib import Path

from testbed import processes
from testbed.gateway.ports import free_port
from testbed.processes import Part


class Service(ABC):
    """A server whose port stays its own, whether it runs or not.

    Args:
        folder: Where its log is kept.
        name: Names it in errors, and its log.
        host: The address it listens on.
    """

    def __init__(self, folder: Path, name: str, host: str = "127.0.0.1") -> None:
        self.folder, self.name, self.host = folder, name, host
        self.port = free_port(host)
        self._part: Part | None = None

    @abstractmethod
    def command(self) -> tuple[str | Path, ...]:
        """What runs it in the foreground."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers."""

    def start(self) -> None:
        """Return once it answers.

        Raises:
            TestbedError: it ended at its start, or was never ready; the message holds its last words.
        """
        self._part = Part(self.folder, self.name, *self.command())
        self._part.until(self.is_ready)

    def stop(self) -> None:
        """Kill it and all that it started, at once, as a crash would."""
        if self._part:
            processes.end_tree(self._part.process.pid)
            self._part.process.wait()
            self._part = None

    def wait(self) -> None:
        """Return when it has ended of itself."""
        if self._part:
            self._part.process.wait()
