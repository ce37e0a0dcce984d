"""What was acknowledged is there, once, whatever dies."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from testbed.agent import ToolError
from tests.integration.parts import Server, Store, eventually

Launch = Callable[..., Server]


async def test_twenty_identical_writes_at_once_are_one_memory(server: Server, store: Store, scope: str):
    async with server.connect() as agent:
        answers = await asyncio.gather(*(agent.store("Said by twenty.", scope) for _ in range(20)))
        assert await agent.contents(scope) == ["Said by twenty."]
    (identity,) = {answer["id"] for answer in answers}
    assert sorted(answer["created"] for answer in answers) == [False] * 19 + [True]
    assert store.rows(f"mem:{identity[:10]}", "MATCH (n) RETURN labels(n)[0], count(n) ORDER BY labels(n)[0]") == [
        ["Entry", 1],
        ["Fact", 1],
    ]


async def test_a_store_killed_after_an_acknowledged_write_comes_back_with_it(
    own_store: Store, launch: Launch, scope: str
):
    server = launch().start()
    async with server.connect() as agent:
        for number in range(5):
            await agent.store(f"Acknowledged {number}.", scope)
            own_store.kill()
            own_store.start()
            assert (await agent.search(f"Acknowledged {number}.", scope))[0]["content"] == f"Acknowledged {number}."
        assert len(await agent.contents(scope)) == 5
    assert server.process.poll() is None


async def test_a_server_killed_between_writes_loses_nothing(launch: Launch, scope: str):
    first = launch().start()
    async with first.connect() as agent:
        stored = await agent.store("Before the end.", scope)
    first.kill()
    async with launch().start().connect() as agent:
        assert not (await agent.store("Before the end.", scope))["created"]
        await agent.store("After the end.", scope)
        assert await agent.contents(scope) == ["After the end.", "Before the end."]
        assert (await agent.search("Before the end.", scope))[0]["id"] == stored["id"]


async def test_a_store_that_is_down_is_told_at_once_and_found_again_when_it_is_back(
    own_store: Store, launch: Launch, scope: str
):
    server = launch().start()
    async with server.connect() as agent:
        stored = await agent.store("Stored in good times.", scope)
        own_store.kill()
        for tool, arguments in (
            ("store_memory", {"content": "Lost?", "scope": scope}),
            ("search_memory", {"query": "times", "scope": scope}),
            ("get_memory", {"id": stored["id"]}),
            ("delete_memory", {"id": stored["id"]}),
            ("list_memories", {"scope": scope}),
        ):
            with pytest.raises(ToolError, match=r"the store cannot be reached. Try again"):
                await agent.call(tool, **arguments)
        assert "cannot be reached" in (await agent.call("get_status"))["store"]
        assert (server.status("/livez"), server.status("/readyz")) == (200, 503)
        own_store.start()
        assert await agent.contents(scope) == ["Stored in good times."]
        assert (await agent.call("get_status"))["store"] == "ready"
    assert server.status("/readyz") == 200


async def test_a_full_store_refuses_writes_and_goes_on_answering(own_store: Store, launch: Launch, scope: str):
    async with launch().start().connect() as agent:
        await agent.store("There was room.", scope)
        own_store.redis.config_set("maxmemory-policy", "noeviction")
        own_store.redis.config_set("maxmemory", "1mb")
        with pytest.raises(ToolError, match=r"no memory left.*Delete memories or give it more"):
            await agent.store("There was none.", scope)
        assert await agent.contents(scope) == ["There was room."]


async def test_a_store_that_hangs_makes_the_server_unready_but_not_dead(own_store: Store, launch: Launch):
    server = launch().start()
    own_store.process.send_signal(signal.SIGSTOP)
    assert (server.status("/livez"), server.status("/readyz")) == (200, 503)
    own_store.process.send_signal(signal.SIGCONT)
    eventually(lambda: server.status("/readyz") == 200, "ready once the store goes on")
