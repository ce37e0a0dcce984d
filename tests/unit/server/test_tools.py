"""What a model gets to read: the names, the sizes, and that nothing is left unexplained."""

import pytest
from mcp_types import Tool

import memstack
import memstack_server
from memstack_server.domain.embedding import EmbedderId
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.memory import MemoryEngine
from memstack_server.interfaces.metrics import Metrics
from memstack_server.interfaces.server import MemoryServer
from memstack_server.interfaces.tools import INSTRUCTIONS, Tools
from memstack_server.stores.falkordb import FalkorStore

CUT = 2048  # clients show no more of a description, or of a server's instructions

ARGUMENTS = {
    "store_memory": (
        {"content", "scope"},
        {"category", "tags", "importance", "source", "repo", "workspace", "worktree_path", "base_dir", "session"},
    ),
    "search_memory": ({"query", "scope"}, {"k"}),
    "get_memory": ({"id"}, set[str]()),
    "delete_memory": ({"id"}, set[str]()),
    "list_memories": ({"scope"}, {"limit", "cursor"}),
    "get_status": (set[str](), set[str]()),
}


@pytest.fixture
async def tools() -> list[Tool]:
    store = FalkorStore("redis://127.0.0.1:1", None)
    engine = MemoryEngine(store, Embedders(store, EmbedderId("none", 1), None))
    metrics = Metrics()
    server = MemoryServer(metrics, INSTRUCTIONS, "0")
    Tools(engine, metrics).register(server)
    return await server.list_tools()


async def test_the_tools_and_their_arguments(tools: list[Tool]):
    seen = {
        tool.name: (set(tool.input_schema.get("required", ())), set(tool.input_schema["properties"])) for tool in tools
    }
    assert seen == {name: (required, required | optional) for name, (required, optional) in ARGUMENTS.items()}


async def test_descriptions_and_instructions_are_shown_whole(tools: list[Tool]):
    assert 0 < len(INSTRUCTIONS.encode()) < CUT
    assert all(0 < len((tool.description or "").encode()) < CUT for tool in tools)


async def test_every_argument_is_explained(tools: list[Tool]):
    silent = [
        (tool.name, name)
        for tool in tools
        for name, schema in tool.input_schema["properties"].items()
        if not schema.get("description")
    ]
    assert silent == []


async def test_every_tool_says_what_it_does_to_the_world(tools: list[Tool]):
    hints = {tool.name: tool.annotations for tool in tools}
    assert all(hint is not None and hint.open_world_hint is False for hint in hints.values())
    assert {name for name, hint in hints.items() if hint and not hint.read_only_hint} == {
        "store_memory",
        "delete_memory",
    }
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == {"delete_memory"}


async def test_every_answer_has_a_schema(tools: list[Tool]):
    assert all(tool.output_schema and tool.title for tool in tools)


def test_the_server_tells_the_version_of_the_distribution():
    assert memstack_server.__version__ == memstack.__version__
