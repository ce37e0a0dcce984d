"""From what was observed to what is reported: conditions, and the phase in which they are summed up.

Pure: the clock is handed in. A condition's time moves only with its status, so that reporting the same twice writes
nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memstack_operator.api import Condition, MemoryStack
from memstack_operator.seen import Child, Manifest


class Reason(StrEnum):
    """Why a condition is as it is. The troubleshooting page has a paragraph on each."""

    AVAILABLE = "Available"
    """The part runs as it was asked for, and its readiness probe succeeds."""
    STARTING = "Starting"
    """The part was applied, and its pod is not ready yet; the message says how to watch it."""
    PODS_REFUSED = "PodsRefused"
    """The cluster does not let the pod be made: a quota, a policy. The message is the cluster's own."""
    CONFLICT = "Conflict"
    """An object that is not this stack's has the name of one of its children; nothing was changed."""
    REFUSED = "Refused"
    """The API server does not take a child as it was asked for. The message is its own."""


class Phase(StrEnum):
    READY = "Memory is ready"
    STORE_STARTING = "Store is starting"
    SERVER_STARTING = "Server is starting"
    BLOCKED = "Needs attention"


STORE_READY, SERVER_READY, READY = "StoreReady", "ServerReady", "Ready"


@dataclass(frozen=True)
class Verdict:
    """One answer about one part: whether it is ready, why, and where to look."""

    ready: bool
    reason: Reason
    message: str


def store_verdict(stack: MemoryStack, child: Child, stateful_set: Manifest | None) -> Verdict:
    """Whether the store's one pod is ready in the version that was asked for."""
    status = _status(stateful_set)
    if _is_current(stateful_set) and status.get("updatedReplicas", 0) >= 1 and status.get("readyReplicas", 0) >= 1:
        return Verdict(True, Reason.AVAILABLE, f"{child} is ready")
    return Verdict(False, Reason.STARTING, _starting(stack, child, f"describe pod {child.name}-0"))


def server_verdict(stack: MemoryStack, child: Child, deployment: Manifest | None) -> Verdict:
    """Whether the server's pod is available in the version that was asked for, and no older one is left."""
    status = _status(deployment)
    for condition in status.get("conditions", []):
        if condition["type"] == "ReplicaFailure" and condition["status"] == "True":
            return Verdict(False, Reason.PODS_REFUSED, condition["message"])
    updated = status.get("updatedReplicas", 0)
    if _is_current(deployment) and updated >= 1 and updated == status.get("availableReplicas") == status["replicas"]:
        return Verdict(True, Reason.AVAILABLE, f"{child} is ready")
    return Verdict(False, Reason.STARTING, _starting(stack, child, f"logs deployment/{child.name}"))


def conflict(foreign: Iterable[Child]) -> Verdict:
    names = ", ".join(map(str, foreign))
    message = f"{names} exists and is not this stack's. Delete it, or give the stack another name"
    return Verdict(False, Reason.CONFLICT, message)


def refusal(message: str) -> Verdict:
    return Verdict(False, Reason.REFUSED, message)


def ready_verdict(parts: Iterable[Verdict]) -> Verdict:
    """Ready when every part is; else what the first part that is not has to say."""
    for part in parts:
        if not part.ready:
            return part
    return Verdict(True, Reason.AVAILABLE, "Agents can store and search memories")


def phase(store: Verdict, ready: Verdict) -> Phase:
    if ready.ready:
        return Phase.READY
    if ready.reason is not Reason.STARTING:
        return Phase.BLOCKED
    return Phase.SERVER_STARTING if store.ready else Phase.STORE_STARTING


def condition(stack: MemoryStack, type_: str, verdict: Verdict, now: datetime) -> Condition:
    """The condition that says this; its time is the former one's, unless the status is another."""
    status = "True" if verdict.ready else "False"
    former = next((former for former in stack.status.conditions if former.type == type_), None)
    return Condition(
        type=type_,
        status=status,
        reason=verdict.reason,
        message=verdict.message,
        last_transition_time=former.last_transition_time if former and former.status == status else now,
        observed_generation=stack.metadata.generation,
    )


def _starting(stack: MemoryStack, child: Child, look: str) -> str:
    return f"{child} has no ready pod yet. To see why: kubectl -n {stack.metadata.namespace} {look}"


def _status(manifest: Manifest | None) -> Manifest:
    return (manifest or {}).get("status", {})


def _is_current(manifest: Manifest | None) -> bool:
    """Whether the status is about the present specification, not about the one before."""
    return manifest is not None and _status(manifest).get("observedGeneration", 0) >= manifest["metadata"]["generation"]
