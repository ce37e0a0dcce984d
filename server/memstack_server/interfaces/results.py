"""What the tools answer with: the wire's view of the domain."""

from datetime import datetime
from typing import Any, Self

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, model_serializer

from memstack_server.domain.memory import Memory, Source
from memstack_server.domain.page import Page
from memstack_server.engines.memory import Hit, Status


class Result(BaseModel):
    @model_serializer(mode="wrap")
    def _without_nulls(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # The reader pays for every token, and a missing key says as much as a null.
        return {key: value for key, value in handler(self).items() if value is not None}


class MemoryResult(Result):
    id: str = Field(description="Pass it to get_memory or delete_memory.")
    scope: str
    content: str
    category: str | None = None
    tags: tuple[str, ...] = ()
    importance: int
    created_at: datetime
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


class HitResult(MemoryResult):
    score: float = Field(description="What the results are ranked by, best first.")
    similarity: float = Field(description="Cosine similarity to the query, the only part of the score.")

    @classmethod
    def of_hit(cls, hit: Hit) -> Self:
        return cls(**_fields(hit.memory), score=round(hit.score, 4), similarity=round(hit.similarity, 4))


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


class StatusResult(Result):
    store: str = Field(description="'ready', or why it is not.")
    embedder: str | None = Field(None, description="The model that turns texts into vectors.")
    embedder_reason: str | None = Field(None, description="Why it is this one.")
    scopes: int = Field(description="How many scopes hold or held memories.")
    memories: dict[str, int] = Field(description="Number of memories by scope, for the first hundred scopes.")

    @classmethod
    def of(cls, status: Status) -> Self:
        choice = status.embedder
        return cls(
            store=status.store,
            embedder=str(choice.embedder.id) if choice else None,
            embedder_reason=choice.reason if choice else None,
            scopes=status.scopes,
            memories=status.memories,
        )


def _fields(memory: Memory) -> dict[str, Any]:
    known = memory.provenance
    return {
        "id": str(memory.id),
        "scope": memory.scope.name,
        "content": memory.content,
        "category": memory.category,
        "tags": memory.tags,
        "importance": memory.importance,
        "created_at": memory.created_at,
        "source": known.source,
        "repo": known.repo,
        "workspace": known.workspace,
        "worktree_path": known.worktree_path,
        "base_dir": known.base_dir,
        "session": known.session,
    }
