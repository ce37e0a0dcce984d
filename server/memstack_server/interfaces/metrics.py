"""What the server counts, for Prometheus. Labels are names of tools and kinds of outcome: never a text or a scope."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, generate_latest

from memstack_server.domain.errors import MemoryStackError, Refused

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 30)


class Metrics:
    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._calls = Counter("memstack_tool_calls", "Calls of tools.", ["tool", "outcome"], registry=self._registry)
        self._seconds = Histogram(
            "memstack_tool_seconds", "Duration of tool calls.", ["tool"], buckets=_SECONDS, registry=self._registry
        )
        self._stored = Counter(
            "memstack_memories_stored", "Memories that this server stored anew.", registry=self._registry
        )
        self._refused = Counter(
            "memstack_refused",
            "Texts that were not kept, by what they were taken for.",
            ["kind"],
            registry=self._registry,
        )
        self._jobs = Counter(
            "memstack_jobs",
            "Texts that facts were drawn from, by how that ended.",
            ["outcome"],
            registry=self._registry,
        )

    @contextmanager
    def call(self, tool: str) -> Generator[None]:
        """Counts and times one call; its outcome is ok, or what the error that leaves it calls itself."""
        start = time.perf_counter()
        outcome = "failed"
        try:
            yield
            outcome = "ok"
        except MemoryStackError as error:
            outcome = error.outcome
            if isinstance(error, Refused):
                self.refused(error.kind)
            raise
        finally:
            self._calls.labels(tool, outcome).inc()
            self._seconds.labels(tool).observe(time.perf_counter() - start)

    def memory_stored(self) -> None:
        self._stored.inc()

    def refused(self, kind: str) -> None:
        self._refused.labels(kind).inc()

    def job(self, outcome: str) -> None:
        self._jobs.labels(outcome).inc()

    def render(self) -> bytes:
        return generate_latest(self._registry)
