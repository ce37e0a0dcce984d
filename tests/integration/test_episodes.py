"""Texts become facts: through the real LiteLLM, in the wire format of Ollama, by a model that says what it is told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from testbed.agent import ToolError
from testbed.gateway import Gateway
from testbed.gateway.gateway import CHAT, EMBEDDER
from tests.integration.parts import Agent, Server, Store, until
from tests.integration.telling import employer, episode, fact, facts, state, verdicts

Launch = Callable[..., Server]


@pytest.fixture(scope="module")
def reading(gateway: Gateway) -> Iterator[Server]:
    """A server with a language model, on a store of its own."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder)).start()
        server = Server(store.folder, store.url, **with_model(gateway, store)).start()
        yield server
        server.kill()
        store.kill()


@pytest.fixture
def reader(reading: Server, gateway: Gateway) -> Server:
    gateway.forget()
    return reading


def with_model(gateway: Gateway, store: Store) -> dict[str, str]:
    key = store.folder / "gateway-key"
    key.write_text(gateway.mint())
    models = {"embedding_model": EMBEDDER, "embedding_dimensions": "768", "extraction_model": CHAT}
    return {"gateway_url": gateway.url, "gateway_key_file": str(key), **models}


async def done(agent: Agent, added: dict[str, str], wanted: str = "done") -> None:
    async def is_so() -> bool:
        return await state(agent, added["id"]) == wanted

    await until(is_so, f"the episode is {wanted}")


async def told(agent: Agent, gateway: Gateway, scope: str, text: str, *answers: str, **more: object) -> dict[str, str]:
    """Adds an episode of which the model says so, and waits until its facts stand."""
    gateway.answer(*answers)
    added = await episode(agent, text, scope, **more)
    await done(agent, added)
    return added


