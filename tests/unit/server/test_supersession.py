"""What becomes of a new fact, case by case."""

from datetime import UTC, datetime, timedelta

import pytest

from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.supersession import (
    Claim,
    Keep,
    New,
    Same,
    Standing,
    Verdict,
    canonical,
    decide,
    questions,
)

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
OLD = MemoryId("0" * 10, "a" * 16)


def day(number: int) -> datetime:
    return JANUARY + timedelta(days=number)


def claim(value: str = "Acorn", attribute: str = "employer", **more: object) -> Claim:
    said = {"content": f"Peter: {attribute} {value}.", "entities": frozenset({"peter"}), "subject": "peter"}
    return Claim(**(said | {"attribute": attribute, "value": value, "single": True} | more))  # pyright: ignore[reportArgumentType]


def standing(of: Claim, begun: int = 0, ended: int | None = None, similarity: float = 0.7) -> Standing:
    life = Lifetime(day(begun), day(begun))
    return Standing(OLD, of, life if ended is None else life.ended(day(ended), day(ended)), similarity)


def decided(new: Claim, old: Standing, begun: int, verdict: Verdict | None = None) -> Same | Keep:
    return decide(New(new, day(begun)), [old], {OLD: verdict} if verdict else {})


def test_another_value_of_what_there_is_one_of_replaces():
    decision = decided(claim("DevMesh"), standing(claim("Acorn")), begun=9)
    assert isinstance(decision, Keep)
    assert [(end.id, end.invalid_at, end.reason) for end in decision.ends] == [(OLD, day(9), "replaced")]


def test_the_same_value_in_other_words_is_the_same():
    assert decided(claim("ACORN", content="Acorn employs Peter."), standing(claim("Acorn")), begun=9) == Same(OLD)


def test_a_return_to_an_earlier_truth_is_new():
    assert decided(claim("Acorn"), standing(claim("Acorn"), begun=0, ended=5), begun=9) == Keep()


def test_what_is_told_after_its_successor_lands_in_the_past():
    decision = decided(claim("Birch"), standing(claim("Acorn"), begun=5), begun=2)
    assert isinstance(decision, Keep)
    assert decision.ends == ()
    assert decision.born_ended is not None
    assert (decision.born_ended.id, decision.born_ended.invalid_at) == (OLD, day(5))


def test_a_plan_ends_the_present_only_when_it_begins():
    decision = decided(claim("Birch"), standing(claim("Acorn")), begun=300)
    assert isinstance(decision, Keep)
    assert decision.ends[0].invalid_at == day(300)
    assert decided(claim("Birch", "plan_employer"), standing(claim("Acorn")), 9, Verdict.REPLACES) == Keep()


def test_what_adds_up_stands_beside():
    children = claim("Noor", "child", single=False), claim("Owen", "child", single=False)
    assert decided(children[1], standing(children[0]), begun=9) == Keep()
    assert decided(children[1], standing(children[0]), 9, Verdict.REPLACES) == Keep()


def test_a_negation_ends_what_it_denies_and_nothing_else():
    left = claim("Acorn", negated=True, content="Peter left Acorn.")
    decision = decided(left, standing(claim("Acorn")), begun=9)
    assert isinstance(decision, Keep)
    assert [end.reason for end in decision.ends] == ["negated"]
    assert decided(left, standing(claim("Birch")), begun=9) == Keep()


def test_a_correction_by_one_word_is_no_repetition_and_ends_at_the_beginning():
    third = Claim("Peter's flat is on the third floor.", frozenset({"peter"}))
    fourth = Claim("Peter's flat is on the fourth floor.", frozenset({"peter"}))
    assert questions(New(fourth, day(9)), [standing(third, similarity=0.98)])
    decision = decided(fourth, standing(third, similarity=0.98), 9, Verdict.CORRECTS)
    assert isinstance(decision, Keep)
    assert [(end.invalid_at, end.reason) for end in decision.ends] == [(day(0), "corrected")]


@pytest.mark.parametrize("verdict", [Verdict.REPLACES, Verdict.CORRECTS, Verdict.SAME])
def test_the_model_cannot_end_what_has_nothing_in_common(verdict: Verdict):
    tea = Claim("Anna likes tea.", frozenset({"anna"}))
    peter = Claim("Peter likes tea.", frozenset({"peter"}))
    assert decided(peter, standing(tea, similarity=0.7), 9, verdict) == Keep()


def test_the_model_cannot_end_another_well_known_relation():
    assert decided(claim("Oslo", "residence"), standing(claim("Acorn")), 9, Verdict.REPLACES) == Keep()


def test_facts_that_share_an_entity_and_are_far_apart_are_not_asked_about():
    one, other = Claim("Peter likes tea.", frozenset({"peter"})), Claim("Peter broke his arm.", frozenset({"peter"}))
    assert questions(New(one, day(9)), [standing(other, similarity=0.1)]) == []


@pytest.mark.parametrize(
    ("name", "meant"), [("works_at", "employer"), ("Works For", "employer"), ("lives-in", "residence")]
)
def test_attributes_of_one_meaning_meet(name: str, meant: str):
    assert canonical(name) == meant
