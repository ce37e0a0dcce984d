"""The tools, as a model sees them: names, arguments, descriptions. A method's docstring is what the model reads."""

from inspect import getdoc

from mcp_types import ToolAnnotations

from memstack_server.interfaces.server import MemoryServer

READ = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
WRITE = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
DELETE = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False)


def register(server: MemoryServer, *tools: tuple[object, str, ToolAnnotations]) -> None:
    """Adds tools, each with its title and what it does to the memory."""
    for tool, title, annotations in tools:
        # getdoc, for before Python 3.13 a docstring keeps the indentation of its source.
        server.add_tool(tool, title=title, annotations=annotations, description=getdoc(tool))  # pyright: ignore[reportArgumentType]
