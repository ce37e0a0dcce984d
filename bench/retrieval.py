"""Recall on public sets, through the tools of a running memory: what an agent would have found."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bench.datasets import Dataset, Item, Question, recall
from testbed.agent import Agent, ToolError

DEPTH = 50  # results asked for: enough to hold ten distinct sessions


@dataclass(frozen=True)
class Report:
    """Recall by depth, and milliseconds for one write and one search as an MCP client sees them."""

    dataset: Dataset
    recall: dict[int, float]
    refused: int
    write_ms: float
    search_ms: float

    def __str__(self) -> str:
        shares = " ".join(f"@{depth} {share:.3f}" for depth, share in self.recall.items())
        return (
            f"{self.dataset.name}: {len(self.dataset.items) - self.refused} stored, {self.refused} refused, "
            f"{len(self.dataset.questions)} questions; "
            f"recall {shares}; median {self.write_ms:.1f} ms a write, {self.search_ms:.1f} ms a search"
        )


async def measure(agent: Agent, dataset: Dataset) -> Report:
    """Store the whole set, then ask every question."""
    attempts = [await _store(agent, item) for item in dataset.items]
    writes = [ms for ms in attempts if ms is not None]
    sources = _by_content(dataset.items)
    searches = [await _search(agent, question, sources) for question in dataset.questions]
    recalls = {
        depth: statistics.mean(
            recall(found, question.evidence, depth)
            for question, (found, _) in zip(dataset.questions, searches, strict=True)
        )
        for depth in dataset.depths
    }
    search_ms = statistics.median(ms for _, ms in searches)
    return Report(dataset, recalls, len(attempts) - len(writes), statistics.median(writes), search_ms)


def _by_content(items: Sequence[Item]) -> dict[tuple[str, str], frozenset[str]]:
    """Sources by scope and text: a text that occurs twice is one memory, which stands for both."""
    sources: dict[tuple[str, str], frozenset[str]] = {}
    for item in items:
        key = item.scope, item.content
        sources[key] = sources.get(key, frozenset()) | item.sources
    return sources


async def _store(agent: Agent, item: Item) -> float | None:
    """Milliseconds; None for what the memory takes for noise."""
    given = {"content": item.content, "scope": item.scope, "session": item.session, "repo": item.repo}
    try:
        _, ms = await _timed(agent, "store_memory", **given)
    except ToolError:
        return None
    return ms


async def _search(
    agent: Agent, question: Question, sources: dict[tuple[str, str], frozenset[str]]
) -> tuple[list[frozenset[str]], float]:
    answer, ms = await _timed(agent, "search_memory", query=question.text, scope=question.scope, k=DEPTH)
    return [sources[hit["scope"], hit["content"]] for hit in answer["results"]], ms


async def _timed(agent: Agent, tool: str, **arguments: object) -> tuple[dict[str, Any], float]:
    began = time.perf_counter()
    answer = await agent.call(tool, **arguments)
    return answer, (time.perf_counter() - began) * 1000
