"""The kopf layer: it watches, and wakes the work queue. What is to be done is decided elsewhere.

Only low-level event handlers are used. Unlike kopf's change handlers they write nothing, neither annotations nor
finalizers, to the objects that they watch, and they need no memory of what has been seen before.
"""

import functools
from contextlib import AsyncExitStack

import kopf

from memstack_operator.api import GROUP, PLURAL
from memstack_operator.cluster import connected
from memstack_operator.desired.metadata import INSTANCE, MANAGED_BY, MANAGER
from memstack_operator.reconcile import StackKey, reconcile
from memstack_operator.workqueue import WorkQueue

# Not Secrets: to watch them, the operator would have to be allowed to list every Secret of the cluster.
WATCHED_CHILDREN = ("configmaps", "services", "statefulsets", "deployments")
# Every request to the API server ends within 15 seconds, and a round makes about twenty.
STUCK_SECONDS = 300.0
RETRY_SECONDS = 2.0


registry = kopf.get_default_registry()  # filled by the decorators below


@kopf.on.login()
async def login(settings: kopf.OperatorSettings, **_: object) -> kopf.ConnectionInfo | None:
    """Without a client library: those that kopf would load are many megabytes for the same few lines."""
    return kopf.login_with_service_account(settings=settings) or kopf.login_with_kubeconfig(settings=settings)


@kopf.on.startup(backoff=RETRY_SECONDS)
async def connect(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: object) -> None:
    settings.posting.enabled = False  # conditions say it, and stay
    settings.scanning.disabled = True  # of the cluster's kinds, only those below matter, and they do not change
    for resource in WATCHED_CHILDREN:
        settings.watching.label_selectors[resource] = f"{MANAGED_BY}={MANAGER}"
    memo.resources = AsyncExitStack()
    memo.cluster = await memo.resources.enter_async_context(connected())
    memo.queue = WorkQueue(functools.partial(reconcile, memo.cluster, image=memo.image))
    memo.resources.push_async_callback(memo.queue.close)


@kopf.on.startup(backoff=RETRY_SECONDS)
async def find_stacks(memo: kopf.Memo, **_: object) -> None:
    """Wait until MemoryStacks can be watched: kopf looks for its kinds once, right after this."""
    if "cluster" not in memo:  # kopf calls this one even while the one above still fails
        raise kopf.TemporaryError("no connection to a cluster yet", delay=RETRY_SECONDS)
    if not await memo.cluster.serves_stacks():
        raise kopf.TemporaryError("no CustomResourceDefinition yet: kubectl apply -k manifests/", delay=RETRY_SECONDS)


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: object) -> None:
    await memo.resources.aclose()


@kopf.on.probe(id="longest_round_seconds")
async def alive(memo: kopf.Memo, **_: object) -> float:
    return heartbeat(memo.queue)


def heartbeat(queue: WorkQueue[StackKey]) -> float:
    """Seconds that the longest round of work has been under way.

    Raises:
        kopf.PermanentError: it hangs; the liveness probe fails. (Any other error kopf would try again, and not answer.)
    """
    seconds = queue.longest_round_seconds()
    if seconds > STUCK_SECONDS:
        raise kopf.PermanentError(f"a round of work has been under way for {seconds:.0f} s")
    return seconds


@kopf.on.event(GROUP, PLURAL)
async def stack_changed(body: kopf.Body, memo: kopf.Memo, **_: object) -> None:
    memo.queue.wake(StackKey(body["metadata"]["namespace"], body["metadata"]["name"]))


async def child_changed(body: kopf.Body, labels: kopf.Labels, memo: kopf.Memo, **_: object) -> None:
    """A child that was changed or deleted: its stack looks after it."""
    if instance := labels.get(INSTANCE):
        memo.queue.wake(StackKey(body["metadata"]["namespace"], instance))


for plural in WATCHED_CHILDREN:
    kopf.on.event(plural)(child_changed)
