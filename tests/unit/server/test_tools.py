"""What a model gets to read: the names, the sizes, and that nothing is left unexplained."""

import pytest
from mcp_types import Tool

import memstack
import memstack_server
from memstack_server.domain.embedding import EmbedderId
from memstack_server.domain.scoring import Weights
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.graph import GraphEngine
from memstack_server.interfaces.metrics import Metrics
from memstack_server.interfaces.server import MemoryServer
from memstack_server.interfaces.tools.graph import GraphTools
from memstack_server.interfaces.tools.memories import INSTRUCTIONS, MemoryTools
from memstack_server.stores.falkordb.store import FalkorStore

CUT = 2048  # clients show no more of a description, or of a server's instructions

PROVENANCE = {"source", "repo", "workspace", "worktree_path", "base_dir", "session"}
MOMENTS = {"as_of", "known_at", "include_ended"}
ARGUMENTS: dict[str, tuple[set[str], set[str]]] = {
    "store_memory": ({"content", "scope"}, {"category", "tags", "importance", "valid_at"} | PROVENANCE),
    "search_memory": (
        {"query", "scope"},
        {"k", "category", "tags", "repo", "min_importance", "since", "until", "half_life_days"}
        | {"weigh_similarity", "weigh_recency", "weigh_importance"}
        | MOMENTS,
    ),
    "get_memory": ({"id"}, set()),
    "update_memory": ({"id"}, {"content", "category", "tags", "importance"}),
    "delete_memory": ({"id"}, set()),
    "list_memories": ({"scope"}, {"limit", "cursor", "include_ended"}),
    "delete_all": ({"scope"}, set()),
    "get_status": (set(), {"episode"}),
    "add_episode": ({"text", "scope"}, {"said_at"} | PROVENANCE),
    "get_episodes": ({"scope"}, {"limit", "cursor"}),
    "delete_episode": ({"id"}, set()),
    "search_facts": ({"query", "scope"}, {"k"} | MOMENTS),
    "search_nodes": ({"query", "scope"}, {"k"}),
    "get_entity_edge": ({"id"}, set()),
    "delete_entity_edge": ({"id", "entity"}, set()),
    "fact_history": ({"id"}, set()),
    "related": ({"entity", "scope"}, {"hops", "limit"}),
    "list_failed": (set(), set()),
    "retry_failed": (set(), {"ids"}),
    "clear_graph": ({"scope"}, set()),
}


@pytest.fixture
async def tools() -> list[Tool]:
    store = FalkorStore("redis://127.0.0.1:1", None)
    engine = GraphEngine(store, Embedders(store.schema, EmbedderId("none", 1), None), Weights(), "none")
    metrics = Metrics()
    server = MemoryServer(metrics, INSTRUCTIONS, "0")
    MemoryTools(engine, metrics).register(server)
    GraphTools(engine).register(server)
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
    destroying = {"delete_memory", "delete_all", "delete_episode", "delete_entity_edge", "clear_graph"}
    writing = {"store_memory", "update_memory", "add_episode", "retry_failed"} | destroying
    assert {name for name, hint in hints.items() if hint and not hint.read_only_hint} == writing
    assert {name for name, hint in hints.items() if hint and hint.destructive_hint} == destroying


async def test_every_answer_has_a_schema(tools: list[Tool]):
    assert all(tool.output_schema and tool.title for tool in tools)


def test_the_server_tells_the_version_of_the_distribution():
    assert memstack_server.__version__ == memstack.__version__
