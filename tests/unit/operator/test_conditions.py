from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memstack_operator import conditions
from memstack_operator.api import Status
from memstack_operator.conditions import Phase, Reason, Verdict
from memstack_operator.desired import metadata
from memstack_operator.reconcile import foreigners, status
from memstack_operator.seen import Seen
from tests.unit.operator.examples import UID, stack

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
STARTING = Verdict(False, Reason.STARTING, "it starts")
AVAILABLE = Verdict(True, Reason.AVAILABLE, "it is there")


def store(**status: object) -> dict[str, Any]:
    child = metadata.store_set(stack())
    owner = {"controller": True, "uid": UID}
    found = {"observedGeneration": 2, "replicas": 1, "readyReplicas": 1, "updatedReplicas": 1} | status
    return {
        "kind": child.kind,
        "metadata": {"name": child.name, "generation": 2, "ownerReferences": [owner]},
        "status": found,
    }


def server(**status: object) -> dict[str, Any]:
    child = metadata.server_deployment(stack())
    owner = {"controller": True, "uid": UID}
    found = {"observedGeneration": 5, "replicas": 1, "availableReplicas": 1, "updatedReplicas": 1} | status
    return {
        "kind": child.kind,
        "metadata": {"name": child.name, "generation": 5, "ownerReferences": [owner]},
        "status": found,
    }


def seen(*manifests: dict[str, Any]) -> Seen:
    result = Seen()
    for manifest in manifests:
        result = result.with_object(manifest)
    return result


def told(reported: Status) -> dict[str, str]:
    return {condition.type: condition.status for condition in reported.conditions}


def test_ready_is_when_both_parts_are() -> None:
    reported = status(stack(), seen(store(), server()), None, NOW)
    assert told(reported) == {"StoreReady": "True", "ServerReady": "True", "Ready": "True"}
    assert reported.phase == Phase.READY
    assert reported.endpoint == "http://mem-b.mem-eval.svc:8420/mcp"
    assert reported.store == "mem-b-store.mem-eval.svc:6379"


@pytest.mark.parametrize(
    "parts",
    [
        (),
        (store(readyReplicas=0), server()),
        (store(updatedReplicas=0), server()),  # the pod that is ready is one of the version before
        (store(observedGeneration=1), server()),  # the controller has not seen the change yet
    ],
)
def test_a_store_that_is_not_there_comes_first(parts: tuple[dict[str, Any], ...]) -> None:
    reported = status(stack(), seen(*parts), None, NOW)
    assert told(reported)["StoreReady"] == told(reported)["Ready"] == "False"
    assert reported.phase == Phase.STORE_STARTING


@pytest.mark.parametrize(
    "changes",
    [{"availableReplicas": 0}, {"updatedReplicas": 0}, {"replicas": 2}, {"observedGeneration": 4}],
)
def test_a_server_is_ready_in_its_present_version_only(changes: dict[str, int]) -> None:
    reported = status(stack(), seen(store(), server(**changes)), None, NOW)
    assert told(reported) == {"StoreReady": "True", "ServerReady": "False", "Ready": "False"}
    assert reported.phase == Phase.SERVER_STARTING


def test_a_refused_pod_is_told_in_the_cluster_s_words() -> None:
    failure = {"type": "ReplicaFailure", "status": "True", "message": 'pods "mem-b-server-1" is forbidden: quota'}
    reported = status(stack(), seen(store(), server(conditions=[failure])), None, NOW)
    assert reported.phase == Phase.BLOCKED
    assert [(c.reason, c.message) for c in reported.conditions if c.type == "Ready"] == [
        (Reason.PODS_REFUSED, failure["message"])
    ]


def test_what_stands_in_the_way_is_the_reason_even_if_all_runs() -> None:
    blocked = conditions.conflict([metadata.server_service(stack())])
    reported = status(stack(), seen(store(), server()), blocked, NOW)
    assert told(reported) == {"StoreReady": "True", "ServerReady": "True", "Ready": "False"}
    assert reported.phase == Phase.BLOCKED
    assert "Service mem-b" in next(c.message for c in reported.conditions if c.type == "Ready")


@pytest.mark.parametrize("verdict", [STARTING, AVAILABLE])
def test_the_time_moves_with_the_status_only(verdict: Verdict) -> None:
    former = conditions.condition(stack(), "Ready", STARTING, NOW)
    reported = stack().model_copy(update={"status": Status(conditions=(former,))})
    again = conditions.condition(reported, "Ready", verdict, LATER)
    assert again.last_transition_time == (NOW if verdict is STARTING else LATER)


def test_a_condition_says_which_generation_it_is_about() -> None:
    assert conditions.condition(stack({"metadata.generation": 7}), "Ready", STARTING, NOW).observed_generation == 7


@pytest.mark.parametrize(
    "owners",
    [[], [{"controller": True, "uid": "another"}], [{"controller": False, "uid": UID}]],
    ids=["nobody's", "someone else's", "only mentioned"],
)
def test_what_is_not_controlled_by_the_stack_is_foreign(owners: list[dict[str, Any]]) -> None:
    manifest = server()
    manifest["metadata"]["ownerReferences"] = owners
    assert foreigners(stack(), seen(store(), manifest)) == [metadata.server_deployment(stack())]
