"""What the stand-ins have in common: each keeps what it is asked, and is served at HOST PORT of its command line."""

import json
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

CONTROL = "/_test/"  # under it a test controls the stand-in


class Recording:
    """What reached a stand-in, oldest first; `GET` and `DELETE /_test/requests` read and clear it."""

    def __init__(self) -> None:
        self._requests: list[dict[str, Any]] = []
        self.route = Route(f"{CONTROL}requests", self._control, methods=["GET", "DELETE"])

    async def middleware(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        path = request.url.path
        if not path.startswith(CONTROL):
            self._requests.append({"method": request.method, "path": path, "body": _readable(await request.body())})
        return await call_next(request)

    async def _control(self, request: Request) -> Response:
        if request.method == "DELETE":
            self._requests.clear()
        return JSONResponse(self._requests)


def _readable(body: bytes) -> object:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")


def serve(app: Starlette) -> None:
    host, port = sys.argv[1:]
    uvicorn.run(app, host=host, port=int(port), log_level="warning")
