"""Example objects, and the table of what is refused: shared by the tests with and without an API server."""

import copy
from typing import Any, NamedTuple

from memstack_operator.api import MemoryStack, parse

UID = "5f0c1e5e-3d5b-4a0e-9f5e-0d6f6f3f0c11"

SMALLEST: dict[str, Any] = {
    "apiVersion": "memorystack.dev/v1alpha1",
    "kind": "MemoryStack",
    "metadata": {"name": "mem-b", "namespace": "mem-eval"},
    "spec": {"store": {"type": "FalkorDB"}},
}


def document(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The smallest object with some fields changed, each named by its path; None takes the field away."""
    result = copy.deepcopy(SMALLEST)
    for path, value in (changes or {}).items():
        *parents, last = path.split(".")
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return result


def stack(changes: dict[str, Any] | None = None) -> MemoryStack:
    """The stack as the operator reads it: the API server has given it an identity."""
    return parse(document({"metadata.uid": UID, "metadata.generation": 1, **(changes or {})}))


class Refused(NamedTuple):
    why: str
    changes: dict[str, Any]
    field: str
    allowed: str


REFUSED = (
    Refused("an unknown store type", {"spec.store.type": "Redis"}, "spec.store.type", "FalkorDB"),
    Refused("no store type", {"spec.store.type": None}, "spec.store.type", "equired"),
    Refused("no store", {"spec.store": None}, "spec.store", "equired"),
    Refused("a size of nothing", {"spec.store.storage.size": "0Gi"}, "spec.store.storage.size", "greater than 0"),
    Refused("a size that is none", {"spec.store.storage.size": "much"}, "spec.store.storage.size", "such as 2Gi"),
    Refused("a negative size", {"spec.store.storage.size": "-2Gi"}, "spec.store.storage.size", "greater than 0"),
    Refused(
        "an unknown amount of memory",
        {"spec.server.resources.limits.memory": "lots"},
        "spec.server.resources.limits.memory",
        "must be a quantity",
    ),
    Refused("a gateway that is no URL", {"spec.models.gateway.url": "litellm"}, "spec.models.gateway.url", "http://"),
    Refused("a gateway by ftp", {"spec.models.gateway.url": "ftp://a"}, "spec.models.gateway.url", "http://"),
    Refused(
        "an embedding model in the cloud",
        {"spec.models.embedding.name": "openai/text-embedding-3-small"},
        "spec.models.embedding.name",
        "must begin with ollama/",
    ),
    Refused(
        "an embedding model that is a pattern",
        {"spec.models.embedding.name": "ollama/*"},
        "spec.models.embedding.name",
        "must be one model, not a pattern",
    ),
    Refused(
        "no dimensions",
        {"spec.models.embedding.dimensions": 0},
        "spec.models.embedding.dimensions",
        "greater than or equal to 1",
    ),
    Refused(
        "dimensions as text", {"spec.models.embedding.dimensions": "768"}, "spec.models.embedding.dimensions", "integer"
    ),
    Refused("an empty allow list", {"spec.virtualKey.allow": []}, "spec.virtualKey.allow", "at least 1 item"),
    Refused(
        "a model in the cloud",
        {"spec.virtualKey.allow": ["ollama/*", "gpt-4o"]},
        "spec.virtualKey.allow[1]",
        "must begin with ollama/",
    ),
    Refused("a provider alone", {"spec.virtualKey.allow": ["ollama/"]}, "spec.virtualKey.allow[0]", "name a model"),
    Refused("a name that begins with a digit", {"metadata.name": "2nd"}, "metadata.name", "must begin with a letter"),
    Refused("a name with a dot", {"metadata.name": "mem.b"}, "metadata.name", "hold only a-z, 0-9 and -"),
    Refused("a name that is too long", {"metadata.name": "m" * 47}, "metadata.name", "at most 46 characters"),
)

ACCEPTED: tuple[dict[str, Any], ...] = (
    {},
    {"metadata.name": "m"},
    {"metadata.name": "m" * 46},
    {"spec.store.storage.size": "1.5Gi", "spec.store.storage.storageClassName": "fast"},
    {
        "spec.store.resources": {"limits": {"memory": "2G", "cpu": "1500m"}},
        "spec.store.image": "registry:5000/falkordb",
    },
    {"spec.models.gateway.url": "https://litellm.example:4000/v1", "spec.models.embedding.dimensions": 65535},
    {"spec.virtualKey.allow": ["ollama/qwen2.5:14b", "ollama/*"], "spec.server.image": "memory-stack:dev"},
)
