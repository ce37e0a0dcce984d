"""A stand-in for the model gateway: its wire format for embeddings, and nothing that it does not know.

The real gateway is tested where it runs; this one answers as a test wants it to.
"""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class GatewayStandIn:
    """Serves one model.

    Args:
        key: What it asks for as bearer token.
        model: The one model that it knows.
        dimensions: Length of the vectors that it answers with.

    `body` replaces its answer; clearing `answering` holds answers back until it is set again.
    """

    def __init__(self, key: str, model: str, dimensions: int) -> None:
        self.key = key
        self.model = model
        self.dimensions = dimensions
        self.body: bytes | None = None
        self.asked: list[str] = []
        self.answering = threading.Event()
        self.answering.set()

    @contextmanager
    def serve(self) -> Generator[str]:
        """Its base URL, while it serves."""
        http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()
            http.server_close()

    def answer(self, path: str, authorization: str | None, body: dict[str, Any]) -> tuple[int, bytes]:
        if path != "/v1/embeddings":
            return 404, b'{"error": "no such route"}'
        if authorization != f"Bearer {self.key}":
            return 401, b'{"error": "no such key"}'
        if body.keys() != {"model", "input"} or body["model"] != self.model:
            return 400, b'{"error": "no such model or parameter"}'
        self.asked += body["input"]
        self.answering.wait()
        return 200, self.body or json.dumps(self._embeddings(body["input"])).encode()

    def _embeddings(self, texts: list[str]) -> dict[str, Any]:
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text)} for index, text in enumerate(texts)
        ]
        return {"object": "list", "model": self.model, "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}

    def _vector(self, text: str) -> list[float]:
        """Equal texts have equal vectors, others point elsewhere."""
        numbers = hashlib.shake_256(text.encode()).digest(self.dimensions)
        return [(number - 127.5) / 128 for number in numbers]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, answer = gateway.answer(self.path, self.headers["Authorization"], body)
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
                pass

        return Handler
