"""What the cluster holds under the names of a stack's children, gathered once and then only read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

Manifest = dict[str, Any]


class Child(NamedTuple):
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Seen:
    """The objects that exist, each as the API server returned it."""

    objects: Mapping[Child, Manifest] = field(default_factory=dict)

    def get(self, child: Child) -> Manifest | None:
        return self.objects.get(child)

    def with_object(self, manifest: Manifest) -> Self:
        """The same, with one object that has been made or changed since."""
        return replace(self, objects={**self.objects, child_of(manifest): manifest})


def child_of(manifest: Manifest) -> Child:
    return Child(manifest["kind"], manifest["metadata"]["name"])
