"""A stand-in for Ollama: its wire format, and no language model.

It writes what a test told it to, else the smallest answer that obeys the schema it was given. It is strict: what the
real one would silently ignore is refused here, so that no misspelt option passes a test.

    python -m testbed.gateway.ollama HOST PORT
    GET, DELETE /_test/requests · PUT /_test/answers · PUT, DELETE /_test/fault
"""

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from testbed.gateway.faults import Faults
from testbed.gateway.schemas import InvalidSchemaError, smallest
from testbed.gateway.serving import CONTROL, Recording, serve
from testbed.gateway.vectors import embedded

_CREATED = "2026-01-01T00:00:00Z"
_CHARACTERS_A_TOKEN = 4
_DETAILS = {"format": "gguf", "family": "stand-in", "parameter_size": "14B", "quantization_level": "Q4_K_M"}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Message(_Strict):
    role: Literal["system", "user", "assistant"]
    content: str
    images: list[str] = []


class _Options(_Strict):
    num_ctx: int = 4_096
    num_predict: int = -1
    temperature: float = 0.8
    seed: int = 0


class _Chat(_Strict):
    model: str
    messages: list[_Message]
    format: dict[str, Any] | None = None
    options: _Options = _Options()
    think: bool = False
    stream: bool = True


class _Embed(_Strict):
    model: str
    input: str | list[str]


class _Show(_Strict):
    model: str


class _Script(_Strict):
    """What the model writes.

    Attributes:
        when: The answer to every question that holds this text; the first that fits.
        once: Answers to the next questions, whatever they are, each for one.
    """

    when: dict[str, str] = {}
    once: list[str] = []


_Body = TypeVar("_Body", bound=BaseModel)


class _RefusedError(Exception):
    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(frozen=True)
class _Model:
    name: str
    capability: Literal["completion", "embedding"]
    dimensions: int = 0

    @property
    def tag(self) -> dict[str, Any]:
        digest = hashlib.sha256(self.name.encode()).hexdigest()
        named = {"name": self.name, "model": self.name, "digest": digest}
        return {**named, "modified_at": _CREATED, "size": 1_000_000, "details": _DETAILS}


_MODELS = {
    model.name: model
    for model in (
        _Model("qwen2.5:14b", "completion"),
        _Model("nomic-embed-text:latest", "embedding", 768),
    )
}


class Ollama:
    """One server: the models it has pulled, and what it was told to write."""

    def __init__(self) -> None:
        self._script = _Script()

    def app(self) -> Starlette:
        recording, faults = Recording(), Faults()
        return Starlette(
            routes=[
                Route("/api/version", self._version),
                Route("/api/tags", self._tags),
                Route("/api/show", self._show, methods=["POST"]),
                Route("/api/chat", self._chat, methods=["POST"]),
                Route("/api/embed", self._embed, methods=["POST"]),
                Route(f"{CONTROL}answers", self._answers, methods=["PUT"]),
                recording.route,
                faults.route,
            ],
            middleware=[Middleware(BaseHTTPMiddleware, dispatch=each.middleware) for each in (recording, faults)],
            exception_handlers={_RefusedError: _refused},
        )

    async def _version(self, _: Request) -> Response:
        return JSONResponse({"version": "0.17.4"})

    async def _tags(self, _: Request) -> Response:
        return JSONResponse({"models": [model.tag for model in _MODELS.values()]})

    async def _show(self, request: Request) -> Response:
        model = _pulled((await _read(request, _Show)).model)
        return JSONResponse({"details": _DETAILS, "capabilities": [model.capability], "model_info": {}})

    async def _chat(self, request: Request) -> Response:
        body = await _read(request, _Chat)
        _check_chat(_pulled(body.model), body)
        text = self._written(body)
        kept = _cut(text, body.options.num_predict)
        return _answer(body, kept, "stop" if kept == text else "length")

    async def _embed(self, request: Request) -> Response:
        body = await _read(request, _Embed)
        model = _pulled(body.model)
        if model.capability != "embedding":
            raise _RefusedError(400, "this model does not support embeddings")
        texts = [body.input] if isinstance(body.input, str) else body.input
        vectors = [embedded(text, model.dimensions) for text in texts]
        return JSONResponse({"model": body.model, "embeddings": vectors, "prompt_eval_count": _tokens(texts)})

    async def _answers(self, request: Request) -> Response:
        self._script = await _read(request, _Script)
        return Response(status_code=204)

    def _written(self, body: _Chat) -> str:
        obeying = _obeying(body.format)
        asked = "\n".join(message.content for message in body.messages)
        if (fitting := next((text for part, text in self._script.when.items() if part in asked), None)) is not None:
            return fitting
        return self._script.once.pop(0) if self._script.once else obeying


async def _read(request: Request, kind: type[_Body]) -> _Body:
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        raise _RefusedError(400, f"the stand-in cannot read this: {error}") from error


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, _RefusedError)
    return JSONResponse({"error": str(error)}, error.status)


def _pulled(name: str) -> _Model:
    model = _MODELS.get(name) or _MODELS.get(f"{name}:latest")
    if model is None:
        raise _RefusedError(404, f"model '{name}' not found")
    return model


def _check_chat(model: _Model, body: _Chat) -> None:
    if model.capability != "completion":
        raise _RefusedError(400, f'"{body.model}" does not support chat')
    if body.think:
        raise _RefusedError(400, f'"{body.model}" does not support thinking')


def _obeying(schema: dict[str, Any] | None) -> str:
    if schema is None:
        return "ok"
    try:
        return json.dumps(smallest(schema))
    except InvalidSchemaError as error:
        raise _RefusedError(500, str(error)) from error


def _answer(body: _Chat, text: str, reason: str) -> Response:
    """In one piece, or as a stream of JSON lines: the text, and the end."""
    head = {"model": body.model, "created_at": _CREATED}
    message = {"role": "assistant", "content": text}
    end = {"done": True, "done_reason": reason, **_counted(body, text)}
    if not body.stream:
        return JSONResponse({**head, "message": message, **end})
    lines = ({**head, "message": message, "done": False}, {**head, "message": message | {"content": ""}, **end})
    return Response("".join(json.dumps(line) + "\n" for line in lines), media_type="application/x-ndjson")


def _cut(text: str, tokens: int) -> str:
    return text if tokens < 0 else text[: tokens * _CHARACTERS_A_TOKEN]


def _counted(body: _Chat, text: str) -> dict[str, int]:
    prompt = _tokens(message.content for message in body.messages)
    # As the real one: what does not fit is dropped without a word, and the count gives it away.
    return {"prompt_eval_count": min(prompt, body.options.num_ctx), "eval_count": _tokens([text])}


def _tokens(texts: Iterable[str]) -> int:
    return sum(math.ceil(len(text) / _CHARACTERS_A_TOKEN) for text in texts)


if __name__ == "__main__":
    serve(Ollama().app())
