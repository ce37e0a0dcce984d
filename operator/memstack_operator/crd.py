"""The CustomResourceDefinition, generated from the types in `api.py`.

`python -m memstack_operator.crd` prints it; `make crds` keeps `crds/memorystacks.yaml` equal to it. Kubernetes wants a
*structural* schema, a narrow dialect: no references, no unions with null, no titles. A keyword that this dialect might
not know stops the generation, so that no rule is lost silently.
"""

import json
import sys
from typing import Any

from memstack_operator.api import GROUP, KIND, NAME, PLURAL, VERSION, Spec, Status
from memstack_operator.rules import VALIDATIONS

Schema = dict[str, Any]

_KEPT = (  # in the order in which a person reads a field
    "type", "description", "default", "enum", "format", "minimum", "maximum", "minLength", "maxLength", "minItems",
    "maxItems", VALIDATIONS, "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "required", "properties", "items",
)  # fmt: skip
_DROPPED = {"$defs", "title", "additionalProperties"}  # the API server prunes unknown fields by itself

_COLUMNS = (
    ("Store", "string", ".spec.store.type", "The database that holds the memory"),
    ("Ready", "string", '.status.conditions[?(@.type=="Ready")].status', "Whether agents can use it"),
    ("Phase", "string", ".status.phase", "The whole state in one short sentence"),
    ("Endpoint", "string", ".status.endpoint", "URL for MCP clients inside the cluster"),
    ("Age", "date", ".metadata.creationTimestamp", "Since when it exists"),
)


def crd() -> Schema:
    """The CustomResourceDefinition as a manifest."""
    names = {
        "kind": KIND,
        "listKind": f"{KIND}List",
        "plural": PLURAL,
        "singular": KIND.lower(),
        "shortNames": ["ms"],
        "categories": ["memory"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [_version()]},
    }


def _version() -> Schema:
    columns = [
        {"name": name, "type": type_, "jsonPath": path, "description": description}
        for name, type_, path, description in _COLUMNS
    ]
    return {
        "name": VERSION,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns,
        "schema": {"openAPIV3Schema": _root()},
    }


def _root() -> Schema:
    return {
        "type": "object",
        "description": "A memory for coding agents: a store, a memory server in front of it, and the access to both.",
        "required": ["spec"],
        VALIDATIONS: [NAME.schema() | {"message": f"metadata.name {NAME.message}"}],
        "properties": {
            "apiVersion": {"type": "string", "description": "Version of this schema."},
            "kind": {"type": "string", "description": "Always MemoryStack."},
            "metadata": {"type": "object"},
            "spec": _of(Spec, "What you ask for."),
            "status": _of(Status, "What the operator answers. Nobody else writes it."),
        },
    }


def _of(model: type[Spec | Status], description: str) -> Schema:
    schema = model.model_json_schema(by_alias=True)
    return structural(schema | {"description": description}, schema.get("$defs", {}))


def structural(schema: Schema, definitions: Schema) -> Schema:
    """The schema in Kubernetes' dialect: references inlined, `X | null` turned into an optional `X`.

    Raises:
        ValueError: it uses a keyword for which this dialect has no word.
    """
    schema = _plain(schema, definitions)
    if unknown := schema.keys() - {*_KEPT} - _DROPPED:
        raise ValueError(f"no structural form is known for {sorted(unknown)}; write the field in api.py without it")
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "properties" in kept:
        kept["properties"] = {name: structural(part, definitions) for name, part in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = structural(kept["items"], definitions)
    return kept


def _plain(schema: Schema, definitions: Schema) -> Schema:
    """One level of the schema without reference, null and constant; what a field says wins over what its type says."""
    schema = dict(schema)
    while "$ref" in schema or "anyOf" in schema:
        if reference := schema.pop("$ref", None):
            schema = definitions[reference.rpartition("/")[2]] | schema
        if choices := schema.pop("anyOf", None):
            (choice,) = (choice for choice in choices if choice != {"type": "null"})
            schema = choice | schema
    if schema.get("default", ...) is None:
        del schema["default"]
    if "const" in schema:
        schema["enum"] = [schema.pop("const")]
    return schema


def main() -> None:
    import yaml  # noqa: PLC0415  only this command writes YAML; the operator should not carry it for that

    plain = json.loads(json.dumps(crd()))  # parts that are used twice are written out twice, not as YAML anchors
    yaml.safe_dump(plain, sys.stdout, sort_keys=False, width=120, allow_unicode=True)


if __name__ == "__main__":
    main()
