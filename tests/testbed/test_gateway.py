"""What the product depends on in LiteLLM's real proxy, and how a gateway starts and ends."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from testbed import folders, processes
from testbed.gateway import Gateway
from testbed.gateway.environment import PRISMA
from testbed.gateway.proxy import CHAT, CLOUD, EMBEDDER
from testbed.gateway.workplace import workplace

HELLO = [{"role": "user", "content": "Say hello."}]
SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string"}, "minItems": 1}, "note": {"type": "string"}},
    "required": ["facts"],
    "additionalProperties": False,
}
# Its configuration sends a question without a model to the cloud, which is how such a fallback is found in the wild.
OWNER = """
import json, sys
from testbed.gateway import Gateway
from testbed.gateway.proxy import CLOUD, config_for

def with_fallback(ollama, cloud):
    config = config_for(ollama, cloud)
    config["litellm_settings"]["default_fallbacks"] = [CLOUD]
    return config

gateway = Gateway.start("127.0.0.2", with_fallback)
seen = {"url": gateway.url, "cloud": str(gateway.cloud.base_url), "folder": str(gateway.folder), "key": gateway.mint()}
print(json.dumps(seen), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def fresh(gateway: Gateway) -> Iterator[None]:
    gateway.forget()
    yield
    gateway.forget_leaks()


@pytest.fixture(scope="module")
def memory(gateway: Gateway) -> Iterator[httpx.Client]:
    """A client with the key of a memory."""
    with gateway.client(gateway.mint()) as client:
        yield client


def chat(client: httpx.Client, model: str = CHAT, **more: object) -> httpx.Response:
    return client.post("/v1/chat/completions", json={"model": model, "messages": HELLO, **more})


def embed(client: httpx.Client, *texts: str) -> httpx.Response:
    return client.post("/v1/embeddings", json={"model": EMBEDDER, "input": texts})


def said(answer: httpx.Response) -> str:
    return answer.raise_for_status().json()["choices"][0]["message"]["content"]


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["type"]


def held_to(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "facts", "strict": True, "schema": schema}}


def test_a_key_for_ollama_reaches_nothing_else(gateway: Gateway, memory: httpx.Client):
    assert chat(memory).status_code == 200
    assert refusal(chat(memory, CLOUD)) == (403, "key_model_access_denied")
    assert refusal(chat(memory, fallbacks=[CLOUD])) == (403, "key_model_access_denied")
    assert gateway.leaks() == []


@pytest.mark.parametrize("models", [[], ["*"], ["all-proxy-models"]])
def test_these_lists_of_models_allow_everything_and_the_decoy_sees_it(gateway: Gateway, models: list[str]):
    with gateway.client(gateway.mint(models=models)) as client:
        assert said(chat(client, CLOUD)) == "LEAKED TO THE CLOUD"
    (leak,) = gateway.leaks()
    assert (leak["method"], leak["path"], leak["body"]["messages"]) == ("POST", "/v1/chat/completions", HELLO)


@pytest.mark.parametrize("path", [f"/openai/deployments/{CLOUD}", f"/engines/{CLOUD}"])
def test_the_path_leads_past_the_list_of_models_unless_routes_are_listed_too(
    gateway: Gateway, memory: httpx.Client, path: str
):
    body = {"model": CHAT, "messages": HELLO}
    assert memory.post(f"{path}/chat/completions", json=body).status_code == 403
    assert gateway.leaks() == []
    with gateway.client(gateway.mint(allowed_routes=[])) as careless:
        assert careless.post(f"{path}/chat/completions", json=body).status_code == 200
    assert [leak["body"]["messages"] for leak in gateway.leaks()] == [HELLO]


def test_a_key_ends_when_it_is_deleted(gateway: Gateway):
    key = gateway.mint()
    with gateway.client(key) as client:
        assert chat(client).status_code == 200
        gateway.admin.post("/key/delete", json={"keys": [key]}).raise_for_status()
        assert refusal(chat(client)) == (401, "token_not_found_in_db")


