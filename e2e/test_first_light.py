"""A MemoryStack is applied, an agent remembers, the store dies and comes back, and all of it is taken away again."""

from pathlib import Path

from e2e.cluster import SAMPLE, Cluster
from e2e.sessions import FACT, remember
from testbed.agent import connected
from testbed.claude import ClaudeCode
from testbed.messages_api import messages_api

SCOPE = "project:github.com/example/shop"
PORT_FACT = "The API listens on port 7443"


async def test_from_apply_to_nothing_left(cluster: Cluster, tmp_path: Path):
    cluster.kubectl("apply", "-f", str(SAMPLE))
    cluster.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=180s")
    assert len(cluster.volumes()) == 1
    headers = cluster.headers("mem-b")

    with cluster.forwarded("service/mem-b", 8420) as port:
        endpoint = f"http://127.0.0.1:{port}/mcp"
        async with connected(endpoint, headers) as agent:
            stored = await agent.call("store_memory", content=PORT_FACT, scope=SCOPE)
            found = await agent.call("search_memory", query="which port does the API use", scope=SCOPE)
            assert found["results"][0]["id"] == stored["id"]
        claude_code_remembers(cluster, endpoint, tmp_path)

    cluster.kubectl("delete", "pod", "mem-b-store-0")
    cluster.kubectl("wait", "--for=create", "pod/mem-b-store-0", "--timeout=60s")
    cluster.kubectl("wait", "--for=condition=Ready", "pod/mem-b-store-0", "--timeout=180s")
    cluster.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=180s")

    with cluster.forwarded("service/mem-b", 8420) as port:
        async with connected(f"http://127.0.0.1:{port}/mcp", headers) as agent:
            kept = await agent.call("list_memories", scope=SCOPE)
            assert {memory["content"] for memory in kept["memories"]} == {PORT_FACT, FACT}

    cluster.kubectl("delete", "-f", str(SAMPLE))
    cluster.wait_until_empty()


def claude_code_remembers(cluster: Cluster, endpoint: str, folder: Path) -> None:
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    with messages_api() as model:
        claude = ClaudeCode(home, model.url, cluster.environment())
        claude.run("mcp", "add-json", "--scope", "user", "mem-b", cluster.registration("mem-b", endpoint), cwd=work)
        remember(claude, model, SCOPE, work)
