from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from memstack_operator.crd import crd, structural

FILE = Path(__file__).parents[3] / "crds" / "memorystacks.yaml"


def fields(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, part in schema.get("properties", {}).items():
        yield f"{path}.{name}", part
        yield from fields(part, f"{path}.{name}")
    if "items" in schema:
        yield from fields(schema["items"], f"{path}[]")


def root() -> dict[str, Any]:
    return crd()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_the_file_is_what_the_types_say() -> None:
    assert yaml.safe_load(FILE.read_text()) == crd(), "run `make crds` and commit the file"


def test_every_field_is_described() -> None:
    silent = [path for path, part in fields(root()) if "description" not in part and path != ".metadata"]
    assert not silent


def test_every_text_of_a_person_is_bounded() -> None:
    # CEL rules have a budget, and the API server counts with the longest text that a field may hold.
    texts = [(path, part) for path, part in fields(root()["properties"]["spec"]) if part["type"] == "string"]
    assert len(texts) > 5
    assert not [path for path, part in texts if "maxLength" not in part and "enum" not in part]


def test_a_keyword_without_a_structural_form_stops_the_generation() -> None:
    with pytest.raises(ValueError, match="exclusiveMinimum"):
        structural({"type": "integer", "exclusiveMinimum": 0}, {})
