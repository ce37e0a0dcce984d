"""A stand-in for Anthropic's Messages API, on loopback: the one part of a Claude Code session that cannot run here.

It plays a script. Each turn of the conversation takes the next step, which says what the "model" does: call a tool, or
answer with text and end. Every request is kept, so a test reads what a model would have read. What it does not know, it
refuses: an unknown path is a 404, and a turn past the end of the script is an error that fails the session.
"""

import itertools
import json
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

Json = dict[str, Any]


def say(text: str) -> Json:
    """A step that answers and ends the turn."""
    return {"type": "text", "text": text}


def call(tool: str, **arguments: object) -> Json:
    """A step that calls a tool, by the name that Claude Code gives it (`mcp__SERVER__TOOL`)."""
    return {"type": "tool_use", "name": tool, "input": arguments}


@dataclass
class Script:
    """What the model will do, and what it was sent."""

    steps: list[Json] = field(default_factory=list[Json])
    requests: list[Json] = field(default_factory=list[Json])
    url: str = ""
    _ids: Iterator[int] = field(default_factory=itertools.count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, *steps: Json) -> None:
        """Replace what is left of the script, and forget the requests so far."""
        with self._lock:
            self.steps, self.requests = list(steps), []

    def answer(self, body: Json) -> Json:
        with self._lock:
            # A request without tools is the CLI's own (a title, a summary): no turn of the conversation.
            step = self._next(body) if body.get("tools") else say("ok")
            return self._message(body, step)

    def _next(self, body: Json) -> Json:
        self.requests.append(body)
        if not self.steps:
            raise IndexError("the script has ended, and the session goes on")
        return self.steps.pop(0)

    def _message(self, body: Json, step: Json) -> Json:
        number = next(self._ids)
        block = step | {"id": f"toolu_{number}"} if step["type"] == "tool_use" else step
        return {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [block],
            "stop_reason": "tool_use" if step["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


class _Server(ThreadingHTTPServer):
    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = urlsplit(self.path).path
        if path == "/v1/messages/count_tokens":
            self._send({"input_tokens": 1})
        elif path == "/v1/messages":
            self._turn(body)
        else:
            self._refuse(404, f"no such path: {path}")

    def do_GET(self) -> None:
        self._refuse(404, f"no such path: {self.path}")

    def do_HEAD(self) -> None:
        self._send_bytes("application/json", b"")

    def _turn(self, body: Json) -> None:
        try:
            message = cast("_Server", self.server).script.answer(body)
        except IndexError as error:
            self._refuse(400, str(error))
            return
        if body.get("stream"):
            self._send_bytes("text/event-stream", b"".join(_events(message)))
        else:
            self._send(message)

    def _refuse(self, status: int, message: str) -> None:
        self._send({"type": "error", "error": {"type": "invalid_request_error", "message": message}}, status)

    def _send(self, body: Json, status: int = 200) -> None:
        self._send_bytes("application/json", json.dumps(body).encode(), status)

    def _send_bytes(self, kind: str, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class calls it so
        """Say nothing: what was asked is in the script's requests."""


@contextmanager
def messages_api() -> Generator[Script]:
    """Serve a script on a free port of loopback for as long as the block lasts."""
    script = Script()
    with _Server(script) as server:
        script.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()


def _events(message: Json) -> Iterator[bytes]:
    """The message as the API streams it: one block, its content in one delta."""
    block = cast("Json", message["content"][0])
    yield _event("message_start", message=message | {"content": [], "stop_reason": None})
    if block["type"] == "text":
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": block["text"]})
    else:
        yield _event("content_block_start", index=0, content_block=block | {"input": {}})
        yield _event(
            "content_block_delta",
            index=0,
            delta={"type": "input_json_delta", "partial_json": json.dumps(block["input"])},
        )
    yield _event("content_block_stop", index=0)
    yield _event(
        "message_delta",
        delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
        usage={"output_tokens": 1},
    )
    yield _event("message_stop")


def _event(kind: str, **data: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind} | data)}\n\n".encode()