def test_a_stranger_is_refused(gateway: Gateway, memory: httpx.Client):
    with gateway.client("sk-nobody-s") as stranger:
        assert refusal(chat(stranger)) == (401, "token_not_found_in_db")
    assert memory.post("/key/generate", json={}).status_code == 403


def test_a_schema_arrives_as_the_format_and_is_obeyed(gateway: Gateway, memory: httpx.Client):
    answer = chat(memory, response_format=held_to(SCHEMA))
    assert json.loads(said(answer)) == {"facts": [""]}
    assert [body["format"] for body in gateway.asked()] == [SCHEMA]


def test_a_schema_that_the_real_one_would_not_hold_is_refused(memory: httpx.Client):
    answer = chat(memory, response_format=held_to({"type": "string", "pattern": "a+"}))
    assert answer.status_code == 500
    assert "invalid JSON schema in format: pattern" in answer.text


def test_what_stands_beside_the_messages_arrives_as_options(gateway: Gateway, memory: httpx.Client):
    chat(memory, num_ctx=8192, max_tokens=64, temperature=0, seed=3, reasoning_effort="none").raise_for_status()
    (asked,) = gateway.asked()
    assert asked["options"] == {"num_ctx": 8192, "num_predict": 64, "temperature": 0, "seed": 3}
    assert asked["think"] is False


def test_a_misspelt_option_does_not_pass(memory: httpx.Client):
    answer = chat(memory, num_contexts=8192)
    assert answer.status_code == 400
    assert "options.num_contexts" in answer.text


def test_a_question_that_does_not_fit_shows_in_the_count(memory: httpx.Client):
    answer = chat(memory, num_ctx=16, messages=[{"role": "user", "content": "word " * 100}])
    assert answer.json()["usage"]["prompt_tokens"] == 16


def test_an_answer_ends_at_its_greatest_length(gateway: Gateway, memory: httpx.Client):
    gateway.answer("A long answer.")
    answer = chat(memory, max_tokens=1)
    assert said(answer) == "A lo"
    assert answer.json()["choices"][0]["finish_reason"] == "length"


def test_a_stream_says_the_same(gateway: Gateway, memory: httpx.Client):
    gateway.answer("Hello there.")
    answer = chat(memory, stream=True)
    chunks = [json.loads(line.removeprefix("data: ")) for line in answer.text.split("\n\n")[:-2]]
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == "Hello there."


def test_the_model_writes_what_it_was_told(gateway: Gateway, memory: httpx.Client):
    gateway.answer("first", "second", when={"capital": "Paris", "planet": "Mars"})
    capital = [{"role": "user", "content": "Name a capital or a planet."}]
    answers = [chat(memory), chat(memory, messages=capital), chat(memory), chat(memory)]
    assert [said(answer) for answer in answers] == ["first", "Paris", "second", "ok"]


def test_vectors_have_the_model_s_length_and_keep_their_order(memory: httpx.Client):
    texts = ("Peter works at DevMesh.", "The weather is fine today.", "peter left DevMesh")
    data = embed(memory, *texts).raise_for_status().json()["data"]
    job, weather, left = (item["embedding"] for item in data)
    assert [len(vector) for vector in (job, weather, left)] == [768] * 3
    assert dot(job, job) == pytest.approx(1)
    assert dot(job, left) > 0.4 > dot(job, weather)
    assert embed(memory, texts[1]).json()["data"][0]["embedding"] == weather


