"""The worker dies after any of its steps: nothing is lost, and nothing is doubled."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any, Self

import pytest
from redis.asyncio.connection import AbstractConnection

from memstack_server.domain.draft import Draft
from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.entity import EntityType, Mention
from memstack_server.domain.episode import State
from memstack_server.domain.memory import Provenance
from memstack_server.domain.scoring import Weights
from memstack_server.domain.supersession import Verdict
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.enrichment import Enricher, Pair
from memstack_server.engines.graph import GraphEngine
from memstack_server.engines.ingest import Ingest
from memstack_server.stores.falkordb.connection import Overtaken
from memstack_server.stores.falkordb.store import FalkorStore
from tests.integration.parts import Store, until

TEXTS = ("Peter works at Acorn.", "Peter works at Birch.", "Peter works at Acorn again.")


class Died(BaseException):
    """The process is no more: nothing that it would have done happens."""


class Letters:
    """An embedder that needs no model: how often each letter occurs."""

    id = EmbedderId("letters", 26)

    async def embed(self, text: str) -> Vector:
        counts = [text.lower().count(letter) + 0.01 for letter in "abcdefghijklmnopqrstuvwxyz"]
        length = sum(number * number for number in counts) ** 0.5
        return [number / length for number in counts]


@dataclass
class Scripted:
    """A language model that states each text's one fact, and counts how often it is asked."""

    asked: int = 0
    order: list[str] = field(default_factory=list[str])

    async def alive(self) -> bool:
        return True

    async def extract(self, passages: Sequence[str], *_: object) -> Sequence[Draft]:
        self.asked += 1
        self.order.append(passages[0])
        company = passages[0].split()[3].rstrip(".")
        mentions = (Mention("Peter", EntityType.PERSON), Mention(company, EntityType.ORGANISATION))
        said = {"subject": "Peter", "attribute": "employer", "value": company, "single": True}
        return [Draft(f"Peter works at {company}.", mentions, importance=4, passages=(0,), **said)]  # pyright: ignore[reportArgumentType]

    async def judge(self, pairs: Sequence[Pair], *_: object) -> Sequence[Verdict]:
        return [Verdict.UNRELATED] * len(pairs)


class Life:
    """One process: an engine and a worker on connections of their own, which may be cut off after so many commands."""

    def __init__(self, store: Store, model: Scripted) -> None:
        self.store = FalkorStore(store.url, None)
        embedders = Embedders(self.store.schema, Letters.id, Letters())
        self.enricher = Enricher(self.store, embedders, model, lambda _: None)
        self.engine = GraphEngine(self.store, embedders, Weights(), "scripted")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.store.connection.redis.connection_pool.disconnect(inuse_connections=True)
        await self.store.connection.aclose()

    async def tell(self, scope: str) -> None:
        for number, text in enumerate(TEXTS):
            said_at = datetime(2026, 1, 1 + number, tzinfo=UTC)
            await self.engine.add_episode(text, scope, said_at=said_at, provenance=Provenance())

    async def work(self) -> None:
        """Does all that waits."""
        for slug in await self.store.queue.waiting():
            if lease := await self.store.queue.take(slug):
                while job := await self.store.queue.head(slug):
                    await self.store.episodes.mark(slug, job.key, State.RUNNING)
                    await self.enricher.work(lease, job)
                await self.store.queue.release(lease)


@contextmanager
def dying_after(commands: int) -> Generator[None]:
    """The process dies when its n-th command is on its way: the store does it, and nobody reads the answer."""
    sent, numbers = AbstractConnection.send_packed_command, count(1)

    async def send(connection: AbstractConnection, *arguments: Any, **more: Any) -> None:  # noqa: ANN401
        await sent(connection, *arguments, **more)
        if next(numbers) == commands:
            raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AbstractConnection, "send_packed_command", send)
        yield


async def survives(store: Store, model: Scripted, commands: int) -> bool:
    """Whether all is done before a process dies that may send so many commands."""
    async with Life(store, model) as life:
        with dying_after(commands):
            try:
                await life.work()
            except Died:
                return False
    return True


# What a dead process held open is closed by nobody.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_worker_that_dies_after_any_command_loses_and_doubles_nothing(own_store: Store, scope: str):
    for commands in count(1):
        model, here = Scripted(), f"{scope}/{commands}"
        async with Life(own_store, model) as life:
            await life.tell(here)
            survived = await survives(own_store, model, commands)
            # What a dead worker held comes free by itself after a while.
            for lease in own_store.redis.scan_iter("mem:lease:*"):
                own_store.redis.delete(lease)
            await life.work()
            await check(life.engine, here)
        assert model.asked <= len(TEXTS) + 1
        assert list(dict.fromkeys(model.order)) == list(TEXTS)
        if survived:
            assert commands > 30
            return


async def check(engine: GraphEngine, scope: str) -> None:
    episodes, _ = await engine.episodes(scope, 10, None)
    assert [(episode.state, episode.facts) for episode in episodes] == [(State.DONE, 1)] * 3
    page = await engine.page(scope, 10, None, ended=True)
    facts = sorted(page.memories, key=lambda memory: memory.lifetime.valid_at)
    assert [memory.content for memory in facts] == [f"Peter works at {name}." for name in ("Acorn", "Birch", "Acorn")]
    begins = [memory.lifetime.valid_at for memory in facts]
    assert [memory.lifetime.invalid_at for memory in facts] == [*begins[1:], None]
    entities = await engine.entities("Peter Acorn Birch", scope, 10)
    assert sorted(entity.name for _, entity, _ in entities) == ["Acorn", "Birch", "Peter"]
    status = await engine.status()
    assert (status.waiting.get(scope), status.dead) == (None, 0)


async def test_a_worker_that_was_overtaken_changes_nothing(own_store: Store, scope: str):
    model = Scripted()
    async with Life(own_store, model) as slow, Life(own_store, model) as quick:
        await slow.tell(scope)
        (slug,) = await slow.store.queue.waiting()
        lease = await slow.store.queue.take(slug)
        job = await slow.store.queue.head(slug)
        assert lease
        assert job
        own_store.redis.delete(f"mem:lease:{slug}")
        await quick.work()
        with pytest.raises(Overtaken):
            await slow.store.queue.finishing(lease, job)
        await check(quick.engine, scope)


async def test_two_workers_at_once_do_each_text_once_and_in_order(own_store: Store, scope: str):
    model = Scripted()
    scopes = [f"{scope}/{number}" for number in range(4)]
    async with Life(own_store, model) as one, Life(own_store, model) as other:
        for each in scopes:
            await one.tell(each)
        workers = [Ingest(life.store, life.enricher, model, lambda _: None) for life in (one, other)]
        running = [asyncio.create_task(worker.run()) for worker in workers]

        async def done() -> bool:
            return not (await one.engine.status()).waiting

        await until(done, "all is done")
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for each in scopes:
            await check(one.engine, each)
    assert model.asked == len(TEXTS) * len(scopes)
