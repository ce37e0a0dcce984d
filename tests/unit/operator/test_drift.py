import copy
from typing import Any

from memstack_operator.drift import STAMP, difference, stamped

PLAIN: dict[str, Any] = {
    "kind": "Thing",
    "metadata": {"name": "a", "labels": {"x": "1"}},
    "spec": {"replicas": 1, "list": [{"name": "one", "value": "1"}], "off": False},
}
WANTED = stamped(PLAIN)


def changed(path: str, value: object) -> dict[str, Any]:
    result = copy.deepcopy(WANTED)
    *parents, last = path.split(".")
    place = result
    for parent in parents:
        place = place[parent]
    place[last] = value
    return result


def test_an_object_with_defaults_filled_in_is_as_it_was_asked_for() -> None:
    assert difference(WANTED, changed("spec.list", [{"name": "one", "value": "1", "protocol": "TCP"}])) is None
    assert difference(WANTED, changed("status", {"replicas": 1})) is None


def test_an_empty_map_may_be_left_out() -> None:
    assert difference(WANTED | {"empty": {}}, WANTED) is None
    assert difference(WANTED | {"full": {"a": 1}}, WANTED) == "full.a is None, not 1"


def test_a_changed_field_is_told_in_words() -> None:
    assert difference(WANTED, changed("spec.replicas", 3)) == "spec.replicas is 3, not 1"


def test_an_item_more_or_less_is_a_difference() -> None:
    assert difference(WANTED, changed("spec.list", [])) is not None


def test_a_field_that_is_missing_is_a_difference() -> None:
    assert difference(WANTED, changed("spec", {"replicas": 1})) is not None


def test_what_is_no_longer_asked_for_shows_by_the_stamp() -> None:
    before = stamped(changed("spec.limit", "1Gi"))
    assert difference(WANTED, before) == "something that was applied is no longer asked for"


def test_a_stamp_depends_on_nothing_but_content() -> None:
    assert stamped({key: PLAIN[key] for key in reversed(PLAIN)}) == WANTED
    assert stamped(PLAIN | {"kind": "Other"})["metadata"]["annotations"] != WANTED["metadata"]["annotations"]
    assert STAMP not in PLAIN["metadata"].get("annotations", {})


def test_long_values_are_cut() -> None:
    assert len(difference(WANTED, changed("spec.replicas", "x" * 10_000)) or "") < 200