def dot(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_a_model_that_nobody_pulled_is_not_found(memory: httpx.Client):
    answer = chat(memory, "ollama/nobody-pulled-this")
    assert answer.status_code == 404
    assert "model 'nobody-pulled-this' not found" in answer.text


def test_a_model_for_embeddings_does_not_chat(memory: httpx.Client):
    answer = chat(memory, "ollama/nomic-embed-text:latest")
    assert answer.status_code == 400
    assert "does not support chat" in answer.text


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ({"kind": "status", "status": 429}, 429),
        ({"kind": "status", "status": 500}, 500),
        ({"kind": "status", "status": 503}, 503),
        ({"kind": "malformed"}, 500),
        ({"kind": "empty"}, 500),
        ({"kind": "disconnect"}, 500),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else str(value),
)
def test_a_failing_ollama_is_an_error_and_never_the_cloud(
    gateway: Gateway, memory: httpx.Client, fault: dict[str, Any], status: int
):
    with gateway.fault(**fault):
        assert chat(memory).status_code == status
        assert embed(memory, "a text").status_code == status
    assert chat(memory).status_code == 200
    assert gateway.leaks() == []


def test_a_fault_can_pass_by_itself(gateway: Gateway, memory: httpx.Client):
    with gateway.fault(kind="status", status=503, times=1, path="/api/chat"):
        assert embed(memory, "a text").status_code == 200
        assert [chat(memory).status_code for _ in range(2)] == [503, 200]


def test_an_answer_that_takes_too_long_is_a_timeout(gateway: Gateway, memory: httpx.Client):
    with gateway.fault(kind="delay", seconds=60):
        assert chat(memory, timeout=0.2).status_code == 408
    assert len(gateway.asked()) == 1


def test_ollama_down_is_a_500_and_passes(gateway: Gateway, memory: httpx.Client):
    gateway.stop_ollama()
    try:
        assert chat(memory).status_code == 500
        assert embed(memory, "a text").status_code == 500
    finally:
        gateway.start_ollama()
    assert chat(memory).status_code == 200
    assert gateway.leaks() == []


def test_a_lost_database_is_a_503_for_a_key_not_seen_lately(gateway: Gateway, memory: httpx.Client):
    chat(memory).raise_for_status()
    with gateway.client(gateway.mint()) as unseen:
        gateway.stop_postgres()
        try:
            assert chat(memory).status_code == 200
            assert refusal(chat(memory, CLOUD)) == (403, "key_model_access_denied")
            assert refusal(chat(unseen)) == (503, "no_db_connection")
        finally:
            gateway.start_postgres()
        assert chat(unseen).status_code == 200


def test_another_has_its_own_address_and_rules_and_leaves_nothing_when_its_owner_is_killed():
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True, cwd=folders.CHECKOUT) as owner:
        assert owner.stdout
        other = json.loads(owner.stdout.readline())
        members = processes.descendants(owner.pid)
        assert asks_without_a_model(other) == [HELLO]
        owner.kill()
    for descriptor in filter(None, map(processes.watch, members)):
        processes.wait(descriptor)
    assert Path(other["folder"]).exists()
    with workplace():
        assert not Path(other["folder"]).exists()


def asks_without_a_model(other: dict[str, str]) -> list[object]:
    """What the cloud of another gateway then got; it listens on an address of its own, with its own configuration."""
    assert other["url"].startswith("http://127.0.0.2:")
    headers = {"Authorization": f"Bearer {other['key']}"}
    with httpx.Client(trust_env=False, timeout=60) as client:
        client.post(f"{other['url']}/v1/chat/completions", json={"messages": HELLO}, headers=headers)
        seen = client.get(f"{other['cloud']}/_test/requests").json()
    return [each["body"]["messages"] for each in seen if each["method"] == "POST"]


def test_a_folder_that_is_in_use_is_not_swept_away(gateway: Gateway):
    with workplace() as mine:
        assert mine.exists()
        assert gateway.folder.exists()
    assert not mine.exists()


def test_the_lock_of_prisma_names_no_registry():
    lock = json.loads((PRISMA / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert all("integrity" in entry for entry in packages.values())
    assert not [name for name, entry in packages.items() if "resolved" in entry]
