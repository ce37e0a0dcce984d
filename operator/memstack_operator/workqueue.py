"""Work by key, level-triggered: whoever learns of a change wakes the key, and the work looks at how things are now.

A key is worked on by one task at a time. Wakes that come in while it is at work are one more round, however many they
are. A round that fails is tried again, later each time; one that succeeds says when to look again unasked.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)

FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS = 1.0, 60.0

logger = logging.getLogger(__name__)


@dataclass
class _Entry:
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    round_began: float | None = None


class WorkQueue(Generic[Key]):
    """`work(key)` returns the seconds until the next look, or None when the key has nothing left to be done."""

    def __init__(self, work: Callable[[Key], Awaitable[float | None]]) -> None:
        self._work = work
        self._entries: dict[Key, _Entry] = {}

    def wake(self, key: Key) -> None:
        """Ask for a round of work, soon."""
        entry = self._entries.setdefault(key, _Entry())
        entry.changed.set()
        if entry.task is None:
            entry.task = asyncio.create_task(self._serve(key, entry), name=f"work on {key}")

    def longest_round_seconds(self) -> float:
        """How long the longest round that is under way has been; 0 when nothing is."""
        began = [entry.round_began for entry in self._entries.values() if entry.round_began is not None]
        return time.monotonic() - min(began) if began else 0.0

    async def close(self) -> None:
        """Stop everything that is under way."""
        tasks = [entry.task for entry in self._entries.values() if entry.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, key: Key, entry: _Entry) -> None:
        failures = 0
        while True:
            entry.changed.clear()
            try:
                delay = await self._round(key, entry)
                failures = 0
            except Exception:
                logger.exception("Work on %s failed; it is tried again", key)
                delay = min(FIRST_RETRY_SECONDS * 2**failures, LONGEST_RETRY_SECONDS)
                failures += 1
            if delay is None and not entry.changed.is_set():
                del self._entries[key]
                return
            await _wait(entry.changed, delay)

    async def _round(self, key: Key, entry: _Entry) -> float | None:
        entry.round_began = time.monotonic()
        try:
            return await self._work(key)
        finally:
            entry.round_began = None


async def _wait(event: asyncio.Event, seconds: float | None) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
