"""How recall is counted, and how the public sets' odd spellings are read."""

import json
from pathlib import Path

import pytest

from bench.datasets import devmembench, locomo, recall, turns


@pytest.mark.parametrize(
    ("source", "expected"),
    [("D1:3", {"D1:3"}), (["D1:3", "D2:4"], {"D1:3", "D2:4"}), (["D8:6; D9:17"], {"D8:6", "D9:17"}), ([], set[str]())],
)
def test_turns_are_read_in_every_spelling(source: str | list[str], expected: set[str]):
    assert turns(source) == expected


def test_recall_counts_distinct_sources_up_to_the_depth():
    found = [frozenset({"a"}), frozenset({"a"}), frozenset({"b"}), frozenset({"c"})]
    assert recall(found, frozenset({"b", "c"}), 1) == 0
    assert recall(found, frozenset({"b", "c"}), 2) == 0.5  # the second "a" takes no place
    assert recall(found, frozenset({"b", "c"}), 3) == 1


def test_locomo_stores_turns_and_observations_and_asks_what_has_evidence(tmp_path: Path):
    conversation = {
        "sample_id": "conv-1",
        "conversation": {
            "session_1": [{"speaker": "Ann", "text": "I like tea.", "dia_id": "D1:3"}],
            "speaker_a": "Ann",
        },
        "observation": {"session_1_observation": {"Ann": [["Ann likes tea.", "D1:3"]]}},
        "qa": [
            {"question": "What does Ann like?", "category": 4, "evidence": ["D1:3"]},
            {"question": "What does Bob like?", "category": 5, "evidence": []},
        ],
    }
    (tmp_path / "locomo.json").write_text(json.dumps([conversation]))
    said, observed = locomo(tmp_path / "locomo.json")
    assert [(item.content, item.session, item.sources) for item in said.items] == [
        ("Ann: I like tea.", "session_1", {"D1:3"})
    ]
    assert [(item.scope, item.content, item.sources) for item in observed.items] == [
        ("locomo-observations-conv-1", "Ann likes tea.", {"D1:3"})
    ]
    assert [question.text for question in observed.questions] == ["What does Ann like?"]


def test_devmembench_leaves_out_what_no_session_answers(tmp_path: Path):
    (tmp_path / "sessions.json").write_text(
        json.dumps(
            [
                {
                    "sessionId": "S1",
                    "metadata": {"project": "shop"},
                    "messages": [{"role": "user", "content": "We use Redis."}],
                }
            ]
        )
    )
    question = {"question": "Which cache?", "haystackSessionIds": ["S1"]}
    (tmp_path / "questions.json").write_text(
        json.dumps([question | {"questionType": "tech-stack"}, question | {"questionType": "abstention"}])
    )
    (dataset,) = devmembench(tmp_path)
    assert [(item.content, item.repo) for item in dataset.items] == [("We use Redis.", "shop")]
    assert [question.kind for question in dataset.questions] == ["tech-stack"]