async def test_an_episode_is_found_at_once_and_its_facts_later(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        with gateway.fault(kind="delay", seconds=1, path="/api/chat", times=1):
            gateway.answer(facts(employer("Peter", "DevMesh")))
            added = await episode(agent, "Peter told us that he works at DevMesh.", scope)
            assert added["state"] == "queued"
            (hit,) = await agent.search("Where does Peter work?", scope)
            assert (hit["kind"], hit["episode"]) == ("passage", added["id"])
            await done(agent, added)
        (hit,) = await agent.search("Where does Peter work?", scope)
        assert (hit["kind"], hit["content"], hit["episode"]) == ("fact", "Peter works at DevMesh.", added["id"])
        assert hit["entities"] == ["DevMesh", "Peter"]
        nodes = (await agent.call("search_nodes", query="peter", scope=scope))["nodes"]
    assert nodes == [{"scope": scope, "name": "Peter", "type": "person", "facts": 1}]
    (asked,) = gateway.asked()
    assert asked["format"]["properties"].keys() == {"entities", "facts"}
    assert asked["options"]["num_ctx"] >= 8192


async def test_at_most_two_questions_whatever_it_holds(reader: Server, gateway: Gateway, scope: str):
    people = [f"Person{number}" for number in range(12)]
    about = [fact(f"{name} likes green tea with mint.", {name: "person"}) for name in people]
    again = [fact(f"{name} likes green tea with fresh mint.", {name: "person"}) for name in people]
    async with reader.connect() as agent:
        text = " ".join(f"{name} likes green tea with mint." for name in people)
        await told(agent, gateway, scope, text, facts(*about))
        assert len(gateway.asked()) == 1
        text = " ".join(f"{name} likes green tea with fresh mint." for name in people)
        await told(agent, gateway, scope, text, facts(*again), verdicts(*["same"] * 30))
    assert len(gateway.asked()) == 3


async def test_known_entities_are_in_the_prompt_with_their_types(reader: Server, gateway: Gateway, scope: str):
    spark = fact("The DGX Spark stands in the cellar.", {"DGX Spark": "hardware"})
    async with reader.connect() as agent:
        await told(agent, gateway, scope, "The DGX Spark stands in the cellar.", facts(spark))
        loud = fact("Both DGX Sparks are loud.", {"DGX Sparks": "hardware"})
        await told(agent, gateway, scope, "Both dgx sparks are loud.", facts(loud))
        nodes = (await agent.call("search_nodes", query="DGX Spark", scope=scope))["nodes"]
    assert "DGX Spark: hardware" in gateway.asked()[-1]["messages"][-1]["content"]
    assert [(node["name"], node["facts"]) for node in nodes] == [("DGX Spark", 2)]


async def test_a_change_a_change_back_and_a_story_told_late(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        for text, company, day in (
            ("Peter works at Acorn.", "Acorn", "2024-01-01"),
            ("Peter moved on to DevMesh.", "DevMesh", "2024-06-01"),
            ("Peter is back at Acorn.", "Acorn", "2025-01-01"),
            ("In spring, Peter was at Birch for a while.", "Birch", "2024-04-01"),
        ):
            await told(agent, gateway, scope, text, facts(employer("Peter", company)), said_at=day)
        current = [hit["content"] for hit in await agent.search("Where does Peter work?", scope)]
        seen = {
            day: (await agent.search("Where does Peter work?", scope, as_of=day))[0]["content"]
            for day in ("2024-02-01", "2024-05-01", "2024-07-01", "2025-02-01")
        }
        (newest,) = await agent.search("Where does Peter work?", scope, k=1)
        chain = (await agent.call("fact_history", id=newest["id"]))["versions"]
        before = await agent.search("Where does Peter work?", scope, known_at="2023-01-01")
    assert current == ["Peter works at Acorn."]
    assert list(seen.values()) == [f"Peter works at {name}." for name in ("Acorn", "Birch", "DevMesh", "Acorn")]
    spans = [(version["content"], version["valid_at"][:10], version.get("invalid_at", "")[:10]) for version in chain]
    assert spans == [
        ("Peter works at Acorn.", "2024-01-01", "2024-04-01"),
        ("Peter works at Birch.", "2024-04-01", "2024-06-01"),
        ("Peter works at DevMesh.", "2024-06-01", "2025-01-01"),
        ("Peter works at Acorn.", "2025-01-01", ""),
    ]
    assert [version.get("reason") for version in chain] == ["replaced", "replaced", "replaced", None]
    assert before == []


async def test_what_has_given_way_cannot_be_edited(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        for company, day in (("Acorn", "2024-01-01"), ("Birch", "2024-06-01")):
            await told(agent, gateway, scope, f"Peter is at {company}.", facts(employer("Peter", company)), said_at=day)
        ended = next(hit for hit in await agent.search("Acorn", scope, as_of="2024-02-01") if hit["kind"] == "fact")
        with pytest.raises(ToolError, match=r"has given way.*see fact_history"):
            await agent.call("update_memory", id=ended["id"], content="Peter worked at Acorn.")
        assert await agent.contents(scope) == ["Peter works at Birch."]
        assert await agent.call("clear_graph", scope=scope) == {"scope": scope, "deleted": 2}


async def test_a_stored_memory_replaces_what_was_drawn(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        await told(agent, gateway, scope, "Peter works at Acorn.", facts(employer("Peter", "Acorn")))
        gateway.answer(facts(employer("Peter", "DevMesh")))
        stored = await agent.store("Peter works at DevMesh since Monday.", scope)

        async def replaced() -> bool:
            return [hit["id"] for hit in await agent.search("Where does Peter work?", scope)] == [stored["id"]]

        await until(replaced, "the new employer stands alone")
        assert (await agent.call("get_memory", id=stored["id"]))["entities"] == ["DevMesh", "Peter"]


async def test_paths_lead_over_shared_facts(reader: Server, gateway: Gateway, scope: str):
    platform = fact("DevMesh builds an outreach platform.", {"DevMesh": "organisation", "outreach platform": "project"})
    text = "Peter works at DevMesh. DevMesh builds an outreach platform."
    async with reader.connect() as agent:
        await told(agent, gateway, scope, text, facts(employer("Peter", "DevMesh"), platform))
        related = (await agent.call("related", entity="peter", scope=scope))["related"]
        with pytest.raises(ToolError, match=r"knows no 'Paul'. Find names with search_nodes"):
            await agent.call("related", entity="Paul", scope=scope)
    assert [(each["entity"], [step["fact"] for step in each["path"]]) for each in related] == [
        ("DevMesh", ["Peter works at DevMesh."]),
        ("outreach platform", ["Peter works at DevMesh.", "DevMesh builds an outreach platform."]),
    ]


async def test_a_deleted_fact_does_not_come_back(reader: Server, gateway: Gateway, scope: str):
    text = "Peter works at Acorn, by the way."
    async with reader.connect() as agent:
        added = await told(agent, gateway, scope, text, facts(employer("Peter", "Acorn")))
        (hit,) = await agent.search("Where does Peter work?", scope)
        await agent.call("delete_memory", id=hit["id"])
        assert await agent.search("Where does Peter work?", scope) == []
        assert (await agent.call("search_nodes", query="Peter Acorn", scope=scope))["nodes"] == []
        again = await episode(agent, text, scope)
        assert (again["id"], again["created"], again["content"]) == (added["id"], False, "")
        # The same in other words, from another text.
        reworded = employer("Peter", "Acorn") | {"content": "Acorn is Peter's employer."}
        await told(agent, gateway, scope, "Acorn is where Peter earns his money.", facts(reworded))
        assert await agent.search("Where does Peter work?", scope) == []
        with pytest.raises(ToolError, match=r"was deleted .* an import does not bring it back"):
            await agent.store("Peter works at Acorn.", scope, source="imported")
        gateway.answer(facts(employer("Peter", "Acorn")))
        assert (await agent.store("Peter works at Acorn.", scope))["created"]


async def test_deleting_an_episode_takes_what_only_it_states(reader: Server, gateway: Gateway, scope: str):
    both, one = employer("Peter", "Acorn"), employer("Paul", "Birch")
    async with reader.connect() as agent:
        await told(agent, gateway, scope, "Peter works at Acorn.", facts(both))
        second = await told(agent, gateway, scope, "Peter works at Acorn. Paul works at Birch.", facts(both, one))
        assert await agent.call("delete_episode", id=second["id"]) == {"id": second["id"], "deleted": True, "facts": 1}
        assert await agent.contents(scope) == ["Peter works at Acorn."]
        assert len((await agent.call("get_episodes", scope=scope))["episodes"]) == 1


async def test_an_edge_is_shown_and_cut(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        await told(agent, gateway, scope, "Peter works at Acorn.", facts(employer("Peter", "Acorn")))
        (hit,) = await agent.search("Where does Peter work?", scope, k=1)
        edge = await agent.call("get_entity_edge", id=hit["id"])
        assert {entity["name"] for entity in edge["entities"]} == {"Acorn", "Peter"}
        await agent.call("delete_entity_edge", id=hit["id"], entity="acorn")
        assert (await agent.call("get_memory", id=hit["id"]))["entities"] == ["Peter"]
        with pytest.raises(ToolError, match=r"is not about 'Acorn'. It is about: Peter"):
            await agent.call("delete_entity_edge", id=hit["id"], entity="Acorn")


async def test_secrets_that_a_model_wrote_are_not_kept(reader: Server, gateway: Gateway, scope: str):
    leak = fact("The password of the router is " + "hunter2" + "!x9.", {"router": "hardware"})
    async with reader.connect() as agent:
        await told(agent, gateway, scope, "The router has a password.", facts(leak))
        assert await agent.contents(scope) == []
        with pytest.raises(ToolError, match="looks like a secret"):
            await episode(agent, "The password of the router is " + "hunter2" + "!x9.", scope)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "status", "status": 500},
        {"kind": "status", "status": 429},
        {"kind": "empty"},
        {"kind": "malformed"},
        {"kind": "disconnect"},
    ],
    ids=lambda fault: "-".join(map(str, fault.values())),
)
async def test_while_the_model_is_away_everything_waits(
    reader: Server, gateway: Gateway, scope: str, fault: dict[str, object]
):
    async with reader.connect() as agent:
        with gateway.fault(path="/api/chat", **fault):
            added = await episode(agent, "Peter works at Acorn.", scope)

            async def waits() -> bool:
                shown = (await agent.call("get_status", episode=added["id"]))["episode"]
                return shown["state"] == "queued" and "waits for the model" in shown.get("reason", "")

            await until(waits, "the episode says why it waits")
            assert (await agent.call("get_status"))["waiting"] == {scope: 1}
        gateway.answer(facts(employer("Peter", "Acorn")))
        await done(agent, added)
        assert await agent.contents(scope) == ["Peter works at Acorn."]
    assert "Acorn" not in reader.log()


async def test_what_fails_three_times_is_put_aside_and_can_be_tried_again(reader: Server, gateway: Gateway, scope: str):
    async with reader.connect() as agent:
        # What is no answer is followed each time by a sign of life.
        gateway.answer(*["I'd rather not.", "ok"] * 3)
        added = await episode(agent, "Peter works at Acorn.", scope)
        await done(agent, added, "failed")
        (failed,) = (await agent.call("list_failed"))["failed"]
        assert (failed["scope"], failed["kind"]) == (scope, "episode")
        assert "holds nothing of what was asked for" in failed["reason"]
        assert (await agent.call("get_status"))["failed"] == 1
        assert [hit["kind"] for hit in await agent.search("Where does Peter work?", scope)] == ["passage"]
        gateway.answer(facts(employer("Peter", "Acorn")))
        assert await agent.call("retry_failed", ids=[failed["id"]]) == {"retried": 1}
        await done(agent, added)
        assert (await agent.call("list_failed"))["failed"] == []
    asked = gateway.asked()
    assert [body["options"]["seed"] for body in asked if body.get("format")] == [0, 1, 2, 0]


async def test_without_a_model_texts_wait_and_are_found(launch: Launch, gateway: Gateway, own_store: Store, scope: str):
    gateway.forget()
    settings = with_model(gateway, own_store)
    model = settings.pop("extraction_model")
    server = launch(**settings).start()
    async with server.connect() as agent:
        added = await episode(agent, "Peter works at Acorn.", scope)
        assert (await agent.search("Where does Peter work?", scope))[0]["kind"] == "passage"
        status = await agent.call("get_status", episode=added["id"])
        assert (status["waiting"], status["ahead"]) == ({scope: 1}, 0)
        assert "no extraction model is configured" in status["extraction"]
    assert server.stop() == 0
    gateway.answer(facts(employer("Peter", "Acorn")))
    async with launch(**settings, extraction_model=model).start().connect() as agent:
        await done(agent, added)
        assert await agent.contents(scope) == ["Peter works at Acorn."]
