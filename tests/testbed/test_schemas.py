"""The stand-in's answers to a schema, and the schemas that it refuses."""

from typing import Any

import pytest

from testbed.gateway.schemas import InvalidSchemaError, smallest


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"enum": ["b", "a"]}, "b"),
        ({"const": "a"}, "a"),
        ({"type": "string", "minLength": 2}, "xx"),
        ({"type": "integer"}, 0),
        ({"type": "integer", "minimum": 1, "maximum": 5}, 1),
        ({"type": "integer", "maximum": -1}, -1),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": "array", "items": {"type": "null"}}, []),
        ({"type": "array", "items": {"type": "null"}, "minItems": 2}, [None, None]),
        (
            {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["b", "c"]},
            {"b": None},
        ),
    ],
)
def test_the_smallest_value_obeys(schema: dict[str, Any], value: object):
    assert smallest(schema) == value


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "pattern": "^a$"}, "pattern cannot be relied on"),
        ({"type": "array", "items": {"type": "null"}, "uniqueItems": True}, "uniqueItems cannot be relied on"),
        ({"type": "object", "properties": {"a": {"type": "whole"}}, "required": []}, "no type 'whole'"),
        ({}, "no type None"),
        ({"type": "string", "maxLength": 2_001}, "runner has unexpectedly stopped"),
        ({"type": "array", "items": {"type": "null"}, "maxItems": 2_002}, "runner has unexpectedly stopped"),
    ],
)
def test_what_the_real_one_would_not_hold_is_refused(schema: dict[str, Any], words: str):
    with pytest.raises(InvalidSchemaError, match=words):
        smallest(schema)
