"""Which vectors a store is filled with, and that no others get in."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memstack_server.domain.embedding import EmbedderId
from memstack_server.domain.errors import EmbedderConflict, EmbedderUnavailable
from memstack_server.engines.embedding import Embedders
from memstack_server.models.gateway import GatewayEmbedder
from memstack_server.stores.falkordb.store import FalkorStore
from testbed.agent import ToolError
from tests.integration.gateway_stand_in import GatewayStandIn
from tests.integration.parts import Server, Store

Launch = Callable[..., Server]

MODEL = EmbedderId("ollama/nomic-embed-text", 768)
BUNDLED = {"name": "bundled/all-minilm-l6-v2", "dimensions": 384}


@pytest.fixture
def gateway() -> GatewayStandIn:
    return GatewayStandIn("a-key", MODEL.name, MODEL.dimensions)


@pytest.fixture
def url(gateway: GatewayStandIn) -> Iterator[str]:
    with gateway.serve() as url:
        yield url


@pytest.fixture
def key_file(tmp_path: Path) -> str:
    (tmp_path / "key").write_text("a-key\n")
    return str(tmp_path / "key")


def recorded(store: Store) -> dict[str, object] | None:
    record = store.redis.get("mem:embedder")
    return json.loads(str(record)) if record else None


async def test_the_gateway_gives_a_vector_of_the_right_length(gateway: GatewayStandIn, url: str):
    embedder = GatewayEmbedder(url + "/", "a-key", MODEL)
    assert len(await embedder.embed("Some text.")) == 768
    assert gateway.asked == ["Some text."]
    await embedder.aclose()


@pytest.mark.parametrize(
    ("key", "model", "dimensions", "words"),
    [
        ("a-key", MODEL.name, 384, "a vector of 768 numbers where 384 are configured"),
        ("wrong", MODEL.name, 768, "refused .* with status 401"),
        ("a-key", "ollama/other", 768, "refused ollama/other with status 400"),
    ],
)
async def test_the_gateway_says_what_is_wrong(url: str, key: str, model: str, dimensions: int, words: str):
    embedder = GatewayEmbedder(url, key, EmbedderId(model, dimensions))
    with pytest.raises(EmbedderUnavailable, match=words):
        await embedder.embed("Some text.")
    await embedder.aclose()


async def test_no_proxy_ever_sees_a_text(url: str, monkeypatch: pytest.MonkeyPatch):
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(variable, "http://127.0.0.1:1")
    embedder = GatewayEmbedder(url, "a-key", MODEL)
    assert len(await embedder.embed("Some text.")) == MODEL.dimensions
    await embedder.aclose()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{}", "something other than embeddings"),
        (b"<html>", "something other than embeddings"),
        (b'{"data": []}', "0 vectors for one text"),
        (b'{"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]}', "2 vectors for one text"),
        (b'{"data": [{"embedding": "AACAPw=="}]}', "something other than embeddings"),
        (b'{"data": [{"embedding": [NaN]}]}', "something other than embeddings"),
    ],
)
async def test_an_answer_of_another_shape_is_not_trusted(gateway: GatewayStandIn, url: str, body: bytes, words: str):
    gateway.body = body
    embedder = GatewayEmbedder(url, "a-key", EmbedderId(MODEL.name, 1))
    with pytest.raises(EmbedderUnavailable, match=words):
        await embedder.embed("Some text.")
    await embedder.aclose()


async def test_a_gateway_that_is_down_is_named():
    embedder = GatewayEmbedder("http://127.0.0.1:1", None, MODEL)
    with pytest.raises(EmbedderUnavailable, match=r"gateway at http://127.0.0.1:1 cannot be reached \(ConnectError\)"):
        await embedder.embed("Some text.")
    await embedder.aclose()


async def test_a_gateway_in_reach_fills_an_empty_store(
    launch: Launch, own_store: Store, gateway: GatewayStandIn, url: str, key_file: str, scope: str
):
    server = launch(gateway_url=url, gateway_key_file=key_file).start()
    assert recorded(own_store) is None
    async with server.connect() as agent:
        await agent.store("Through the gateway.", scope)
        await agent.store("Another one.", scope)
        assert (await agent.search("Through the gateway.", scope))[0]["score_parts"]["similarity"] > 0.9
        assert (await agent.call("get_status"))["embedder"] == str(MODEL)
    assert recorded(own_store) == {"name": MODEL.name, "dimensions": 768}
    assert gateway.asked.count("Through the gateway.") == 2


async def test_a_store_of_the_gateway_stays_its_own_while_it_is_away(
    launch: Launch, own_store: Store, gateway: GatewayStandIn, key_file: str, scope: str
):
    with gateway.serve() as url:
        server = launch(gateway_url=url, gateway_key_file=key_file).start()
        async with server.connect() as agent:
            await agent.store("While it was there.", scope)
    async with server.connect() as agent:
        with pytest.raises(ToolError, match=r"cannot be reached .* nothing was changed"):
            await agent.store("While it was away.", scope)
        assert await agent.contents(scope) == ["While it was there."]
    assert recorded(own_store) == {"name": MODEL.name, "dimensions": 768}


async def test_without_a_gateway_in_reach_the_bundled_embedder_is_used_and_the_reason_told(
    launch: Launch, own_store: Store, scope: str
):
    server = launch(gateway_url="http://127.0.0.1:1").start()
    async with server.connect() as agent:
        await agent.store("Without a gateway.", scope)
        status = await agent.call("get_status")
    assert recorded(own_store) == BUNDLED
    assert "the model gateway at http://127.0.0.1:1 cannot be reached" in status["embedder_reason"]
    assert "embedder: bundled/all-minilm-l6-v2 (384 dimensions), because the model gateway" in server.log()


async def test_a_store_of_the_bundled_embedder_stays_its_own_when_a_gateway_appears(
    launch: Launch, gateway: GatewayStandIn, url: str, key_file: str, scope: str
):
    async with launch().start().connect() as agent:
        await agent.store("Stored offline.", scope)
    server = launch(gateway_url=url, gateway_key_file=key_file).start()
    async with server.connect() as agent:
        assert (await agent.search("offline", scope))[0]["content"] == "Stored offline."
        assert (await agent.call("get_status"))["embedder_reason"] == "the store holds its vectors"
    assert gateway.asked == []


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"name": "ollama/bge-m3", "dimensions": 1024}, "another embedding: .*ollama/bge-m3 .*ollama/nomic-embed-text"),
        ({"name": MODEL.name, "dimensions": 512}, r"another embedding: .*512 dimensions.*768 dimensions"),
        ({"name": MODEL.name, "dimensions": 768}, "no gateway for the store's embedding: .*MEMSTACK_GATEWAY_URL"),
    ],
)
def test_a_store_of_another_embedder_stops_the_server_with_one_line(
    launch: Launch, own_store: Store, record: dict[str, object], words: str
):
    own_store.redis.set("mem:embedder", json.dumps(record))
    server = launch().launch()
    assert server.process.wait() == 1
    (line,) = server.log().splitlines()
    assert line.startswith("memstack-server: ")
    assert re.search(words, line)


async def test_eight_starters_on_an_empty_store_agree_on_one_embedder(own_store: Store, url: str):
    stores = [FalkorStore(own_store.url, None) for _ in range(8)]
    gateways = [GatewayEmbedder(url, "a-key", MODEL) if number % 2 else None for number in range(8)]
    starters = [Embedders(store.schema, MODEL, way) for store, way in zip(stores, gateways, strict=True)]

    outcomes = await asyncio.gather(*(starter.for_writing() for starter in starters), return_exceptions=True)

    chosen = {outcome.id for outcome in outcomes if not isinstance(outcome, BaseException)}
    refused = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    assert [{"name": each.name, "dimensions": each.dimensions} for each in chosen] == [recorded(own_store)]
    # Those without a gateway can follow only if the bundled embedder came first; the others can follow either way.
    assert len(refused) in (0, 4)
    assert all(isinstance(error, EmbedderConflict) for error in refused)
    for part in (*(store.connection for store in stores), *filter(None, gateways)):
        await part.aclose()
