"""The official MCP client, as an agent would use it: an endpoint, a token, tools."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from mcp.client.client import Client, ConnectMode
from mcp.client.streamable_http import streamable_http_client


class ToolError(Exception):
    """The tool refused; the text is what a model would read."""


class Agent:
    """A session with a memory server."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        """Call a tool and return its structured result.

        Raises:
            ToolError: the tool answered with an error.
        """
        result = await self.client.call_tool(tool, arguments)
        if result.is_error:
            raise ToolError("\n".join(getattr(block, "text", "") for block in result.content))
        return cast("dict[str, Any]", result.structured_content)


@asynccontextmanager
async def connected(endpoint: str, headers: dict[str, str], mode: ConnectMode = "auto") -> AsyncGenerator[Agent]:
    """A session at `http://HOST:PORT/mcp` that sends these headers, the bearer token among them.

    The mode chooses the protocol: "legacy" is 2025-11-25 and its handshake, "auto" the newest that the server speaks.
    """
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(endpoint, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)
