"""Facts drawn through the real gateway: what arrives at the model's server, and what is made of what comes back."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from memstack_server.domain.entity import Entity, EntityType
from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.supersession import Claim, New, Standing, Verdict
from memstack_server.engines.enrichment import Pair
from memstack_server.engines.extraction import prompt
from memstack_server.engines.extraction.extractor import Extractor
from memstack_server.engines.extraction.flaws import Flaw, Note, Unusable
from memstack_server.engines.extraction.judging import Judge
from memstack_server.models.chat import ChatFailed, ChatUnavailable, Fault, GatewayChat, Question
from testbed.gateway import Gateway

MODEL = "ollama/qwen2.5:14b"
SAID = datetime(2026, 11, 18, 14, 5, tzinfo=UTC)
PASSAGES = ("Peter has worked at DevMesh since March.", "Both Sparks arrived yesterday.")
SPARK = Entity("dgx spark", "DGX Spark", EntityType.HARDWARE)
FACTS: dict[str, Any] = {
    "entities": [{"name": "Peter", "type": "person", "aliases": []}, {"name": "DevMesh", "type": "organisation"}],
    "facts": [
        {"content": "Peter works at DevMesh.", "about": ["Peter", "DevMesh"], "importance": 4, "passages": [0]}
        | {"subject": "Peter", "attribute": "employer", "value": "DevMesh", "single": True, "since": "since March"},
        {"content": "Both DGX Sparks arrived.", "about": ["DGX Sparks"], "importance": 2, "passages": [1]}
        | {"since": "yesterday"},
    ],
}
GOOD = json.dumps(FACTS)


@pytest.fixture(scope="module")
def key(gateway: Gateway) -> str:
    return gateway.mint(key_alias="extraction")


@pytest.fixture
async def connect(gateway: Gateway, key: str) -> AsyncIterator[Callable[..., GatewayChat]]:
    """Makes chats, with a key or a model of the test's choice."""
    chats: list[GatewayChat] = []

    def connect(key: str = key, model: str = MODEL, seconds: float = 60) -> GatewayChat:
        chats.append(GatewayChat(gateway.url, key, model, seconds))
        return chats[-1]

    yield connect
    for chat in chats:
        await chat.aclose()


@pytest.fixture
def chat(connect: Callable[..., GatewayChat]) -> GatewayChat:
    return connect()


@pytest.fixture(autouse=True)
def nothing_else(gateway: Gateway) -> Iterator[None]:
    """Starts from no requests and no scripted answers, and lets nothing reach the cloud."""
    gateway.ollama.delete("/_test/requests").raise_for_status()
    gateway.answer()
    yield
    assert gateway.leaks() == []


def pair(content: str) -> Pair:
    life = Lifetime(SAID, SAID)
    return Pair(
        New(Claim(content), SAID), Standing(MemoryId("a" * 10, "b" * 16), Claim("Peter is at Obrik."), life, 0.5)
    )


async def test_a_question_arrives_with_its_schema_its_window_and_no_thinking(gateway: Gateway, chat: GatewayChat):
    await Extractor(chat).extract(PASSAGES, SAID, [SPARK], attempt=1)
    (asked,) = gateway.asked()
    question = prompt.question(PASSAGES, SAID, [SPARK], attempt=1)
    assert asked["format"] == question.schema
    assert [message["content"] for message in asked["messages"]] == [question.instructions, question.text]
    expected = {"num_ctx": 8_192, "num_predict": question.answer_tokens, "temperature": 0.3, "seed": 1}
    assert expected.items() <= asked["options"].items()
    assert asked["think"] is False


async def test_a_model_that_finds_no_facts_is_believed(chat: GatewayChat):
    assert (await Extractor(chat).extract(PASSAGES, SAID)).drafts == ()


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        (GOOD, None),
        (f"<think>Who is Peter?</think>\n{GOOD}", None),  # taken away by the gateway itself
        (f"Who is Peter?</think>\n{GOOD}", Flaw.THINKING),
        (f"```json\n{GOOD}\n```", Flaw.FENCED),
        (f"Sure, here you are:\n{GOOD}", Flaw.PROSE),
        (json.dumps(FACTS["facts"]), Flaw.BARE_LIST),
        (GOOD[:-1], Flaw.BROKEN),
    ],
)
async def test_facts_come_through_whatever_is_around_them(
    gateway: Gateway, chat: GatewayChat, said: str, flaw: Flaw | None
):
    gateway.answer(said)
    found = await Extractor(chat).extract(PASSAGES, SAID, [SPARK])
    job, arrival = found.drafts
    assert (job.content, job.valid_at) == ("Peter works at DevMesh.", datetime(2026, 3, 1, tzinfo=UTC))
    assert [(each.name, each.type) for each in arrival.mentions] == [("DGX Spark", EntityType.HARDWARE)]
    assert flaw is None or Note(flaw, 1) in found.notes
    assert len(gateway.asked()) == 1


