"""The way to a language model, on a server that answers as a test wants it to."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memstack_server.models.chat import Answer, ChatFailed, ChatUnavailable, Fault, GatewayChat, Question

SECRET = "Peter's daughter is called Ada."
MODEL = "ollama/qwen2.5:14b"
SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
ASKED = Question("Draw facts.", SECRET, "facts", SCHEMA, answer_tokens=1_000)


@dataclass
class Served:
    """Answers every request in the same way, and keeps them."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    key: str | None = None
    silent: threading.Event = field(default_factory=threading.Event)
    url: str = ""


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served(body=completion("{}"))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            served.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            served.key = self.headers["Authorization"]
            if served.silent.is_set():
                self.rfile.read()
                return
            self.send_response(served.status)
            for name, value in {"Content-Length": str(len(served.body)), **served.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(served.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,))
    thread.start()
    served.url = f"http://127.0.0.1:{http.server_port}"
    yield served
    http.shutdown()
    thread.join()
    http.server_close()


def completion(content: str | None, finish_reason: str = "stop", prompt_tokens: int | None = 20) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    usage = {} if prompt_tokens is None else {"usage": {"prompt_tokens": prompt_tokens, "completion_tokens": 5}}
    return json.dumps({"object": "chat.completion", "choices": [choice], **usage}).encode()


async def ask(served: Served, question: Question = ASKED, seconds: float = 30) -> Answer:
    chat = GatewayChat(f"{served.url}/", "a-key", MODEL, seconds)
    try:
        return await chat.ask(question)
    finally:
        await chat.aclose()


async def fault_of(served: Served, seconds: float = 30) -> ChatFailed:
    with pytest.raises(ChatFailed) as caught:
        await ask(served, seconds=seconds)
    assert SECRET not in str(caught.value)
    assert str(caught.value).startswith(f"{caught.value.fault}: ")
    return caught.value


async def test_a_question_carries_all_that_a_small_model_needs(served: Served):
    assert await ask(served) == Answer("{}")
    (body,) = served.asked
    assert body == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Draw facts."}, {"role": "user", "content": SECRET}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "facts", "strict": True, "schema": SCHEMA}},
        "temperature": 0,
        "seed": 0,
        "max_tokens": 1_000,
        "num_ctx": 8_192,
        "reasoning_effort": "none",
    }
    assert served.key == "Bearer a-key"


async def test_a_later_attempt_is_not_the_same_question_again(served: Served):
    for attempt in range(4):
        await ask(served, Question("", "x", "facts", SCHEMA, 1, attempt))
    assert [(body["temperature"], body["seed"]) for body in served.asked] == [(0, 0), (0.3, 1), (0.6, 2), (0.6, 3)]


async def test_the_window_grows_with_the_question_and_never_shrinks(served: Served):
    served.body = completion("{}", prompt_tokens=None)
    chat = GatewayChat(served.url, None, MODEL)
    for length in (30, 30_000, 30, 900_000):
        await chat.ask(Question("", "x" * length, "facts", SCHEMA, 1_000))
    await chat.alive()
    await chat.aclose()
    assert [body["num_ctx"] for body in served.asked] == [8_192, 16_384, 16_384, 32_768, 32_768]


async def test_an_answer_that_ends_by_length_says_so(served: Served):
    served.body = completion('{"facts": [', finish_reason="length")
    assert await ask(served) == Answer('{"facts": [', cut=True)


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (400, Fault.REFUSED),
        (401, Fault.REFUSED),
        (403, Fault.REFUSED),
        (404, Fault.REFUSED),
        (408, Fault.TIMEOUT),
        (429, Fault.BUSY),
        (500, Fault.FAILED),
        (502, Fault.FAILED),
        (503, Fault.BUSY),
        (504, Fault.TIMEOUT),
    ],
)
async def test_a_status_tells_what_is_the_matter(served: Served, status: int, fault: Fault):
    served.status, served.body = status, f'{{"error": "{SECRET}"}}'.encode()
    error = await fault_of(served)
    assert isinstance(error, ChatUnavailable)
    assert (error.fault, error.retry_after) == (fault, None)
    assert f"status {status}" in str(error)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7.0), ("0", 0.0), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)],
)
async def test_a_busy_gateway_may_say_how_long_to_wait(served: Served, header: str, seconds: float | None):
    served.status, served.headers = 429, {"Retry-After": header}
    error = await fault_of(served)
    assert isinstance(error, ChatUnavailable)
    assert error.retry_after == seconds


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", Fault.UNREADABLE),
        (b"<html>", Fault.UNREADABLE),
        (completion("{}")[:40], Fault.UNREADABLE),
        (b'{"choices": []}', Fault.UNREADABLE),
        (json.dumps({"choices": SECRET}).encode(), Fault.UNREADABLE),
        (completion(""), Fault.EMPTY),
        (completion(" \n"), Fault.EMPTY),
        (completion(None), Fault.EMPTY),
        (completion("{}", prompt_tokens=8_192), Fault.PROMPT_CUT),
        (completion("{}", prompt_tokens=2), Fault.PROMPT_CUT),
    ],
)
async def test_an_answer_that_is_none_is_told_apart(served: Served, body: bytes, fault: Fault):
    served.body = body
    error = await fault_of(served)
    assert error.fault is fault
    assert error.__cause__ is None


async def test_a_gateway_that_does_not_count_tokens_is_believed(served: Served):
    served.body = completion("{}", prompt_tokens=None)
    assert await ask(served) == Answer("{}")


async def test_a_gateway_that_does_not_answer_is_not_waited_for(served: Served):
    served.silent.set()
    error = await fault_of(served, seconds=0.2)
    assert error.fault is Fault.TIMEOUT


async def test_a_gateway_that_is_down_is_named():
    error = await fault_of(Served(url="http://127.0.0.1:1"))
    assert error.fault is Fault.UNREACHABLE
    assert f"{MODEL} at the model gateway http://127.0.0.1:1 gave no answer (ConnectError)" in str(error)


async def test_no_proxy_ever_sees_a_question(served: Served, monkeypatch: pytest.MonkeyPatch):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    assert await ask(served) == Answer("{}")


@pytest.mark.parametrize(("status", "alive"), [(200, True), (429, False), (500, False), (401, False)])
async def test_a_model_is_alive_if_it_answers_anything(served: Served, status: int, alive: bool):
    served.status, served.body = status, completion("")
    chat = GatewayChat(served.url, None, MODEL)
    assert await chat.alive() is alive
    await chat.aclose()
    assert served.asked[0]["max_tokens"] == 1
