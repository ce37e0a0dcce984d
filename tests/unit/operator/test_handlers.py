import asyncio

import kopf
import pytest

from memstack_operator import handlers
from memstack_operator.reconcile import StackKey
from memstack_operator.workqueue import WorkQueue

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_the_liveness_probe_fails_when_a_round_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def hang(_: StackKey) -> None:
        begun.set()
        await asyncio.Event().wait()

    queue = WorkQueue(hang)
    assert handlers.heartbeat(queue) == 0
    queue.wake(StackKey("mem-eval", "mem-b"))
    await begun.wait()
    monkeypatch.setattr(handlers, "STUCK_SECONDS", 0.0)
    with pytest.raises(kopf.PermanentError, match="under way"):
        handlers.heartbeat(queue)
    await queue.close()
