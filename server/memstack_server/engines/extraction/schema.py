"""The shape of the answers, as JSON schemas.

They are held by Ollama's grammars, which break on much of JSON Schema: no patterns, no lookaround, no length above
2,000, and nothing that is ignored is relied on (every answer is checked again when it is read). Keys come in the order
of `properties`, so a model names the entities before it says anything about them.
"""

from typing import Any

from memstack_server.domain.entity import EntityType
from memstack_server.domain.supersession import Verdict

FACTS = 50  # an answer of more is one that repeats itself
PAIRS = 30  # what one call may judge
CONTENT_CHARACTERS = 400
NAME_CHARACTERS = 80
CATEGORIES = (
    "identity",
    "family",
    "health",
    "work",
    "preference",
    "decision",
    "project",
    "procedure",
    "plan",
    "event",
    "other",
)


def facts(passages: int) -> dict[str, Any]:
    """Entities and facts of a text of so many passages."""
    entity = _object(
        name=_string(NAME_CHARACTERS), type=_one_of(*EntityType), aliases=_list(_string(NAME_CHARACTERS), 5)
    )
    fact = _object(
        content=_string(CONTENT_CHARACTERS),
        about=_list(_string(NAME_CHARACTERS), 8),
        category=_one_of(*CATEGORIES),
        importance=_integer(1, 5),
        subject=_string(NAME_CHARACTERS),
        attribute=_string(40),
        value=_string(NAME_CHARACTERS),
        single={"type": "boolean"},
        negated={"type": "boolean"},
        since=_string(40),
        until=_string(40),
        passages=_list(_integer(0, passages - 1), 8),
    )
    return _object(entities=_list(entity, FACTS), facts=_list(fact, FACTS))


def verdicts(pairs: int) -> dict[str, Any]:
    """A verdict on each of so many pairs."""
    verdict = _object(pair=_integer(0, pairs - 1), verdict=_one_of(*Verdict))
    return _object(verdicts=_list(verdict, pairs, at_least=pairs))


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: dict[str, Any], at_most: int, at_least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": at_least, "maxItems": at_most}


def _string(at_most: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": at_most}


def _integer(least: int, greatest: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": greatest}


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": [str(value) for value in values]}
