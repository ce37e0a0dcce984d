"""The worker: takes up what waits for the language model, a scope at a time in order, several scopes side by side.

Whether the model is away or fails on one text is told apart by asking it something simple. While it is away everything
waits, and nothing is counted against a text; a text that fails three times on a model that answers is put aside, with
the reason, where it can be looked at and given another chance.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable
from typing import Protocol

from memstack_server.domain.episode import State
from memstack_server.domain.errors import MemoryStackError, StoreUnavailable
from memstack_server.engines.enrichment import Enricher
from memstack_server.stores.falkordb.connection import Overtaken
from memstack_server.stores.falkordb.episodes import set_state
from memstack_server.stores.falkordb.queue import EPISODE, Job, Lease, bury
from memstack_server.stores.falkordb.store import FalkorStore

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
_SCOPES_AT_ONCE = 4
_LOOK_SECONDS = 2.0  # for what other servers left behind; what this one adds wakes it
_RENEW_SECONDS = 3.0  # of a lease that lasts for 10
_AWAY_SECONDS = 5.0  # until a model that was away is asked again


class Alive(Protocol):
    async def alive(self) -> bool:
        """Whether the model answers anything at all."""
        ...


class Ingest:
    """Works until it is cancelled.

    Args:
        model: Asked whether it is there when a text fails.
        counted: Told how each job ended: done, failed, dead.
    """

    def __init__(self, store: FalkorStore, enricher: Enricher, model: Alive, counted: Callable[[str], None]) -> None:
        self._store = store
        self._enricher = enricher
        self._model = model
        self._counted = counted
        self._awake = asyncio.Event()
        self._busy: dict[str, asyncio.Task[None]] = {}

    def wake(self) -> None:
        """Something new waits."""
        self._awake.set()

    async def run(self) -> None:
        try:
            while True:
                self._awake.clear()
                await self._look()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._awake.wait()
        finally:
            for task in self._busy.values():
                task.cancel()

    async def _look(self) -> None:
        try:
            waiting = await self._store.queue.waiting()
        except StoreUnavailable:
            return  # said by whoever asks; the next look comes soon
        for slug in waiting:
            if slug not in self._busy and len(self._busy) < _SCOPES_AT_ONCE:
                task = asyncio.create_task(self._scope(slug))
                self._busy[slug] = task
                task.add_done_callback(lambda _, slug=slug: self._left(slug))

    def _left(self, slug: str) -> None:
        self._busy.pop(slug, None)
        self.wake()

    async def _scope(self, slug: str) -> None:
        try:
            lease = await self._store.queue.take(slug)
            if lease is None:
                # Another worker has it. Look again when its lease may have ended, and not at once.
                await asyncio.sleep(_LOOK_SECONDS)
                return
            async with _kept(self._store, lease):
                await self._jobs(lease)
        except StoreUnavailable:
            await asyncio.sleep(_LOOK_SECONDS)
        except Exception as error:
            log.error("a scope's queue stopped: %s", type(error).__qualname__)  # noqa: TRY400 - a text may hold memories
            await asyncio.sleep(_AWAY_SECONDS)

    async def _jobs(self, lease: Lease) -> None:
        while job := await self._store.queue.head(lease.slug):
            try:
                await self._started(job)
                await self._enricher.work(lease, job)
                self._counted("done")
            except Overtaken:
                if not await self._store.queue.renew(lease):
                    return
            except MemoryStackError as error:
                if isinstance(error, StoreUnavailable):
                    raise
                await self._failed(lease, job, error)

    async def _started(self, job: Job) -> None:
        if job.kind == EPISODE:
            await self._store.episodes.mark(job.slug, job.key, State.RUNNING)

    async def _failed(self, lease: Lease, job: Job, error: MemoryStackError) -> None:
        if not await self._model.alive():
            await self._waits(job, str(error))
            await asyncio.sleep(_AWAY_SECONDS)
            return
        self._counted("failed")
        log.warning("drawing facts failed (attempt %d of %d): %s", job.attempts + 1, MOST_ATTEMPTS, error)
        if job.attempts + 1 < MOST_ATTEMPTS:
            await self._store.queue.failed(job)
            return
        transaction = await self._store.queue.finishing(lease, job)
        bury(transaction, job, str(error))
        if job.kind == EPISODE:
            set_state(transaction, job.slug, job.key, State.FAILED, str(error))
        await transaction.run()
        self._counted("dead")

    async def _waits(self, job: Job, reason: str) -> None:
        if job.kind == EPISODE:
            await self._store.episodes.mark(job.slug, job.key, State.QUEUED, f"waits for the model: {reason}")


@contextlib.asynccontextmanager
async def _kept(store: FalkorStore, lease: Lease) -> AsyncGenerator[None]:
    """Holds a lease as long as the block runs, and gives it back."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            # A lease that could not be renewed is lost, which shows when the job is to be written down.
            with contextlib.suppress(StoreUnavailable):
                await store.queue.renew(lease)

    renewing = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewing.cancel()
        with contextlib.suppress(StoreUnavailable):
            await store.queue.release(lease)
