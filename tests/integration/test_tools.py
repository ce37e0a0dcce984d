"""Every tool, over HTTP, with the official client, in both revisions of the protocol."""

import pytest

from testbed.agent import ToolError
from tests.integration.parts import REVISIONS, Server

pytestmark = pytest.mark.parametrize("revision", REVISIONS)


async def test_the_server_introduces_itself(server: Server, revision: str):
    async with server.connect(revision) as agent:
        assert agent.client.protocol_version == revision
        assert agent.client.server_info is not None
        assert agent.client.server_info.name == "memory-stack"
        assert "scope" in (agent.client.instructions or "")
        tools = [tool.name for tool in (await agent.client.list_tools()).tools]
    assert tools[:4] == ["store_memory", "search_memory", "get_memory", "update_memory"]
    assert {"add_episode", "search_facts", "search_nodes", "fact_history", "related", "clear_graph"} <= set(tools)


async def test_a_stored_memory_is_found_at_once(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        stored = await agent.store("Peter likes his tea without milk.", scope)
        await agent.store("The build runs on two cores.", scope)
        best, *_ = await agent.search("How does Peter drink tea?", scope)
    assert stored["created"]
    assert (best["id"], best["content"], best["scope"]) == (stored["id"], "Peter likes his tea without milk.", scope)
    parts = best["score_parts"]
    assert best["score"] == pytest.approx(
        0.5 * parts["similarity"] + 0.2 * parts["recency"] + 0.3 * parts["importance"], abs=1e-3
    )
    assert parts["similarity"] > 0.5


async def test_a_search_reads_the_scope_and_global_and_nothing_else(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        here = await agent.store(f"Deployments go out on Tuesdays in {scope}.", scope)
        everywhere = await agent.store(f"Deployments are announced to the team ({scope}).", "global")
        elsewhere = await agent.store(f"Deployments go out on Fridays ({scope}).", scope + "-other")
        found = {hit["id"]: hit["scope"] for hit in await agent.search("deployments", scope, k=100)}
    assert found[here["id"]] == scope
    assert found[everywhere["id"]] == "global"
    assert elsewhere["id"] not in found


async def test_results_are_ranked_and_no_more_than_asked_for(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        for fact in ("The cat sleeps on the sofa.", "The dog sleeps in the garden.", "Postgres listens on port 5432."):
            await agent.store(fact, scope)
        hits = await agent.search("Which port does the database use?", scope, k=2)
    assert len(hits) == 2
    assert hits[0]["content"] == "Postgres listens on port 5432."
    assert hits[0]["score"] > hits[1]["score"]


async def test_everything_said_about_a_memory_comes_back(server: Server, revision: str, scope: str):
    details = {
        "category": "decision",
        "tags": ["build", "ci"],
        "importance": 4,
        "source": "user-said",
        "repo": "https://github.com/o/n",
        "workspace": "office",
        "worktree_path": "/home/p/n",
        "base_dir": "/home/p/n/src",
        "session": "s-1",
    }
    async with server.connect(revision) as agent:
        stored = await agent.store("CI runs on every push.", scope, **details)
        memory = await agent.call("get_memory", id=stored["id"])
    assert details.items() <= memory.items()
    assert memory == {key: value for key, value in stored.items() if key != "created"}


async def test_the_same_text_is_one_memory_and_keeps_what_was_said_first(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        first = await agent.store("Tabs, not spaces.", scope, importance=5)
        second = await agent.store("  Tabs,  not\nspaces. ", scope, importance=1)
        assert await agent.contents(scope) == ["Tabs, not spaces."]
    assert second == first | {"created": False}


async def test_a_deleted_memory_is_gone_and_can_be_stored_anew(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        stored = await agent.store("The staging server is called heron.", scope)
        assert await agent.call("delete_memory", id=stored["id"]) == {"id": stored["id"], "deleted": True}
        assert await agent.search("staging server", scope) == [
            hit for hit in await agent.search("staging server", scope) if hit["scope"] == "global"
        ]
        with pytest.raises(ToolError, match=r"no memory .* search_memory or list_memories"):
            await agent.call("get_memory", id=stored["id"])
        assert (await agent.store("The staging server is called heron.", scope))["created"]


async def test_a_list_goes_newest_first_through_pages_that_later_writes_do_not_shift(
    server: Server, revision: str, scope: str
):
    async with server.connect(revision) as agent:
        for number in range(7):
            await agent.store(f"Fact number {number}.", scope)
        first = await agent.call("list_memories", scope=scope, limit=3)
        await agent.store("A newcomer.", scope)
        await agent.call("delete_memory", id=first["memories"][2]["id"])
        second = await agent.call("list_memories", scope=scope, limit=3, cursor=first["next_cursor"])
        third = await agent.call("list_memories", scope=scope, limit=3, cursor=second["next_cursor"])
    pages = [[memory["content"] for memory in page["memories"]] for page in (first, second, third)]
    assert pages == [[f"Fact number {n}." for n in numbers] for numbers in ((6, 5, 4), (3, 2, 1), (0,))]
    assert "next_cursor" not in third


async def test_status_tells_the_embedder_and_why_and_what_there_is(server: Server, revision: str, scope: str):
    async with server.connect(revision) as agent:
        await agent.store("One.", scope)
        await agent.store("Two.", scope)
        status = await agent.call("get_status")
    assert status["store"] == "ready"
    assert status["embedder"] == "bundled/all-minilm-l6-v2 (384 dimensions)"
    assert status["embedder_reason"]
    assert status["scopes"] >= 1
    assert status["memories"][scope] == 2
