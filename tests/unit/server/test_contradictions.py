"""Given what was drawn from texts, old facts give way to new ones, and nothing else does."""

from random import Random

import pytest

from memstack_server.domain.supersession import Keep, Verdict, decide, questions
from tests.contradictions.pairs import ONE_AT_A_TIME, Case, contradictions, controls


def ended(case: Case, wrong: float, random: Random) -> bool:
    """Whether the standing fact gives way, with a judge that errs so often where it is asked."""
    right = Verdict.REPLACES if case.gives_way else Verdict.ADDS
    other = Verdict.ADDS if case.gives_way else Verdict.REPLACES
    verdict = other if random.random() < wrong else right
    asked = {standing.id: verdict for standing in questions(case.new, [case.old])}
    decision = decide(case.new, [case.old], asked)
    return isinstance(decision, Keep) and [end.id for end in decision.ends] == [case.old.id]


def test_there_are_enough_of_them():
    assert len(contradictions()) >= 300
    assert len(ONE_AT_A_TIME) >= 12
    assert len(controls()) >= 300


@pytest.mark.parametrize("wrong", [0.0, 0.1])
def test_the_old_gives_way_and_the_controls_stay(wrong: float):
    random = Random(7)
    replaced = [ended(case, wrong, random) for case in contradictions()]
    kept = [not ended(case, wrong, random) for case in controls()]
    assert sum(replaced) / len(replaced) >= 0.95
    assert sum(kept) / len(kept) >= 0.98
