"""One round for one stack: observe, decide, apply, report.

It is level-triggered: it looks at how things are now and never at what happened, so it may be run at any time, as often
as one likes, and a round on a stack that is as it should be writes nothing.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from memstack_operator import conditions
from memstack_operator.api import KIND, MemoryStack, Status, parse
from memstack_operator.cluster import Cluster, RefusedError
from memstack_operator.conditions import Verdict
from memstack_operator.desired import Drawn, children, desired, metadata, network
from memstack_operator.drift import difference, stamped
from memstack_operator.seen import Child, Manifest, Seen, child_of

# The watches tell of every change at once; these are for what they cannot see: deleted Secrets, foreign objects.
RECHECK_SECONDS, RECHECK_BLOCKED_SECONDS = 60.0, 10.0

logger = logging.getLogger(__name__)


class StackKey(NamedTuple):
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


async def reconcile(cluster: Cluster, key: StackKey, image: str) -> float | None:
    """Bring the stack's children to what its object asks for, and report; `image` is the memory server's.

    Returns:
        Seconds until it should be looked at again, or None if it is gone or going: its children then go by themselves.
    """
    document = await cluster.get(key.namespace, Child(KIND, key.name))
    if document is None or "deletionTimestamp" in document["metadata"]:
        return None
    stack = parse(document)
    seen, blocked = await _converge(cluster, stack, image)
    await report(cluster, stack, status(stack, seen, blocked, datetime.now(UTC).replace(microsecond=0)))
    return RECHECK_BLOCKED_SECONDS if blocked else RECHECK_SECONDS


async def _converge(cluster: Cluster, stack: MemoryStack, image: str) -> tuple[Seen, Verdict | None]:
    """What is there after this round, and what stood in its way, if anything did."""
    seen = await observe(cluster, stack)
    if foreign := foreigners(stack, seen):
        return seen, conditions.conflict(foreign)
    drawn = Drawn(password=secrets.token_urlsafe(32), token=secrets.token_urlsafe(32))
    try:
        return await apply(cluster, desired(stack, seen, drawn, image), seen), None
    except RefusedError as refusal:
        return seen, conditions.refusal(str(refusal))


async def observe(cluster: Cluster, stack: MemoryStack) -> Seen:
    """Everything that exists under the names of the stack's children, whoever made it."""
    names = children(stack)
    found = await asyncio.gather(*(cluster.get(stack.metadata.namespace, child) for child in names))
    return Seen({child: manifest for child, manifest in zip(names, found, strict=True) if manifest is not None})


def foreigners(stack: MemoryStack, seen: Seen) -> list[Child]:
    """Objects that have the name of a child and are not this stack's. They are never taken over."""
    return [child for child, manifest in seen.objects.items() if not _belongs(stack, child, manifest)]


def _belongs(stack: MemoryStack, child: Child, manifest: Manifest) -> bool:
    if child == metadata.store_claim(stack):  # the StatefulSet's, which is checked itself
        return True
    owners = manifest["metadata"].get("ownerReferences", [])
    return any(owner.get("controller") and owner["uid"] == stack.metadata.uid for owner in owners)


async def apply(cluster: Cluster, steps: list[list[Manifest]], seen: Seen) -> Seen:
    """Apply, step by step, what is not as it should be; returns what is there now.

    Raises:
        RefusedError: the API server does not take one of them; the steps after it were not made.
    """
    for step in steps:
        changes = [manifest for manifest in map(stamped, step) if _needs(manifest, seen.get(child_of(manifest)))]
        for manifest in await _together(cluster.apply(change) for change in changes):
            seen = seen.with_object(manifest)
    return seen


async def _together(requests: Iterable[Awaitable[Manifest]]) -> list[Manifest]:
    """All answers, or the first failure; either way no request outlives the call."""
    answers: list[Manifest] = []
    for answer in await asyncio.gather(*requests, return_exceptions=True):
        if isinstance(answer, BaseException):
            raise answer
        answers.append(answer)
    return answers


def _needs(wanted: Manifest, existing: Manifest | None) -> bool:
    # What is made anew is not described: it may be a Secret.
    why = difference(wanted, existing) if existing else "it does not exist"
    if why:
        logger.info("Applying %s in %s: %s", child_of(wanted), wanted["metadata"]["namespace"], why)
    return why is not None


def status(stack: MemoryStack, seen: Seen, blocked: Verdict | None, now: datetime) -> Status:
    """What there is to say about the stack."""
    store_set, deployment = metadata.store_set(stack), metadata.server_deployment(stack)
    store = conditions.store_verdict(stack, store_set, seen.get(store_set))
    server = conditions.server_verdict(stack, deployment, seen.get(deployment))
    ready = blocked or conditions.ready_verdict((store, server))
    verdicts = {conditions.STORE_READY: store, conditions.SERVER_READY: server, conditions.READY: ready}
    return Status(
        phase=conditions.phase(store, ready),
        conditions=tuple(conditions.condition(stack, type_, verdict, now) for type_, verdict in verdicts.items()),
        endpoint=network.endpoint(stack),
        store=network.store_address(stack),
        observed_generation=stack.metadata.generation,
    )


async def report(cluster: Cluster, stack: MemoryStack, status: Status) -> None:
    """Write the status, unless it says so already."""
    if status != stack.status:
        document = status.model_dump(mode="json", by_alias=True)
        await cluster.report(stack.metadata.namespace, stack.metadata.name, document)
