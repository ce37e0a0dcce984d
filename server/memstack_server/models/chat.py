"""One question to a language model through the gateway, and its answer as text that should obey a schema.

A small model on someone's own machine fails in many ways. `Fault` tells them apart, because what to do next differs:
mend the gateway, wait as long as it asks, or give up on this text. Whatever came of a question, `alive` tells whether
the model answers anything at all, so that nobody takes a gateway that is down for a text that cannot be read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, Field, ValidationError

from memstack_server.domain.errors import MemoryStackError
from memstack_server.models.connection import Connection, Refused, TimedOut, Unanswered
from memstack_server.models.tokens import estimate

_SECONDS = 300  # a model on a slow machine writes a few tokens a second
_ALIVE_SECONDS = 60  # it may have to be loaded first

# A model is loaded for one length of context, and loaded anew for another: few lengths, so that this is rare.
_WINDOWS = (8_192, 16_384, 32_768)
# Our count of tokens is an estimate, too high by half for some texts. A quarter of it is another question than ours.
_CUT_BELOW = 1 / 4


class Fault(StrEnum):
    """Why there is no answer to work with."""

    UNREACHABLE = "unreachable"  # no gateway
    TIMEOUT = "timeout"  # a gateway, and no answer in time
    BUSY = "busy"  # the gateway or the model has too much to do
    REFUSED = "refused"  # another 4xx: the key, the model's name, or this very question
    FAILED = "failed"  # another 5xx: the model's server is down, or broke over this very question
    UNREADABLE = "unreadable"  # not a chat completion
    EMPTY = "empty"  # an answer without a word
    PROMPT_CUT = "prompt cut"  # the model read only a part of the question
    UNUSABLE = "unusable"  # words, and not what was asked for


_ADVICE: Mapping[Fault, str] = {
    Fault.UNREACHABLE: "Start it or mend its address; what waits is done once it answers.",
    Fault.TIMEOUT: "Choose a smaller model or a faster machine; it is tried again.",
    Fault.BUSY: "It is tried again later.",
    Fault.REFUSED: "Check its key, its list of models and the model's name; it is tried again.",
    Fault.FAILED: "See whether the model's own server runs and has room for it; it is tried again.",
    Fault.UNREADABLE: "Check that the address is the gateway's; it is tried again.",
    Fault.EMPTY: "It is tried again; if that goes on, choose another model.",
    Fault.PROMPT_CUT: "Its context is too short for this text: choose a model that reads more.",
    Fault.UNUSABLE: "It is tried again; if that goes on, choose a model that keeps to a JSON schema.",
}


class ChatFailed(MemoryStackError):
    """No answer to work with; the message holds nothing of the question and nothing of the answer."""

    outcome = "unavailable"

    def __init__(self, fault: Fault, what: str) -> None:
        super().__init__(f"{fault}: {what}. {_ADVICE[fault]}")
        self.fault = fault


class ChatUnavailable(ChatFailed):
    """No answer at all.

    Attributes:
        retry_after: How many seconds the gateway asks to wait, if it does.
    """

    def __init__(self, fault: Fault, what: str, retry_after: float | None = None) -> None:
        super().__init__(fault, what)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Question:
    """What a model is asked.

    Attributes:
        instructions: What to do, the same for every text.
        text: What to do it with.
        name: Of the schema, for the gateway.
        schema: JSON schema of the answer.
        answer_tokens: How long the answer may become.
        attempt: How often this was tried before. At temperature 0 a model repeats its bad answer for ever, so later
            attempts are a little warmer, each with a seed of its own.
    """

    instructions: str
    text: str
    name: str
    schema: Mapping[str, Any]
    answer_tokens: int
    attempt: int = 0

    @property
    def prompt_tokens(self) -> int:
        return estimate(self.instructions) + estimate(self.text)

    @property
    def temperature(self) -> float:
        return min(0.3 * self.attempt, 0.6)


@dataclass(frozen=True)
class Answer:
    """What the model wrote, and whether it was cut off at the greatest length."""

    text: str
    cut: bool = False


class Chat(Protocol):
    async def ask(self, question: Question) -> Answer:
        """Raises `ChatFailed`."""
        ...

    async def alive(self) -> bool:
        """Whether the model answers anything at all."""
        ...


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class GatewayChat:
    """Asks `POST <gateway>/v1/chat/completions`.

    Args:
        url: Base URL of the gateway, as a person types it.
        key: The gateway's key, if it asks for one.
        model: As the gateway knows it, such as `ollama/qwen2.5:14b`.
        seconds: How long an answer may take.
    """

    def __init__(self, url: str, key: str | None, model: str, seconds: float = _SECONDS) -> None:
        self.model = model
        self._seconds = seconds
        self._gateway = Connection(url, key)
        self._window = _WINDOWS[0]

    async def ask(self, question: Question) -> Answer:
        window = self._window_for(question)
        completion = await self._complete(_body(self.model, question, window), self._seconds)
        if _was_cut(completion.usage, question, window):
            raise ChatFailed(Fault.PROMPT_CUT, f"{self.model} read only a part of {question.prompt_tokens} tokens")
        choice = completion.choices[0]
        if not (choice.message.content or "").strip():
            raise ChatFailed(Fault.EMPTY, f"{self.model} answered nothing")
        return Answer(choice.message.content or "", cut=choice.finish_reason == "length")

    async def alive(self) -> bool:
        hello = [{"role": "user", "content": "Say ok."}]
        # In the window that is in use: another would load the model anew.
        body = _common(self.model, self._window) | {"messages": hello, "max_tokens": 1}
        try:
            await self._complete(body, min(self._seconds, _ALIVE_SECONDS))
        except ChatFailed:
            return False
        return True

    async def aclose(self) -> None:
        await self._gateway.aclose()

    def _window_for(self, question: Question) -> int:
        # It never shrinks: short and long texts by turns would load the model anew each time.
        needed = question.prompt_tokens + question.answer_tokens
        fitting = next((window for window in _WINDOWS if window >= needed), _WINDOWS[-1])
        self._window = max(self._window, fitting)
        return self._window

    async def _complete(self, body: Mapping[str, object], seconds: float) -> _Completion:
        asked = f"{self.model} at the model gateway {self._gateway.url}"
        try:
            return _Completion.model_validate_json(await self._gateway.post("/v1/chat/completions", body, seconds))
        except Unanswered as error:
            raise ChatUnavailable(_fault(error), f"{asked} gave no answer ({error})", error.retry_after) from error
        except ValidationError:
            # Without its cause: what pydantic says repeats what it was given.
            raise ChatUnavailable(Fault.UNREADABLE, f"{asked} answered something other than a chat") from None


def _common(model: str, window: int) -> dict[str, object]:
    # Thinking aloud costs a small machine minutes, and half of its answers.
    return {"model": model, "num_ctx": window, "reasoning_effort": "none"}


def _body(model: str, question: Question, window: int) -> dict[str, object]:
    schema = {"name": question.name, "strict": True, "schema": question.schema}
    return _common(model, window) | {
        "messages": [
            {"role": "system", "content": question.instructions},
            {"role": "user", "content": question.text},
        ],
        "response_format": {"type": "json_schema", "json_schema": schema},
        "temperature": question.temperature,
        "seed": question.attempt,
        "max_tokens": question.answer_tokens,
    }


def _was_cut(usage: _Usage | None, question: Question, window: int) -> bool:
    # Ollama drops what does not fit and says nothing; what it counted gives it away.
    if usage is None:
        return False
    return usage.prompt_tokens >= window or usage.prompt_tokens < question.prompt_tokens * _CUT_BELOW


def _fault(error: Unanswered) -> Fault:
    if isinstance(error, TimedOut):
        return Fault.TIMEOUT
    return _of_status(error.status) if isinstance(error, Refused) else Fault.UNREACHABLE


def _of_status(status: int) -> Fault:
    if status in (429, 503):
        return Fault.BUSY
    if status in (408, 504):
        return Fault.TIMEOUT
    return Fault.FAILED if status >= 500 else Fault.REFUSED
