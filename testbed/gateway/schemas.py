"""The smallest value that obeys a JSON schema, by the rules of Ollama's grammars.

What the real one refuses is refused. So is what it takes and silently ignores, and what no schema of ours has used so
far: a schema that relies on either should be noticed here, not on someone's machine.
"""

from collections.abc import Callable, Mapping
from typing import Any

_KEYWORDS = frozenset(
    {"type", "title", "description", "enum", "const"}
    | {"properties", "required", "additionalProperties"}
    | {"items", "minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"}
)
# Past these the real one's grammar is too large, and its runner dies.
_LIMITS = {"minLength": 2_000, "maxLength": 2_000, "minItems": 2_001, "maxItems": 2_001}

Schema = Mapping[str, Any]


class InvalidSchemaError(Exception):
    """Ollama could not hold an answer to this schema; the message is what it would answer."""


def smallest(schema: Schema) -> object:
    """The smallest value that obeys.

    Raises:
        InvalidSchemaError: the schema asks for more than is honoured.
    """
    _check(schema)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return _SMALLEST[schema["type"]](schema)


def _check(schema: Schema) -> None:
    if unknown := schema.keys() - _KEYWORDS:
        raise InvalidSchemaError(f"invalid JSON schema in format: {', '.join(sorted(unknown))} cannot be relied on")
    if not schema.keys() & {"const", "enum"} and schema.get("type") not in _SMALLEST:
        raise InvalidSchemaError(f"invalid JSON schema in format: no type {schema.get('type')!r}")
    if any(schema.get(name, 0) > limit for name, limit in _LIMITS.items()):
        raise InvalidSchemaError("model runner has unexpectedly stopped")


def _object(schema: Schema) -> object:
    parts = {name: smallest(part) for name, part in schema.get("properties", {}).items()}
    # A key that is required and not described is lost, as with the real one.
    return {name: part for name, part in parts.items() if name in schema.get("required", ())}


def _array(schema: Schema) -> object:
    return [smallest(schema["items"])] * schema.get("minItems", 0)


def _integer(schema: Schema) -> object:
    return schema.get("minimum", min(schema.get("maximum", 0), 0))


_SMALLEST: Mapping[object, Callable[[Schema], object]] = {
    "object": _object,
    "array": _array,
    "string": lambda schema: "x" * schema.get("minLength", 0),
    "integer": _integer,
    "boolean": lambda _: False,
    "null": lambda _: None,
}
