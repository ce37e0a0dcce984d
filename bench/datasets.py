"""Public sets of memories and questions, out of a local copy: none of their data is in this repository.

LoCoMo (snap-research/LoCoMo, CC BY-NC 4.0): long conversations; what is stored are its observations, each naming the
turns that it was drawn from. DevMemBench (MIT): coding sessions; what is stored are their messages.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Item:
    """A text to store; `sources` are the turns or the session that it stands for."""

    scope: str
    content: str
    sources: frozenset[str]


@dataclass(frozen=True)
class Question:
    """A question to search for; `evidence` are the sources that answer it."""

    scope: str
    text: str
    kind: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Dataset:
    """What goes in, what is asked, and at which depths the set is usually read."""

    name: str
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    depths: tuple[int, ...] = (1, 5, 10)


def locomo(path: Path) -> Dataset:
    """`locomo10.json`, or a part of it. Questions without evidence cannot be answered from the turns: left out."""
    conversations = json.loads(path.read_text())
    items = [item for conversation in conversations for item in _observations(conversation)]
    questions = [question for conversation in conversations for question in _questions(conversation)]
    return Dataset("LoCoMo observations", tuple(items), tuple(question for question in questions if question.evidence))


def _observations(conversation: dict[str, Any]) -> list[Item]:
    scope = f"locomo-{conversation['sample_id']}"
    return [
        Item(scope, text, turns(source))
        for session in conversation["observation"].values()
        for observations in session.values()
        for text, source in observations
    ]


def _questions(conversation: dict[str, Any]) -> list[Question]:
    scope = f"locomo-{conversation['sample_id']}"
    return [
        Question(scope, entry["question"], str(entry["category"]), turns(entry["evidence"]))
        for entry in conversation["qa"]
    ]


def turns(source: str | list[str]) -> frozenset[str]:
    """The turns that a source names; the set writes them as `D1:3`, as a list, and as `D8:6; D9:17`."""
    return frozenset(_TURN.findall(" ".join(source) if isinstance(source, list) else source))


def devmembench(folder: Path) -> Dataset:
    """The folder with `sessions.json` and `questions.json`. Unanswerable questions are left out."""
    sessions, questions = (json.loads((folder / name).read_text()) for name in ("sessions.json", "questions.json"))
    scope = "devmembench"
    items = [
        Item(scope, message["content"], frozenset([session["sessionId"]]))
        for session in sessions
        for message in session["messages"]
    ]
    asked = [
        Question(scope, entry["question"], entry["questionType"], frozenset(entry["haystackSessionIds"]))
        for entry in questions
        if entry["questionType"] != "abstention"
    ]
    return Dataset("DevMemBench sessions", tuple(items), tuple(asked), depths=(1, 3, 5))


def recall(found: list[frozenset[str]], evidence: frozenset[str], depth: int) -> float:
    """The share of the evidence among the first `depth` distinct sources-of-a-hit, in the order found."""
    distinct = list(dict.fromkeys(found))[:depth]
    return len(evidence & frozenset[str]().union(*distinct)) / len(evidence)
