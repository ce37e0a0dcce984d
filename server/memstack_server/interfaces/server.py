"""The MCP server of the SDK, with our words for every error."""

import logging
import secrets
import traceback
from collections.abc import Iterable
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from memstack_server.domain.errors import InvalidInput, MemoryStackError
from memstack_server.domain.scope import HOW_TO_NAME_A_SCOPE
from memstack_server.interfaces.metrics import Metrics

log = logging.getLogger(__name__)


class MemoryServer(MCPServer[None]):
    """Counts each call, and says what went wrong in words that tell a model what to do next."""

    def __init__(self, metrics: Metrics, instructions: str, version: str) -> None:
        super().__init__(
            "memory-stack",
            title="Memory Stack",
            instructions=instructions,
            version=version,
            # The tools never change while the server runs, so there is nothing to subscribe to; and a stream that
            # stays open would hold up the end of the server.
            subscriptions=False,
        )
        self._metrics = metrics

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await self._counted(name, arguments, context)
        except MemoryStackError as error:
            raise ToolError(f"{name}: {error}") from None

    async def _counted(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None
    ) -> CallToolResult | InputRequiredResult:
        known = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        with self._metrics.call(name if name in known else "unknown"):
            if name not in known:
                raise InvalidInput(f"there is no such tool. There are {_listed(known)}.")
            # An argument that is silently dropped is a memory in the wrong place.
            if strange := arguments.keys() - known[name].keys():
                raise InvalidInput(f"{_listed(strange)} is no argument of it. It takes {_listed(known[name])}.")
            # Null and nothing are the same to a model.
            given = {argument: value for argument, value in arguments.items() if value is not None}
            return await self._attempted(name, given, context)

    async def _attempted(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None
    ) -> CallToolResult | InputRequiredResult:
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            raise _ours(name, error.__cause__ or error) from error
        except ToolError as error:
            raise InvalidInput(_words(error.__cause__)) from error


def _ours(tool: str, error: BaseException) -> MemoryStackError:
    """Our own error as it is; a stranger stays in the log, and the caller learns under which number."""
    if isinstance(error, MemoryStackError):
        return error
    number = secrets.token_hex(4)
    # Where it happened and of what kind, but not its text: that may quote a memory.
    where = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s failed, number %s: %s\n%s", tool, number, type(error).__qualname__, where)
    return MemoryStackError(
        f"something went wrong inside the server (number {number} in its log). Try again once; if it fails again, tell "
        "the user this number."
    )


def _words(error: BaseException | None) -> str:
    if not isinstance(error, ValidationError):
        return "the arguments were not understood. Pass them as the tool's schema says."
    return " ".join(_problem(".".join(map(str, found["loc"])), found["type"], found["msg"]) for found in error.errors())


def _problem(argument: str, kind: str, message: str) -> str:
    if argument == "scope":
        return f"scope is {'missing' if kind == 'missing' else 'not a text'}. {HOW_TO_NAME_A_SCOPE}"
    return f"{argument} is missing. Pass it." if kind == "missing" else f"{argument}: {message}."


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "no arguments"
