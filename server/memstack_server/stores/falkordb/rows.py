"""Properties of the store's nodes, as domain objects and back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from memstack_server.domain.clock import microseconds, moment
from memstack_server.domain.entity import Entity, EntityType
from memstack_server.domain.episode import Episode, State
from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import Kind, Memory, MemoryId, Provenance, Source
from memstack_server.domain.scope import Scope
from memstack_server.domain.text import digest, normalised

PASSAGE_IMPORTANCE = 2  # context: what of an episode matters is said by its facts
_PROVENANCE = ("repo", "workspace", "worktree_path", "base_dir", "session")


def text_key(content: str) -> str:
    """What two facts of the same words share."""
    return digest(normalised(content), 16)


def properties(memory: Memory) -> dict[str, object]:
    """What the store keeps of a fact, but for its key and its place in a session."""
    return {
        "text": text_key(memory.content),
        "content": memory.content,
        "category": memory.category,
        "tags": list(memory.tags),
        "importance": memory.importance,
        "reason": memory.reason,
        **_times(memory.lifetime),
        **asdict(memory.provenance),
    }


def passage_key(content: str) -> str:
    """A key that no fact of the same words has."""
    return digest(f"passage {normalised(content)}", 16)


def memory(fact: Mapping[str, Any], scope: Scope, entities: list[str], episode: str | None) -> Memory:
    """A fact or a passage."""
    return Memory(
        id=MemoryId(scope.slug, fact["key"]),
        scope=scope,
        content=fact["content"],
        category=fact.get("category"),
        tags=tuple(fact["tags"]),
        importance=fact["importance"],
        lifetime=lifetime(fact),
        provenance=provenance(fact),
        kind=Kind(fact.get("kind", Kind.FACT)),
        entities=tuple(sorted(entities)),
        episode=MemoryId(scope.slug, episode) if episode else None,
        reason=fact.get("reason"),
    )


def episode_properties(episode: Episode) -> dict[str, object]:
    return {
        "said_at": microseconds(episode.said_at),
        "created_at": microseconds(episode.created_at),
        "state": episode.state,
        **asdict(episode.provenance),
    }


def episode(row: Mapping[str, Any], scope: Scope, passages: list[str], facts: int) -> Episode:
    return Episode(
        id=MemoryId(scope.slug, row["key"]),
        scope=scope,
        passages=tuple(passages),
        said_at=moment(row["said_at"]),
        created_at=moment(row["created_at"]),
        provenance=provenance(row),
        state=State(row["state"]),
        reason=row.get("reason"),
        facts=facts,
    )


def entity(row: Mapping[str, Any]) -> Entity:
    return Entity(row["key"], row["name"], EntityType(row["type"]), tuple(row["aliases"]))


def lifetime(row: Mapping[str, Any]) -> Lifetime:
    return Lifetime(
        valid_at=moment(row["valid_at"]),
        created_at=moment(row["created_at"]),
        invalid_at=moment(row["invalid_at"]) if row.get("invalid_at") is not None else None,
        expired_at=moment(row["expired_at"]) if row.get("expired_at") is not None else None,
    )


def provenance(row: Mapping[str, Any]) -> Provenance:
    return Provenance(source=Source(row["source"]), **{name: row.get(name) for name in _PROVENANCE})


def _times(lifetime: Lifetime) -> dict[str, int | None]:
    return {name: None if value is None else microseconds(value) for name, value in vars(lifetime).items()}
