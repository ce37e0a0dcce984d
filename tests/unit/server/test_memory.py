from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.memory import Memory, MemoryId, Provenance
from memstack_server.domain.scope import GLOBAL, Scope

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def memory(content: str = "A fact.", **parts: Any) -> Memory:  # noqa: ANN401 - whatever the case under test sets
    return Memory.new(GLOBAL, content, created_at=datetime(2026, 5, 1, tzinfo=UTC), **parts)


@given(TEXT)
def test_an_id_is_read_as_it_was_written(content: str):
    assert MemoryId.parse(str(MemoryId.of(GLOBAL, content))) == MemoryId.of(GLOBAL, content)


def test_one_text_has_one_id_in_each_scope():
    assert MemoryId.of(GLOBAL, "A  fact.\n") == MemoryId.of(GLOBAL, "A fact.")
    assert MemoryId.of(GLOBAL, "A fact.") != MemoryId.of(Scope("other"), "A fact.")
    assert MemoryId.of(GLOBAL, "A fact.") != MemoryId.of(GLOBAL, "a fact.")


@given(st.text())
def test_text_that_is_no_id_is_refused(text: str):
    with pytest.raises(InvalidInput, match=r"not a memory id. Pass the `id`"):
        MemoryId.parse(text)


def test_a_memory_keeps_its_text_as_it_was():
    assert memory("  spaced\tout ").content == "  spaced\tout "


def test_a_memory_is_inferred_by_an_agent_unless_someone_says_otherwise():
    assert memory().provenance == Provenance()
    assert memory().provenance.source == "agent-inferred"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"content": ""}, "content is empty"),
        ({"content": "x" * 8_001}, "content has 8,001 characters; at most 8,000"),
        ({"importance": 0}, "importance is 0. Pass 1"),
        ({"importance": 6}, "importance is 6. Pass 1"),
        ({"tags": ("x",) * 21}, "21 tags were given; at most 20"),
        ({"tags": (" ",)}, "a tag is empty"),
        ({"category": "x" * 101}, "category has 101 characters; at most 100"),
        ({"provenance": Provenance(repo="x" * 1_001)}, "repo has 1,001 characters"),
        ({"provenance": Provenance(session="\x00x")}, r"session holds the character U\+0000"),
    ],
)
def test_a_part_out_of_bounds_is_named(parts: dict[str, Any], words: str):
    with pytest.raises(InvalidInput, match=words):
        memory(**parts)
