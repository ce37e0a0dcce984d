"""A decoy cloud: it answers as a cloud would, so that a leak succeeds and is seen rather than failing by luck.

python -m testbed.gateway.cloud HOST PORT
"""

from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.gateway.serving import Recording, serve

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
_CREATED = 1767225600
_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def app() -> Starlette:
    recording = Recording()
    return Starlette(
        routes=[recording.route, Route("/{path:path}", _anything, methods=_METHODS)],
        middleware=[Middleware(BaseHTTPMiddleware, dispatch=recording.middleware)],
    )


async def _anything(request: Request) -> Response:
    return JSONResponse(_answer(request.url.path))


def _answer(path: str) -> dict[str, Any]:
    if path.endswith("/models"):
        card = {"id": "gpt-4o", "object": "model", "created": _CREATED, "owned_by": "decoy"}
        return {"object": "list", "data": [card]}
    if path.endswith("/embeddings"):
        data = [{"object": "embedding", "index": 0, "embedding": [0.0, 1.0]}]
        return {"object": "list", "data": data, "model": "decoy", "usage": _USAGE}
    message = {"role": "assistant", "content": "LEAKED TO THE CLOUD"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chatcmpl-leak", "object": "chat.completion", "created": _CREATED, "model": "decoy"}
    return head | {"choices": [choice], "usage": _USAGE}


if __name__ == "__main__":
    serve(app())
