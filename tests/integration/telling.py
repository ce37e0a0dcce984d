"""What the model is made to answer, in the shape that it is asked for."""

import json
from typing import Any

from testbed.agent import ToolError
from tests.integration.parts import Agent


def fact(content: str, about: dict[str, str], **more: object) -> dict[str, Any]:
    """A fact as a model writes it; ABOUT are names with their types."""
    plain = {"category": "other", "importance": 3, "subject": "", "attribute": "", "value": "", "single": False}
    return {"content": content, "about": about, **plain, "negated": False, "since": "", "until": "", **more}


def facts(*stated: dict[str, Any]) -> str:
    """The answer that states these facts, all in the first passage."""
    names = {name: kind for each in stated for name, kind in each["about"].items()}
    entities = [{"name": name, "type": kind, "aliases": []} for name, kind in names.items()]
    listed = [each | {"about": list(each["about"]), "passages": each.get("passages", [0])} for each in stated]
    return json.dumps({"entities": entities, "facts": listed})


def employer(person: str, company: str, **more: object) -> dict[str, Any]:
    about = {person: "person", company: "organisation"}
    said = {"subject": person, "attribute": "employer", "value": company, "single": True, "importance": 4}
    return fact(f"{person} works at {company}.", about, **(said | more))


def verdicts(*given: str) -> str:
    return json.dumps({"verdicts": [{"pair": number, "verdict": verdict} for number, verdict in enumerate(given)]})


async def episode(agent: Agent, text: str, scope: str, **more: object) -> dict[str, Any]:
    return await agent.call("add_episode", text=text, scope=scope, **more)


async def state(agent: Agent, episode_id: str) -> str:
    try:
        return (await agent.call("get_status", episode=episode_id))["episode"]["state"]
    except ToolError:
        return "gone"
