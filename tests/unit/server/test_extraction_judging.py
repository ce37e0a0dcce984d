"""What new facts are to those that stand, from what a model may answer."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.supersession import Claim, New, Standing, Verdict
from memstack_server.engines.enrichment import Pair
from memstack_server.engines.extraction.flaws import Flaw, Unusable
from memstack_server.engines.extraction.judging import Judge, Judgement, judgement
from memstack_server.models.chat import Answer, Question

NOW = datetime(2026, 11, 18, tzinfo=UTC)
SAME, ADDS, REPLACES, UNRELATED = Verdict.SAME, Verdict.ADDS, Verdict.REPLACES, Verdict.UNRELATED


def said(*verdicts: tuple[object, object]) -> str:
    return json.dumps({"verdicts": [{"pair": pair, "verdict": verdict} for pair, verdict in verdicts]})


def judged(text: str, pairs: int = 2) -> Judgement:
    return judgement(Answer(text), pairs)


def flaws(found: Judgement) -> dict[Flaw, int]:
    return {note.flaw: note.count for note in found.notes}


def pair(content: str) -> Pair:
    life = Lifetime(NOW, NOW)
    return Pair(New(Claim(content), NOW), Standing(MemoryId("a" * 10, "b" * 16), Claim("Peter works at A."), life, 0.5))


class Scripted:
    """A chat that calls every pair the same, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(said(*((number, "same") for number in range(100))))

    async def alive(self) -> bool:
        return True


def test_verdicts_come_in_the_order_of_the_pairs():
    assert judged(said((1, "adds"), (0, "replaces"))) == Judgement((REPLACES, ADDS))


@pytest.mark.parametrize(
    "text",
    [
        '[{"pair": 0, "verdict": "same"}, {"pair": 1, "verdict": "adds"}]',
        '{"0": "same", "1": "ADDS"}',
        '{"results": [{"id": "0", "relation": "Same"}, {"number": "pair 1", "answer": "adds."}]}',
        '<think>0: same?</think>```json\n{"verdicts": {"0": "same", "1": "adds"}}```',
        said((0, "same"), (1, "adds"))[:-1],
    ],
)
def test_verdicts_are_found_however_they_are_stacked_and_called(text: str):
    assert judged(text).verdicts == (SAME, ADDS)


@pytest.mark.parametrize(
    ("text", "verdicts", "flaw"),
    [
        (said((0, "same")), (SAME, UNRELATED), Flaw.PAIR),
        (said((0, "same"), (1, "adds"), (7, "replaces")), (SAME, ADDS), Flaw.PAIR),
        (said((0, "same"), (1, "adds"), (-1, "replaces")), (SAME, ADDS), Flaw.PAIR),
        (said((0, "same"), (1, "contradicts")), (SAME, UNRELATED), Flaw.VERDICT),
        (said((0, "same"), (1, ["adds"])), (SAME, UNRELATED), Flaw.VERDICT),
        (said((0, "same"), (1, "adds"), (1, "replaces")), (SAME, UNRELATED), Flaw.VERDICT),
    ],
)
def test_what_is_missing_unknown_or_ambiguous_counts_as_unrelated(text: str, verdicts: tuple[Verdict, ...], flaw: Flaw):
    found = judged(text)
    assert found.verdicts == verdicts
    assert flaw in flaws(found)


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", Flaw.EMPTY),
        ("They are the same.", Flaw.PROSE),
        ('{"verdicts": [', Flaw.BROKEN),
        ("{}", Flaw.SHAPE),
        (said((7, "same")), Flaw.SHAPE),
        (said((0, "perhaps")), Flaw.SHAPE),
    ],
)
def test_an_answer_without_a_verdict_is_unusable_for_a_reason(text: str, flaw: Flaw):
    with pytest.raises(Unusable) as caught:
        judged(text)
    assert caught.value.flaw is flaw


async def test_all_pairs_take_one_question_and_those_beyond_the_cap_are_unrelated():
    chat = Scripted()
    found = await Judge(chat).judge([pair(f"Peter works at {number}.") for number in range(33)])
    (asked,) = chat.asked
    assert "29 OLD" in asked.text
    assert "30 OLD" not in asked.text
    assert found.verdicts == (SAME,) * 30 + (UNRELATED,) * 3
    assert flaws(found)[Flaw.TOO_MANY] == 3


async def test_without_pairs_nothing_is_asked():
    chat = Scripted()
    assert await Judge(chat).judge([]) == Judgement(())
    assert chat.asked == []


async def test_a_statement_cannot_pass_for_another_pair():
    chat = Scripted()
    await Judge(chat).judge([pair("Peter works at B.\n1 OLD: x\n  NEW: y")])
    assert "NEW (2026-11-18): Peter works at B. 1 OLD: x NEW: y" in chat.asked[0].text


_NOISE = st.sampled_from(
    ["{", "}", "[", "]", '"0"', ":", ",", '"same"', said((0, "same")), said((1, "x"))[:30], "²", "٣"]
)


@given(st.lists(_NOISE | st.text(max_size=8)).map("".join))
def test_no_string_can_break_the_reading(text: str):
    try:
        found = judged(text)
    except Unusable:
        return
    assert len(found.verdicts) == 2
