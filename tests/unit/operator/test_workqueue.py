import asyncio

import pytest

from memstack_operator import workqueue
from memstack_operator.workqueue import WorkQueue

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Work:
    """Work whose rounds the test lets through one by one."""

    def __init__(self, *outcomes: float | Exception | None) -> None:
        self._outcomes = list(outcomes)
        self.begun: asyncio.Queue[str] = asyncio.Queue()
        self.go_on = asyncio.Semaphore(0)
        self.at_work = self.most_at_work = 0

    async def __call__(self, key: str) -> float | None:
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        self.begun.put_nowait(key)
        await self.go_on.acquire()
        self.at_work -= 1
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def settled() -> None:
    """Let every task run until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_many_wakes_during_a_round_are_one_more_round() -> None:
    work = Work(60.0, 60.0)
    queue = WorkQueue(work)
    queue.wake("a")
    await work.begun.get()
    for _ in range(5):
        queue.wake("a")
    assert work.begun.empty()
    work.go_on.release()
    await work.begun.get()
    work.go_on.release()
    await settled()
    assert work.begun.empty()
    assert work.most_at_work == 1
    await queue.close()


async def test_keys_do_not_wait_for_each_other() -> None:
    work = Work(60.0, 60.0)
    queue = WorkQueue(work)
    queue.wake("a")
    queue.wake("b")
    assert {await work.begun.get(), await work.begun.get()} == {"a", "b"}
    assert work.most_at_work == 2
    await queue.close()


async def test_a_round_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workqueue, "FIRST_RETRY_SECONDS", 0.001)
    work = Work(OSError("no network"), OSError("no network"), 60.0)
    queue = WorkQueue(work)
    queue.wake("a")
    for _ in range(3):
        await work.begun.get()
        work.go_on.release()
    await settled()
    assert work.begun.empty()
    await queue.close()


async def test_a_look_that_was_asked_for_comes_unasked() -> None:
    work = Work(0.001, 60.0)
    queue = WorkQueue(work)
    queue.wake("a")
    await work.begun.get()
    work.go_on.release()
    await work.begun.get()
    await queue.close()


async def test_a_key_that_is_done_is_forgotten_and_may_come_back() -> None:
    work = Work(None, None)
    queue = WorkQueue(work)
    for _ in range(2):
        queue.wake("a")
        await work.begun.get()
        work.go_on.release()
        await settled()
    assert work.begun.empty()
    await queue.close()


async def test_a_wake_that_comes_as_the_last_round_ends_is_not_lost() -> None:
    work = Work(None, None)
    queue = WorkQueue(work)
    queue.wake("a")
    await work.begun.get()
    queue.wake("a")
    work.go_on.release()
    assert await work.begun.get() == "a"
    await queue.close()


async def test_a_round_that_hangs_shows() -> None:
    work = Work(60.0)
    queue = WorkQueue(work)
    assert queue.longest_round_seconds() == 0
    queue.wake("a")
    await work.begun.get()
    assert queue.longest_round_seconds() > 0
    work.go_on.release()
    await settled()
    assert queue.longest_round_seconds() == 0
    await queue.close()
