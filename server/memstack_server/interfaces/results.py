"""What the tools answer, as the model reads it: flat, and without what is not known."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from memstack_server.domain.entity import Entity, EntityType
from memstack_server.domain.episode import Episode, State
from memstack_server.domain.memory import Kind, Memory, Source
from memstack_server.domain.page import Cursor, Page
from memstack_server.domain.scope import Scope
from memstack_server.engines.graph import Status, Version
from memstack_server.engines.searching import Hit
from memstack_server.stores.falkordb.entities import Step
from memstack_server.stores.falkordb.queue import Dead


class Result(BaseModel):
    @model_serializer(mode="wrap")
    def _without_nulls(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The reader pays for every token, and a missing key says as much as a null.
        return {key: value for key, value in handler(self).items() if value is not None}


class MemoryResult(Result):
    id: str = Field(description="Pass it to get_memory, update_memory, delete_memory or fact_history.")
    scope: str
    kind: Kind = Field(description="fact, or passage: a piece of an episode in its own words.")
    content: str
    category: str | None = None
    tags: tuple[str, ...] = ()
    importance: int
    entities: tuple[str, ...] | None = Field(None, description="What it is about, once that is known.")
    valid_at: datetime = Field(description="From when it holds.")
    invalid_at: datetime | None = Field(None, description="Until when it held. Missing if it still does.")
    created_at: datetime = Field(description="When this memory learned of it.")
    expired_at: datetime | None = Field(None, description="When this memory learned that it ended.")
    reason: str | None = Field(None, description="Why it ended.")
    episode: str | None = Field(None, description="Id of the episode that it comes from.")
    source: Source
    repo: str | None = None
    workspace: str | None = None
    worktree_path: str | None = None
    base_dir: str | None = None
    session: str | None = None

    @classmethod
    def of(cls, memory: Memory) -> Self:
        return cls(**_fields(memory))


class StoredResult(MemoryResult):
    created: bool = Field(description="False if the same text was in this scope already; it was left as it was.")

    @classmethod
    def of_new(cls, memory: Memory, *, created: bool) -> Self:
        return cls(**_fields(memory), created=created)


class Parts(Result):
    similarity: float = Field(description="How well it answers the query, from 0 to 1.")
    recency: float = Field(description="1 for what holds since now, halved with every half-life.")
    importance: float = Field(description="0 for tier 1 to 1 for tier 5.")


class HitResult(MemoryResult):
    score: float = Field(description="What the results are ranked by, best first: the weighted sum of score_parts.")
    score_parts: Parts

    @classmethod
    def of_hit(cls, hit: Hit) -> Self:
        score = hit.score
        rounded = {name: round(getattr(score, name), 4) for name in Parts.model_fields}
        return cls(**_fields(hit.memory), score=round(score.total, 4), score_parts=Parts(**rounded))


class SearchResult(Result):
    results: list[HitResult]


class ListResult(Result):
    memories: list[MemoryResult]
    next_cursor: str | None = Field(None, description="Pass it as cursor for the next page; missing on the last one.")

    @classmethod
    def of(cls, page: Page) -> Self:
        memories = [MemoryResult.of(memory) for memory in page.memories]
        return cls(memories=memories, next_cursor=page.next.encode() if page.next else None)


class DeletedResult(Result):
    id: str
    deleted: bool


class DeletedEpisodeResult(DeletedResult):
    facts: int = Field(description="How many facts went with it: those that nothing else states.")


class ClearedResult(Result):
    scope: str
    deleted: int = Field(description="How many facts there were.")


class VersionResult(MemoryResult):
    superseded_by: tuple[str, ...] = Field(description="Ids of what replaced it; empty for the newest.")

    @classmethod
    def of_version(cls, version: Version) -> Self:
        return cls(**_fields(version.memory), superseded_by=tuple(map(str, version.superseded_by)))


class HistoryResult(Result):
    versions: list[VersionResult] = Field(description="Oldest first.")


class EpisodeResult(Result):
    id: str = Field(description="Pass it to get_status or delete_episode.")
    scope: str
    content: str = Field(description="Without the passages that were deleted.")
    said_at: datetime
    created_at: datetime
    state: State = Field(description="queued, running, done or failed.")
    reason: str | None = Field(None, description="Why it waits or failed.")
    facts: int = Field(description="How many facts were drawn from it so far.")
    source: Source
    repo: str | None = None
    session: str | None = None

    @classmethod
    def of(cls, episode: Episode) -> Self:
        return cls(**_episode_fields(episode))


class AddedEpisodeResult(EpisodeResult):
    created: bool = Field(description="False if the same text was told in this scope before.")

    @classmethod
    def of_new(cls, episode: Episode, *, created: bool) -> Self:
        return cls(**_episode_fields(episode), created=created)


class EpisodesResult(Result):
    episodes: list[EpisodeResult]
    next_cursor: str | None = Field(None, description="Pass it as cursor for the next page; missing on the last one.")

    @classmethod
    def of(cls, episodes: tuple[Episode, ...], after: Cursor | None) -> Self:
        return cls(episodes=[*map(EpisodeResult.of, episodes)], next_cursor=after.encode() if after else None)


class EntityResult(Result):
    scope: str | None = None
    name: str
    type: EntityType
    aliases: tuple[str, ...] | None = None
    facts: int | None = Field(None, description="How many facts about it hold.")

    @classmethod
    def of(cls, entity: Entity, scope: Scope | None = None, facts: int | None = None) -> Self:
        aliases = entity.aliases or None
        return cls(
            scope=scope.name if scope else None, name=entity.name, type=entity.type, aliases=aliases, facts=facts
        )


class NodesResult(Result):
    nodes: list[EntityResult]


class EdgeResult(Result):
    fact: MemoryResult
    entities: list[EntityResult] = Field(description="What the fact is about.")


class StepResult(Result):
    entity: str
    fact: str = Field(description="What ties the two.")
    fact_id: str

    @classmethod
    def of(cls, step: Step) -> Self:
        return cls(entity=step.ahead.name, fact=step.content, fact_id=str(step.fact))


class PathResult(Result):
    entity: str
    type: EntityType
    path: list[StepResult] = Field(description="From the entity asked for to this one, a fact a step.")

    @classmethod
    def of(cls, path: tuple[Step, ...]) -> Self:
        last = path[-1].ahead
        return cls(entity=last.name, type=last.type, path=[StepResult.of(step) for step in path])


class RelatedResult(Result):
    related: list[PathResult] = Field(description="The nearest first.")


class FailedResult(Result):
    id: str = Field(description="Pass it to retry_failed.")
    scope: str | None
    kind: str
    reason: str

    @classmethod
    def of(cls, scope: Scope | None, dead: Dead) -> Self:
        return cls(id=dead.id, scope=scope.name if scope else None, kind=dead.kind, reason=dead.reason)


class FailuresResult(Result):
    failed: list[FailedResult]


class RetriedResult(Result):
    retried: int


class StatusResult(Result):
    store: str = Field(description="'ready', or why it is not.")
    embedder: str | None = Field(None, description="The model that turns texts into vectors.")
    embedder_reason: str | None = Field(None, description="Why it is this one.")
    extraction: str | None = Field(None, description="The model that draws facts, or why it does not.")
    scopes: int = Field(description="How many scopes hold or held memories.")
    memories: dict[str, int] = Field(description="Number of facts that hold by scope, for the first hundred scopes.")
    waiting: dict[str, int] | None = Field(
        None, description="Number of texts by scope from which no facts are drawn yet."
    )
    failed: int | None = Field(None, description="How many texts failed for good; list_failed shows them.")
    episode: EpisodeResult | None = Field(None, description="The episode that was asked for.")
    ahead: int | None = Field(None, description="How many texts of its scope come before that episode.")

    @classmethod
    def of(cls, status: Status, extraction: str | None = None) -> Self:
        choice = status.embedder
        return cls(
            store=status.store,
            embedder=str(choice.embedder.id) if choice else None,
            embedder_reason=choice.reason if choice else None,
            extraction=extraction,
            scopes=status.scopes,
            memories=status.memories,
            waiting=status.waiting or None,
            failed=status.dead or None,
            episode=None,
            ahead=None,
        )


def _fields(memory: Memory) -> dict[str, Any]:
    known, life = memory.provenance, memory.lifetime
    return {
        "id": str(memory.id),
        "scope": memory.scope.name,
        "kind": memory.kind,
        "content": memory.content,
        "category": memory.category,
        "tags": memory.tags,
        "importance": memory.importance,
        "entities": memory.entities or None,
        **vars(life),
        "reason": memory.reason,
        "episode": str(memory.episode) if memory.episode else None,
        **vars(known),
    }


def _episode_fields(episode: Episode) -> dict[str, Any]:
    return {
        "id": str(episode.id),
        "scope": episode.scope.name,
        "content": episode.content,
        "said_at": episode.said_at,
        "created_at": episode.created_at,
        "state": episode.state,
        "reason": episode.reason,
        "facts": episode.facts,
        "source": episode.provenance.source,
        "repo": episode.provenance.repo,
        "session": episode.provenance.session,
    }
