"""What reading and deleting leave behind: nothing."""

import pytest

from testbed.agent import ToolError
from tests.integration.parts import Server, Store


async def test_reading_where_nobody_wrote_makes_no_graph(server: Server, store: Store, scope: str):
    before = (store.graphs(), store.redis.hgetall("mem:scopes"))
    async with server.connect() as agent:
        assert [hit for hit in await agent.search("anything", scope) if hit["scope"] == scope] == []
        assert await agent.contents(scope) == []
        for tool in ("get_memory", "delete_memory"):
            with pytest.raises(ToolError):
                await agent.call(tool, id="0123456789-0123456789abcdef")
        await agent.call("get_status")
    assert (store.graphs(), store.redis.hgetall("mem:scopes")) == before


async def test_deleting_takes_the_fact_and_its_vector(server: Server, store: Store, scope: str):
    async with server.connect() as agent:
        kept = await agent.store("Kept.", scope)
        deleted = await agent.store("Deleted.", scope)
        await agent.call("delete_memory", id=deleted["id"])
        with pytest.raises(ToolError, match="no memory"):
            await agent.call("delete_memory", id=deleted["id"])
        assert [hit["id"] for hit in await agent.search("Deleted.", scope) if hit["scope"] == scope] == [kept["id"]]
    graph = f"mem:{kept['id'][:10]}"
    assert store.rows(graph, "MATCH (f:Fact)-[:INDEXED]->(e:Entry) RETURN count(f)") == [[1]]
    # Beside the other fact there is the mark that keeps the deleted one from coming back: no word of it.
    assert store.rows(graph, "MATCH (n) RETURN labels(n)[0] ORDER BY labels(n)[0]") == [
        ["Entry"], ["Fact"], ["Tombstone"]
    ]  # fmt: skip
    assert store.rows(graph, "MATCH (n) WHERE any(k IN keys(n) WHERE n[k] = 'Deleted.') RETURN count(n)") == [[0]]


async def test_a_scope_has_a_graph_of_its_own_with_its_indexes(server: Server, store: Store, scope: str):
    before = store.graphs()
    async with server.connect() as agent:
        stored = await agent.store("The first here.", scope)
    (graph,) = store.graphs() - before
    assert graph == f"mem:{stored['id'][:10]}"
    indexes = store.rows(graph, "CALL db.indexes() YIELD label, properties RETURN label, properties ORDER BY label")
    assert indexes == [
        ["Entity", "[key, terms]"],
        ["Entry", "[terms]"],
        ["Episode", "[key]"],
        ["Fact", "[key, live, slot]"],
        ["Passage", "[key]"],
        ["Session", "[name]"],
    ]
