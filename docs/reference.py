"""Writes reference.md from the code: `python docs/reference.py` prints it, `make docs` keeps the file equal to it."""

from collections.abc import Iterator
from typing import Any

from memstack_operator.crd import crd
from memstack_server.settings import PREFIX, Settings

HEAD = """\
# Reference

Written by `make docs` from the types in the code; `kubectl explain memorystack.spec` says the same about the object.
"""


def main() -> None:
    print("\n".join((HEAD, *_object(), *_settings())))


def _object() -> Iterator[str]:
    version = crd()["spec"]["versions"][0]
    properties = version["schema"]["openAPIV3Schema"]["properties"]
    for part, title in (("spec", "What you ask for"), ("status", "What the operator answers")):
        yield f"## MemoryStack, `{part}`: {title.lower()}\n"
        yield "| field | type | default | meaning |\n| --- | --- | --- | --- |"
        yield from _rows(part, properties[part])
        yield ""


def _rows(path: str, schema: dict[str, Any]) -> Iterator[str]:
    """A row a field that holds a value; sections only lead to theirs."""
    for name, field in schema["properties"].items():
        if "properties" in field:
            yield from _rows(f"{path}.{name}", field)
        elif field.get("items", {}).get("properties"):
            yield from _rows(f"{path}.{name}[]", field["items"])
        else:
            yield f"| `{path}.{name}` | {_type(field)} | {_default(field)} | {_meaning(field)} |"


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    return f"list of {field['items']['type']}s" if field["type"] == "array" else field["type"]


def _default(field: dict[str, Any]) -> str:
    return f"`{field['default']}`" if "default" in field else ""


def _meaning(field: dict[str, Any]) -> str:
    """The description, and what the value must satisfy; that it cannot change is in the description already."""
    rules = field.get("items", field).get("x-kubernetes-validations", [])
    return " ".join(
        (field["description"], *(f"It {rule['message']}." for rule in rules if "oldSelf" not in rule["rule"]))
    )


def _settings() -> Iterator[str]:
    yield "## Settings of the memory server\n"
    yield "The operator and `memstack up` set them; only who starts `memstack-server` by hand needs this table.\n"
    yield "| variable | default | meaning |\n| --- | --- | --- |"
    for name, field in Settings.model_fields.items():
        default = "required" if field.is_required() else f"`{field.default}`" if field.default not in (None, ()) else ""
        yield f"| `{PREFIX}{name.upper()}` | {default} | {field.description} |"


if __name__ == "__main__":
    main()
