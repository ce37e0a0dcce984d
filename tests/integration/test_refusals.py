"""Wrong calls: an error that tells the model what to do next, and a store that did not change."""

import pytest

from testbed.agent import ToolError
from tests.integration.parts import Server, Store

FREE = "refusals"
SAY_A_SCOPE = r"scope='project:.*'global'"

WRONG = [
    ("store_memory", {"content": "x"}, rf"scope is missing.*{SAY_A_SCOPE}"),
    ("store_memory", {"content": "x", "scope": ""}, rf"scope is empty.*{SAY_A_SCOPE}"),
    ("store_memory", {"content": "x", "scope": "Not A Scope"}, rf"is not a scope.*{SAY_A_SCOPE}"),
    ("store_memory", {"content": "x", "scope": "project:"}, SAY_A_SCOPE),
    ("store_memory", {"content": "", "scope": FREE}, "content is empty. Pass"),
    ("store_memory", {"content": " \n\t", "scope": FREE}, "content is empty. Pass"),
    ("store_memory", {"content": "x" * 8001, "scope": FREE}, "8,001 characters; at most 8,000.*Shorten or split"),
    ("store_memory", {"content": "a\x00b", "scope": FREE}, r"U\+0000.*Remove"),
    ("store_memory", {"content": "a\x1bb", "scope": FREE}, r"U\+001B.*Remove"),
    ("store_memory", {"content": "x", "scope": FREE, "importance": 6}, "importance is 6. Pass 1"),
    ("store_memory", {"content": "x", "scope": FREE, "tags": ["t"] * 21}, "at most 20"),
    ("store_memory", {"content": "x", "scope": FREE, "tags": [""]}, "a tag is empty"),
    ("store_memory", {"content": "x", "scope": FREE, "category": "c" * 101}, "category has 101"),
    ("store_memory", {"content": "x", "scope": FREE, "source": "rumour"}, "source: .*'user-said'"),
    ("store_memory", {"content": "x", "scope": FREE, "project": "p"}, "project is no argument of it. It takes"),
    ("search_memory", {"query": "x"}, rf"scope is missing.*{SAY_A_SCOPE}"),
    ("search_memory", {"query": "", "scope": FREE}, "query is empty"),
    ("search_memory", {"query": "x" * 2001, "scope": FREE}, "at most 2,000"),
    ("search_memory", {"query": "x", "scope": FREE, "k": 0}, "k is 0. Pass 1 to 100"),
    ("search_memory", {"query": "x", "scope": FREE, "k": 101}, "k is 101. Pass 1 to 100"),
    ("search_memory", {"query": "x", "scope": FREE, "k": "many"}, "k: .*integer"),
    ("list_memories", {}, rf"scope is missing.*{SAY_A_SCOPE}"),
    ("list_memories", {"scope": FREE, "limit": 101}, "limit is 101"),
    ("list_memories", {"scope": FREE, "cursor": "rubbish"}, "next_cursor of the previous page"),
    ("get_memory", {"id": "0123456789-0123456789abcdef"}, "no memory 0123456789.*search_memory or list_memories"),
    ("get_memory", {"id": "'} DETACH DELETE n //"}, "not a memory id. Pass the `id`"),
    ("get_memory", {}, "id is missing"),
    ("delete_memory", {"id": "0123456789-0123456789abcdef"}, "no memory 0123456789.*search_memory or list_memories"),
    ("delete_memory", {"id": "all"}, "not a memory id"),
    ("forget_everything", {}, "no such tool. There are add_episode"),
]


@pytest.mark.parametrize(("tool", "arguments", "words"), WRONG)
async def test_a_wrong_call_says_what_to_do_and_changes_nothing(
    server: Server, store: Store, tool: str, arguments: dict[str, object], words: str
):
    before = _everything(store)
    async with server.connect() as agent:
        with pytest.raises(ToolError, match=words) as refusal:
            await agent.call(tool, **arguments)
    assert str(refusal.value).startswith(f"{tool}: ")
    assert _everything(store) == before


async def test_the_greatest_allowed_is_allowed(server: Server, scope: str):
    async with server.connect() as agent:
        stored = await agent.store("😀" * 8000, scope, tags=["t" * 100] * 20, importance=5)
        assert (await agent.call("get_memory", id=stored["id"]))["content"] == "😀" * 8000


async def test_what_a_caller_wrote_is_not_in_the_log(server: Server, scope: str):
    secret = "correct-horse-battery-staple"
    async with server.connect() as agent:
        await agent.store(f"The code word is {secret}.", scope)
        await agent.search(secret, scope)
        with pytest.raises(ToolError):
            await agent.store(secret * 1000, scope)
    assert secret not in server.log()


def _everything(store: Store) -> dict[str, object]:
    counts: dict[str, object] = {graph: store.rows(graph, "MATCH (n) RETURN count(n)") for graph in store.graphs()}
    return counts | {"scopes": store.redis.hgetall("mem:scopes")}
