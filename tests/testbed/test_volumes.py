"""Which claims get a volume, and which volumes are erased."""

from pathlib import Path
from typing import Any

import pytest

from testbed import volumes

CLAIM: dict[str, Any] = {
    "metadata": {"uid": "u1", "name": "data", "namespace": "space"},
    "spec": {
        "storageClassName": "standard",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "2Gi"}},
    },
    "status": {"phase": "Pending"},
}


def test_a_pending_claim_waits_until_a_volume_is_its_own():
    assert volumes.waits_for_volume(CLAIM, [])
    assert not volumes.waits_for_volume(CLAIM, [volumes.volume(CLAIM, Path("/home"))])


@pytest.mark.parametrize("other", [{"spec": {"storageClassName": "fast"}}, {"status": {"phase": "Bound"}}])
def test_claims_of_others_and_served_ones_wait_for_nothing(other: dict[str, Any]):
    assert not volumes.waits_for_volume(CLAIM | other, [])


def test_a_released_volume_is_erased_once():
    released = volumes.volume(CLAIM, Path("/home")) | {"status": {"phase": "Released"}}
    assert volumes.is_released(released)
    assert not volumes.is_released(released | {"status": {"phase": "Bound"}})
    deleted = {**released["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}
    assert not volumes.is_released(released | {"metadata": deleted})


def test_a_volume_of_another_is_never_erased():
    foreign = {"metadata": {"name": "theirs"}, "status": {"phase": "Released"}, "spec": {}}
    assert not volumes.is_released(foreign)
