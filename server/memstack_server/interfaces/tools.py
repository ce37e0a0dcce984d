"""The tools, as a model sees them: names, arguments, descriptions."""

from inspect import getdoc
from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from memstack_server.domain import limits
from memstack_server.domain.memory import Provenance, Source
from memstack_server.engines.memory import MemoryEngine
from memstack_server.interfaces.metrics import Metrics
from memstack_server.interfaces.results import (
    DeletedResult,
    HitResult,
    ListResult,
    MemoryResult,
    SearchResult,
    StatusResult,
    StoredResult,
)
from memstack_server.interfaces.server import MemoryServer

INSTRUCTIONS = """\
A memory that outlives this session. What you store here, you and other agents find again later.

- Search before you ask the user something that they may have told you before, and when you begin a task.
- Store what will matter in a later session: decisions and their reasons, preferences, facts about people and \
projects, fixes that took long to find. One fact a memory, in a full sentence that is understood without this \
conversation. Never secrets, never what the code already says.
- Every memory has a scope: 'project:<identity of the repository>' (such as 'project:github.com/owner/name', from \
`git remote get-url origin`) for what concerns one project, 'global' for what holds everywhere. Searching a scope \
searches 'global' too.
- When a memory proves wrong, delete it by its id and store the right one.
"""

_READ = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_WRITE = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DELETE = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)

Scope = Annotated[
    str, Field(description="'project:<identity of the repository>', 'global', or a free lower-case name.")
]
Id = Annotated[str, Field(description="The id of a memory, from a search, a list or a store.")]
Number = Annotated[int, Field(description=f"How many to return, 1 to {limits.RESULTS}.")]


class Tools:
    """One method a tool; its docstring is the description that the model reads."""

    def __init__(self, engine: MemoryEngine, metrics: Metrics) -> None:
        self._engine = engine
        self._metrics = metrics

    def register(self, server: MemoryServer) -> None:
        for tool, title, annotations in (
            (self.store_memory, "Store a memory", _WRITE),
            (self.search_memory, "Search memories", _READ),
            (self.get_memory, "Get a memory", _READ),
            (self.delete_memory, "Delete a memory", _DELETE),
            (self.list_memories, "List memories", _READ),
            (self.get_status, "Status of the memory", _READ),
        ):
            # getdoc, for before Python 3.13 a docstring keeps the indentation of its source.
            server.add_tool(tool, title=title, annotations=annotations, description=getdoc(tool))

    async def store_memory(  # noqa: PLR0913, PLR0917 - arguments of a tool, each with a meaning of its own
        self,
        content: Annotated[
            str, Field(description=f"One fact in a full sentence, at most {limits.CONTENT_CHARACTERS:,} characters.")
        ],
        scope: Scope,
        category: Annotated[str, Field(description="Such as decision, preference, fact, fix.")] = "",
        tags: Annotated[tuple[str, ...], Field(description=f"Up to {limits.TAGS} words to group by.")] = (),
        importance: Annotated[
            int, Field(description="1 passing, 2 context, 3 useful, 4 job or identity, 5 critical.")
        ] = 3,
        source: Annotated[
            Source, Field(description="user-said only for what the user stated.")
        ] = Source.AGENT_INFERRED,
        repo: Annotated[str, Field(description="Remote URL of the repository.")] = "",
        workspace: Annotated[str, Field(description="Name of the workspace.")] = "",
        worktree_path: Annotated[str, Field(description="Path of the work tree.")] = "",
        base_dir: Annotated[str, Field(description="Directory that the session runs in.")] = "",
        session: Annotated[str, Field(description="Id of the session.")] = "",
    ) -> StoredResult:
        """Store one fact for later sessions. It can be searched for as soon as this returns.

        Storing the same text in the same scope again is harmless: it stays one memory, and its id comes back with
        created=false. To change a memory, delete it and store the new text. Do not store secrets.
        """
        provenance = Provenance(source, *(each or None for each in (repo, workspace, worktree_path, base_dir, session)))
        memory, created = await self._engine.store(
            content,
            scope,
            category=category or None,
            tags=tags,
            importance=importance,
            provenance=provenance,
        )
        if created:
            self._metrics.memory_stored()
        return StoredResult.of_new(memory, created=created)

    async def search_memory(
        self,
        query: Annotated[str, Field(description="What you want to know, in plain words; a question works well.")],
        scope: Scope,
        k: Number = 10,
    ) -> SearchResult:
        """Find the memories whose meaning is nearest to a query, in one scope and in 'global', best first.

        Each result names its scope and carries its similarity; low values (below about 0.3) are seldom what you look
        for. No results means that nothing is stored there yet.
        """
        hits = await self._engine.search(query, scope, k)
        return SearchResult(results=[HitResult.of_hit(hit) for hit in hits])

    async def get_memory(self, id: Id) -> MemoryResult:  # noqa: A002 - the name on the wire
        """Fetch one memory by its id, with all that is known about where it came from."""
        return MemoryResult.of(await self._engine.get(id))

    async def delete_memory(self, id: Id) -> DeletedResult:  # noqa: A002 - the name on the wire
        """Delete one memory for good, by its id. Nothing of it is kept; this cannot be undone."""
        await self._engine.delete(id)
        return DeletedResult(id=id, deleted=True)

    async def list_memories(
        self,
        scope: Scope,
        limit: Number = 20,
        cursor: Annotated[str, Field(description="next_cursor of the page before.")] = "",
    ) -> ListResult:
        """List the memories of one scope, newest first, in pages. Use search_memory to find something in particular."""
        return ListResult.of(await self._engine.page(scope, limit, cursor or None))

    async def get_status(self) -> StatusResult:
        """Tell whether the memory works, which embedding model it uses and why, and what scopes there are."""
        return StatusResult.of(await self._engine.status())
