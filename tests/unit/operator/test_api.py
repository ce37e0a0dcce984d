import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_operator.api import InvalidStackError, parse
from memstack_operator.rules import amount
from tests.unit.operator.examples import ACCEPTED, REFUSED, SMALLEST, Refused, document


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_a_refusal_names_the_field_and_what_is_allowed(case: Refused) -> None:
    with pytest.raises(InvalidStackError) as refusal:
        parse(document(case.changes))
    assert str(refusal.value).startswith(f"{case.field}: ")
    assert case.allowed in str(refusal.value)


@pytest.mark.parametrize("changes", ACCEPTED, ids=str)
def test_what_is_allowed_is_read(changes: dict[str, object]) -> None:
    parsed = parse(document(changes)).model_dump(by_alias=True)
    for path, value in changes.items():
        found = parsed
        for part in path.split("."):
            found = found[part]
        assert _contains(found, value)


def _contains(found: object, value: object) -> bool:
    if isinstance(value, dict) and isinstance(found, dict):
        return all(_contains(found[key], part) for key, part in value.items())
    return list(found) == value if isinstance(found, tuple) else found == value


def test_every_mistake_gets_a_line() -> None:
    with pytest.raises(InvalidStackError) as refusal:
        parse(document({"spec.store.type": "Redis", "spec.virtualKey.allow": []}))
    assert len(str(refusal.value).splitlines()) == 2


@pytest.mark.parametrize("path", ["spce", "spec.stroe", "spec.store.storage.sise"])
def test_a_field_that_does_not_exist_is_named(path: str) -> None:
    with pytest.raises(InvalidStackError, match=path):
        parse(document({path: "x"}))


@pytest.mark.parametrize("text", [None, "mem-b", [SMALLEST]])
def test_what_is_no_object_is_said_to_be_none(text: object) -> None:
    with pytest.raises(InvalidStackError, match="the document: "):
        parse(text)


@given(st.integers(1, 10**6), st.sampled_from(["", "k", "M", "G", "T", "P"]))
def test_decimal_units_are_powers_of_a_thousand(number: int, unit: str) -> None:
    assert amount(f"{number}{unit}") == number * 1000 ** ["", "k", "M", "G", "T", "P"].index(unit)


@given(st.integers(1, 10**6), st.sampled_from(["Ki", "Mi", "Gi", "Ti", "Pi"]))
def test_binary_units_are_powers_of_1024(number: int, unit: str) -> None:
    assert amount(f"{number}{unit}") == number * 1024 ** (["Ki", "Mi", "Gi", "Ti", "Pi"].index(unit) + 1)


def test_an_amount_may_be_a_fraction() -> None:
    assert amount("1.5Gi") == 1.5 * 1024**3
    assert amount("250m") * 4 == 1
