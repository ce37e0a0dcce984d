"""Tools for memories, whichever engine keeps them."""

from typing import Annotated

from pydantic import Field

from memstack_server.domain import limits
from memstack_server.domain.memory import Source
from memstack_server.engines.graph import GraphEngine
from memstack_server.interfaces import arguments as a
from memstack_server.interfaces.metrics import Metrics
from memstack_server.interfaces.results import (
    ClearedResult,
    DeletedResult,
    EpisodeResult,
    HitResult,
    ListResult,
    MemoryResult,
    SearchResult,
    StatusResult,
    StoredResult,
)
from memstack_server.interfaces.server import MemoryServer
from memstack_server.interfaces.tools import DELETE, READ, WRITE, register

INSTRUCTIONS = """\
A memory that outlives this session. What you store here, you and other agents find again later.

- Search before you ask the user something that they may have told you before, and when you begin a task.
- Store what will matter in a later session: decisions and their reasons, preferences, facts about people and \
projects, fixes that took long to find. One fact a memory, in a full sentence that is understood without this \
conversation. Never secrets, never what the code already says.
- Every memory has a scope: 'project:<identity of the repository>' (such as 'project:github.com/owner/name', from \
`git remote get-url origin`) for what concerns one project, 'global' for what holds everywhere. Searching a scope \
searches 'global' too.
- When a memory proves wrong, update or delete it by its id. When the world changed, just store what holds now.
"""

Content = Annotated[
    str, Field(description=f"One fact in a full sentence, at most {limits.CONTENT_CHARACTERS:,} characters.")
]


class MemoryTools:
    """Store, find, correct, delete."""

    def __init__(self, engine: GraphEngine, metrics: Metrics) -> None:
        self._engine = engine
        self._metrics = metrics

    def register(self, server: MemoryServer) -> None:
        register(
            server,
            (self.store_memory, "Store a memory", WRITE),
            (self.search_memory, "Search memories", READ),
            (self.get_memory, "Get a memory", READ),
            (self.update_memory, "Correct a memory", WRITE),
            (self.delete_memory, "Delete a memory", DELETE),
            (self.list_memories, "List memories", READ),
            (self.delete_all, "Delete all memories of a scope", DELETE),
            (self.get_status, "Status of the memory", READ),
        )

    async def store_memory(  # noqa: PLR0913, PLR0917 - arguments of a tool, each with a meaning of its own
        self,
        content: Content,
        scope: a.Scope,
        category: a.Category = "",
        tags: a.Tags = (),
        importance: a.Importance = 3,
        valid_at: a.ValidAt = None,
        source: a.FromUser = Source.AGENT_INFERRED,
        repo: a.Repo = "",
        workspace: a.Workspace = "",
        worktree_path: a.Worktree = "",
        base_dir: a.BaseDir = "",
        session: a.Session = "",
    ) -> StoredResult:
        """Store one fact for later sessions. It can be searched for as soon as this returns.

        Storing the same text in the same scope again is harmless: it stays one memory, and its id comes back with
        created=false. If the fact replaces an earlier one (a new employer, another port), just store it: the earlier
        one gives way and stays in the history. Secrets, output of programs and passing states are refused.
        """
        memory, created = await self._engine.store(
            content,
            scope,
            category=category or None,
            tags=tags,
            importance=importance,
            provenance=a.provenance(source, repo, workspace, worktree_path, base_dir, session),
            valid_at=valid_at,
        )
        if created:
            self._metrics.memory_stored()
        return StoredResult.of_new(memory, created=created)

    async def search_memory(  # noqa: PLR0913, PLR0917 - arguments of a tool, each with a meaning of its own
        self,
        query: a.Query,
        scope: a.Scope,
        k: a.Number = 10,
        category: a.OnlyCategory = "",
        tags: a.OnlyTags = (),
        repo: a.OnlyRepo = "",
        min_importance: a.LeastImportance = 1,
        since: a.Since = None,
        until: a.Until = None,
        as_of: a.AsOf = None,
        known_at: a.KnownAt = None,
        include_ended: a.Ended = False,
        weigh_similarity: a.WeighSimilarity = None,
        weigh_recency: a.WeighRecency = None,
        weigh_importance: a.WeighImportance = None,
        half_life_days: a.HalfLife = None,
    ) -> SearchResult:
        """Find the memories that answer a query, by meaning and by words, in one scope and in 'global', best first.

        What was superseded is left out, unless as_of or known_at asks for an earlier moment, or include_ended for all.
        Each result names its scope and the parts of its score. No results means that nothing is stored there yet.
        """
        filters = a.filters(
            category,
            tags,
            repo,
            min_importance,
            since=since,
            until=until,
            as_of=as_of,
            known_at=known_at,
            ended=include_ended,
        )
        weights = a.weights(
            self._engine.weights,
            similarity=weigh_similarity,
            recency=weigh_recency,
            importance=weigh_importance,
            half_life_days=half_life_days,
        )
        hits = await self._engine.search(query, scope, k, filters=filters, weights=weights)
        return SearchResult(results=[HitResult.of_hit(hit) for hit in hits])

    async def get_memory(self, id: a.Id) -> MemoryResult:  # noqa: A002 - the name on the wire
        """Fetch one memory by its id, with all that is known about where it came from and how long it holds."""
        return MemoryResult.of(await self._engine.get(id))

    async def update_memory(
        self,
        id: a.Id,  # noqa: A002 - the name on the wire
        content: Annotated[str, Field(description="The right text; left out, the text stays.")] = "",
        category: a.Category = "",
        tags: Annotated[tuple[str, ...] | None, Field(description="The tags that it is to have.")] = None,
        importance: Annotated[int | None, Field(description="1 passing to 5 critical.")] = None,
    ) -> MemoryResult:
        """Correct one memory: what is given is changed, its id stays, and its earlier text stays in its history.

        Use it for what was wrong from the start. For what has changed in the world, store what holds now.
        """
        memory = await self._engine.update(
            id, content=content or None, category=category or None, tags=tags, importance=importance
        )
        return MemoryResult.of(memory)

    async def delete_memory(self, id: a.Id) -> DeletedResult:  # noqa: A002 - the name on the wire
        """Delete one memory for good, by its id, with its earlier versions and the passages that state it.

        It does not come back when the same text is read in again; storing it anew on purpose works.
        """
        await self._engine.delete(id)
        return DeletedResult(id=id, deleted=True)

    async def list_memories(
        self,
        scope: a.Scope,
        limit: a.Number = 20,
        cursor: a.CursorText = "",
        include_ended: a.Ended = False,
    ) -> ListResult:
        """List the facts of one scope, newest first, in pages. Use search_memory to find something in particular."""
        return ListResult.of(await self._engine.page(scope, limit, cursor or None, ended=include_ended))

    async def delete_all(self, scope: a.Scope) -> ClearedResult:
        """Delete everything that one scope holds: facts, episodes, entities, and what waits. This cannot be undone.

        Only for what the user asked for in so many words. What was deleted does not come back with an import.
        """
        return ClearedResult(scope=scope, deleted=await self._engine.delete_all(scope))

    async def get_status(
        self, episode: Annotated[str, Field(description="The id of an episode to tell about as well.")] = ""
    ) -> StatusResult:
        """Tell whether the memory works, which models it uses, what scopes there are and what waits.

        With the id of an episode, tell whether its facts are drawn: queued, running, done, or failed and why.
        """
        told = StatusResult.of(await self._engine.status(), self._engine.extraction)
        if episode:
            found = await self._engine.episode(episode)
            told.episode = EpisodeResult.of(found)
            told.ahead = await self._engine.position(found)
        return told