@pytest.mark.parametrize("said", ["I cannot help with that.", "<think>Hm", '{"facts": [{"content": "Pe', "{}"])
async def test_an_answer_of_nothing_is_unusable_and_not_asked_for_again(gateway: Gateway, chat: GatewayChat, said: str):
    gateway.answer(said)
    with pytest.raises(Unusable):
        await Extractor(chat).extract(PASSAGES, SAID)
    assert len(gateway.asked()) == 1
    assert await chat.alive()


async def test_an_episode_takes_two_questions(gateway: Gateway, chat: GatewayChat):
    gateway.answer(GOOD, json.dumps({"verdicts": [{"pair": 1, "verdict": "adds"}, {"pair": 0, "verdict": "replaces"}]}))
    found = await Extractor(chat).extract(PASSAGES, SAID, [SPARK])
    judged = await Judge(chat).judge([pair(draft.content) for draft in found.drafts])
    assert judged.verdicts == (Verdict.REPLACES, Verdict.ADDS)
    assert len(gateway.asked()) == 2


@pytest.mark.parametrize(
    ("armed", "fault"),
    [
        ({"kind": "status", "status": 500}, Fault.FAILED),
        ({"kind": "status", "status": 429}, Fault.BUSY),
        ({"kind": "status", "status": 503}, Fault.BUSY),
        ({"kind": "status", "status": 400}, Fault.REFUSED),
        ({"kind": "disconnect"}, Fault.FAILED),
        ({"kind": "malformed"}, Fault.FAILED),
        ({"kind": "empty"}, Fault.FAILED),
    ],
)
async def test_each_fault_of_the_model_s_server_is_told_apart(
    gateway: Gateway, chat: GatewayChat, armed: dict[str, Any], fault: Fault
):
    with gateway.fault(**armed):
        error = await failure(chat)
        assert not await chat.alive()
    assert error.fault is fault
    assert await chat.alive()


async def test_a_model_that_is_too_slow_is_not_waited_for(gateway: Gateway, connect: Callable[..., GatewayChat]):
    chat = connect(seconds=0.5)
    with gateway.fault(kind="delay", seconds=5, times=1):
        error = await failure(chat)
    assert error.fault is Fault.TIMEOUT


async def test_a_model_s_server_that_is_down_is_a_failure_of_the_gateway(gateway: Gateway, chat: GatewayChat):
    gateway.stop_ollama()
    try:
        error = await failure(chat)
        assert not await chat.alive()
    finally:
        gateway.start_ollama()
    assert isinstance(error, ChatUnavailable)
    assert error.fault is Fault.FAILED
    assert await chat.alive()


@pytest.mark.parametrize(("model", "status"), [("gpt-4o", 403), ("ollama/nobody-pulled-this", 404)])
async def test_a_model_that_may_not_or_cannot_be_used_is_refused(
    connect: Callable[..., GatewayChat], model: str, status: int
):
    chat = connect(model=model)
    error = await failure(chat)
    assert error.fault is Fault.REFUSED
    assert f"status {status}" in str(error)
    assert not await chat.alive()


async def test_a_key_that_is_none_is_refused(connect: Callable[..., GatewayChat]):
    assert (await failure(connect(key="sk-of-nobody"))).fault is Fault.REFUSED


async def test_a_question_that_does_not_fit_is_not_answered_in_part(chat: GatewayChat):
    with pytest.raises(ChatFailed, match="prompt cut"):
        await chat.ask(Question("", "word " * 40_000, "facts", prompt.question(("x",), SAID, ()).schema, 1_000))


async def failure(chat: GatewayChat) -> ChatFailed:
    """Why no facts could be drawn; the reason says nothing of the text."""
    with pytest.raises(ChatFailed) as caught:
        await Extractor(chat).extract(PASSAGES, SAID)
    assert not any(word in str(caught.value) for word in ("Peter", "DevMesh", "Spark"))
    return caught.value
