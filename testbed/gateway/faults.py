"""How a model's server fails: the fault that a test has armed, played in place of an answer."""

import asyncio
from typing import Literal

from pydantic import BaseModel, ConfigDict
from starlette.middleware.base import RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.gateway.serving import CONTROL


class Fault(BaseModel):
    """What requests under `path` get.

    Attributes:
        kind: delay: the answer, `seconds` late; status: an error with that HTTP status; malformed: half of a JSON;
            empty: `{}`; disconnect: the connection breaks in the middle of the answer.
        path: How the path of a request begins.
        times: How many requests get it; -1: every one until it is disarmed.
    """

    model_config = ConfigDict(extra="forbid")

    kind: Literal["delay", "status", "malformed", "empty", "disconnect"]
    path: str = "/api/"
    times: int = -1
    seconds: float = 0.0
    status: int = 500


class Faults:
    """The armed fault, if any; `PUT` and `DELETE /_test/fault` arm and disarm it."""

    def __init__(self) -> None:
        self._armed: Fault | None = None
        self.route = Route(f"{CONTROL}fault", self._control, methods=["PUT", "DELETE"])

    async def middleware(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        fault = self._next(request.url.path)
        if fault is None:
            return await call_next(request)
        if fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
            return await call_next(request)
        return _failure(fault)

    def _next(self, path: str) -> Fault | None:
        fault = self._armed
        if fault is None or fault.times == 0 or not path.startswith(fault.path):
            return None
        fault.times -= fault.times > 0
        return fault

    async def _control(self, request: Request) -> Response:
        self._armed = Fault.model_validate_json(await request.body()) if request.method == "PUT" else None
        return Response(status_code=204)


def _failure(fault: Fault) -> Response:
    match fault.kind:
        case "status":
            return JSONResponse({"error": "injected fault"}, fault.status)
        case "malformed":
            return Response(b'{"model": "qwen2.5:14b", "mess', media_type="application/json")
        case "empty":
            return JSONResponse({})
        case _:
            # More is promised than comes: the server can only end the connection.
            return Response(b'{"model"', headers={"content-length": "1000"}, media_type="application/json")
