"""Public sets of memories and questions, out of a local copy: none of their data is in this repository.

LoCoMo (snap-research/LoCoMo, CC BY-NC 4.0): long conversations; what is stored are their turns, or their observations,
each naming the turns that it was drawn from. DevMemBench (MIT): coding sessions; what is stored are their messages.
"""

import json
import re
from collections.abc import Callable
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
    session: str
    repo: str = ""


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


def locomo(path: Path) -> list[Dataset]:
    """`locomo10.json`, or a part of it. Questions without evidence cannot be answered from the turns: left out."""
    conversations = json.loads(path.read_text())
    return [
        _conversations(conversations, kind, items)
        for kind, items in (("turns", _turns), ("observations", _observations))
    ]


def _conversations(
    conversations: list[dict[str, Any]], kind: str, items: Callable[[str, dict[str, Any]], list[Item]]
) -> Dataset:
    """Each conversation in a scope of its own."""
    scoped = [(f"locomo-{kind}-{each['sample_id'].lower()}", each) for each in conversations]
    stored = tuple(item for scope, each in scoped for item in items(scope, each))
    asked = tuple(question for scope, each in scoped for question in _questions(scope, each) if question.evidence)
    return Dataset(f"LoCoMo {kind}", stored, asked)


def _turns(scope: str, conversation: dict[str, Any]) -> list[Item]:
    sessions = {name: said for name, said in conversation["conversation"].items() if isinstance(said, list)}
    return [
        Item(scope, f"{turn['speaker']}: {turn['text']}", frozenset([turn["dia_id"]]), session)
        for session, said in sessions.items()
        for turn in said
    ]


def _observations(scope: str, conversation: dict[str, Any]) -> list[Item]:
    return [
        Item(scope, text, turns(source), name)
        for name, session in conversation["observation"].items()
        for observations in session.values()
        for text, source in observations
    ]


def _questions(scope: str, conversation: dict[str, Any]) -> list[Question]:
    return [
        Question(scope, entry["question"], str(entry["category"]), turns(entry["evidence"]))
        for entry in conversation["qa"]
    ]


def turns(source: str | list[str]) -> frozenset[str]:
    """The turns that a source names; the set writes them as `D1:3`, as a list, and as `D8:6; D9:17`."""
    return frozenset(_TURN.findall(" ".join(source) if isinstance(source, list) else source))


def devmembench(folder: Path) -> list[Dataset]:
    """The folder with `sessions.json` and `questions.json`. Unanswerable questions are left out."""
    sessions, questions = (json.loads((folder / name).read_text()) for name in ("sessions.json", "questions.json"))
    scope = "devmembench"
    items = [
        Item(
            scope,
            message["content"],
            frozenset([session["sessionId"]]),
            session["sessionId"],
            session["metadata"]["project"],
        )
        for session in sessions
        for message in session["messages"]
    ]
    asked = [
        Question(scope, entry["question"], entry["questionType"], frozenset(entry["haystackSessionIds"]))
        for entry in questions
        if entry["questionType"] != "abstention"
    ]
    return [Dataset("DevMemBench sessions", tuple(items), tuple(asked), depths=(1, 3, 5))]


def recall(found: list[frozenset[str]], evidence: frozenset[str], depth: int) -> float:
    """The share of the evidence among the first `depth` distinct sources-of-a-hit, in the order found."""
    distinct = list(dict.fromkeys(found))[:depth]
    return len(evidence & frozenset[str]().union(*distinct)) / len(evidence)
