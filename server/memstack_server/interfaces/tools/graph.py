"""Tools that only a graph has: episodes, entities, histories, paths."""

from typing import Annotated

from pydantic import Field

from memstack_server.domain import limits
from memstack_server.domain.memory import Kind, Source
from memstack_server.engines.graph import GraphEngine
from memstack_server.interfaces import arguments as a
from memstack_server.interfaces.results import (
    AddedEpisodeResult,
    ClearedResult,
    DeletedEpisodeResult,
    DeletedResult,
    EdgeResult,
    EntityResult,
    EpisodesResult,
    FailedResult,
    FailuresResult,
    HistoryResult,
    HitResult,
    MemoryResult,
    NodesResult,
    PathResult,
    RelatedResult,
    RetriedResult,
    SearchResult,
    VersionResult,
)
from memstack_server.interfaces.server import MemoryServer
from memstack_server.interfaces.tools import DELETE, READ, WRITE, register


class GraphTools:
    """Episodes in; entities, histories and paths out."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine

    def register(self, server: MemoryServer) -> None:
        register(
            server,
            (self.add_episode, "Add an episode", WRITE),
            (self.get_episodes, "List episodes", READ),
            (self.delete_episode, "Delete an episode", DELETE),
            (self.search_facts, "Search facts", READ),
            (self.search_nodes, "Search entities", READ),
            (self.get_entity_edge, "What a fact is about", READ),
            (self.delete_entity_edge, "Untie a fact from an entity", DELETE),
            (self.fact_history, "History of a fact", READ),
            (self.related, "What an entity is related to", READ),
            (self.list_failed, "List what failed", READ),
            (self.retry_failed, "Retry what failed", WRITE),
            (self.clear_graph, "Clear a scope", DELETE),
        )

    async def add_episode(  # noqa: PLR0913, PLR0917 - arguments of a tool, each with a meaning of its own
        self,
        text: Annotated[
            str, Field(description=f"What was said or happened, at most {limits.EPISODE_CHARACTERS:,} characters.")
        ],
        scope: a.Scope,
        said_at: Annotated[a.Moment | None, Field(description="When, if not now: 'yesterday' is read from it.")] = None,
        source: a.FromUser = Source.AGENT_INFERRED,
        repo: a.Repo = "",
        workspace: a.Workspace = "",
        worktree_path: a.Worktree = "",
        base_dir: a.BaseDir = "",
        session: a.Session = "",
    ) -> AddedEpisodeResult:
        """Keep a longer text: notes, a conversation, a decision with its story. It can be searched at once.

        Facts are drawn from it in the background; get_status with its id tells how far that is. For a single fact use
        store_memory, which is quicker and says just what you say.
        """
        episode, created = await self._engine.add_episode(
            text,
            scope,
            said_at=said_at,
            provenance=a.provenance(source, repo, workspace, worktree_path, base_dir, session),
        )
        return AddedEpisodeResult.of_new(episode, created=created)

    async def get_episodes(self, scope: a.Scope, limit: a.Number = 10, cursor: a.CursorText = "") -> EpisodesResult:
        """List the episodes of one scope, the latest first, in pages, each with the state of its facts."""
        return EpisodesResult.of(*await self._engine.episodes(scope, limit, cursor or None))

    async def delete_episode(self, id: a.EpisodeId) -> DeletedEpisodeResult:  # noqa: A002 - the name on the wire
        """Delete one episode for good, with the facts that were drawn from it and that nothing else states."""
        return DeletedEpisodeResult(id=id, deleted=True, facts=await self._engine.delete_episode(id))

    async def search_facts(  # noqa: PLR0913, PLR0917 - arguments of a tool, each with a meaning of its own
        self,
        query: a.Query,
        scope: a.Scope,
        k: a.Number = 10,
        as_of: a.AsOf = None,
        known_at: a.KnownAt = None,
        include_ended: a.Ended = False,
    ) -> SearchResult:
        """As search_memory, for facts only, without the passages of episodes. as_of asks for an earlier moment."""
        filters = a.filters("", (), "", 1, since=None, until=None, as_of=as_of, known_at=known_at, ended=include_ended)
        hits = await self._engine.search(query, scope, k, filters=filters, kinds=frozenset({Kind.FACT}))
        return SearchResult(results=[HitResult.of_hit(hit) for hit in hits])

    async def search_nodes(self, query: a.Query, scope: a.Scope, k: a.Number = 10) -> NodesResult:
        """Find people, projects, places and things by name, those with the most facts first."""
        found = await self._engine.entities(query, scope, k)
        return NodesResult(nodes=[EntityResult.of(entity, where, count) for where, entity, count in found])

    async def get_entity_edge(self, id: a.Id) -> EdgeResult:  # noqa: A002 - the name on the wire
        """Show one fact with all the entities that it is tied to."""
        memory = await self._engine.get(id)
        entities = await self._engine.entities_of(memory.id)
        return EdgeResult(fact=MemoryResult.of(memory), entities=[EntityResult.of(entity) for entity in entities])

    async def delete_entity_edge(self, id: a.Id, entity: a.Entity) -> DeletedResult:  # noqa: A002 - as above
        """Untie a fact from an entity that it is not about. The fact stays; an entity without facts goes."""
        await self._engine.cut(id, entity)
        return DeletedResult(id=id, deleted=True)

    async def fact_history(self, id: a.Id) -> HistoryResult:  # noqa: A002 - the name on the wire
        """Show what a fact replaced and what replaced it, oldest first, with dates and reasons."""
        return HistoryResult(versions=[VersionResult.of_version(each) for each in await self._engine.history(id)])

    async def related(
        self,
        entity: a.Entity,
        scope: a.Scope,
        hops: Annotated[int, Field(description="How many facts away, 1 to 3.")] = 2,
        limit: a.Number = 20,
    ) -> RelatedResult:
        """Show what an entity is related to, each with the path of facts that leads there, the nearest first."""
        paths = await self._engine.related(entity, scope, hops, limit)
        return RelatedResult(related=[PathResult.of(path) for path in paths])

    async def list_failed(self) -> FailuresResult:
        """List the texts from which no facts could be drawn, with the reason."""
        return FailuresResult(failed=[FailedResult.of(*each) for each in await self._engine.dead()])

    async def retry_failed(
        self, ids: Annotated[tuple[str, ...], Field(description="Ids from list_failed; none for all.")] = ()
    ) -> RetriedResult:
        """Try once more to draw facts from texts that failed."""
        return RetriedResult(retried=await self._engine.replay(ids))

    async def clear_graph(self, scope: a.Scope) -> ClearedResult:
        """Remove one scope with everything in it, also the marks that keep deleted facts from coming back.

        Only for what the user asked for in so many words.
        """
        return ClearedResult(scope=scope, deleted=await self._engine.clear(scope))
