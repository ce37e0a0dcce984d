"""The server's four routes, behind one guard: /mcp, /livez, /readyz, /metrics."""

import asyncio

from mcp.server.transport_security import TransportSecuritySettings
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp

from memstack_server import __version__
from memstack_server.domain import limits
from memstack_server.domain.errors import MemoryStackError
from memstack_server.engines.graph import GraphEngine
from memstack_server.interfaces.guard import Guard
from memstack_server.interfaces.metrics import Metrics
from memstack_server.interfaces.server import MemoryServer
from memstack_server.interfaces.tools.graph import GraphTools
from memstack_server.interfaces.tools.memories import INSTRUCTIONS, MemoryTools

_READY_SECONDS = 2


def build(engine: GraphEngine, metrics: Metrics, token: str, allowed_hosts: tuple[str, ...]) -> ASGIApp:
    server = MemoryServer(metrics, INSTRUCTIONS, __version__)
    MemoryTools(engine, metrics).register(server)
    GraphTools(engine).register(server)
    _add_routes(server, engine, metrics)
    app = server.streamable_http_app(
        # Every request stands alone: a client need not notice that the server was restarted or is one of several.
        stateless_http=True,
        json_response=True,
        max_request_body_size=limits.REQUEST_BYTES,
        # The guard has checked Host and Origin already, by a list that knows the server's names.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(app, token, allowed_hosts)


def _add_routes(server: MemoryServer, engine: GraphEngine, metrics: Metrics) -> None:
    @server.custom_route("/livez", ["GET"])
    async def livez(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    @server.custom_route("/readyz", ["GET"])
    async def readyz(_: Request) -> Response:
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await engine.ready()
        except (MemoryStackError, TimeoutError) as error:
            return PlainTextResponse(f"{error or 'the store does not answer'}\n", 503)
        return PlainTextResponse("ok\n")

    @server.custom_route("/metrics", ["GET"])
    async def metrics_(_: Request) -> Response:
        return Response(metrics.render(), media_type=CONTENT_TYPE_LATEST)
