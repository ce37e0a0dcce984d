"""Which vectors a store holds, and whether a server may add to them.

Vectors of two models cannot be compared. A store therefore records its embedder with its first memory, and a server
that makes other vectors must not touch it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

Vector = Sequence[float]


@dataclass(frozen=True)
class EmbedderId:
    """The name of a model and the length of its vectors."""

    name: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.name} ({self.dimensions} dimensions)"


class Embedder(Protocol):
    """Turns a text into a unit vector."""

    @property
    def id(self) -> EmbedderId: ...

    async def embed(self, text: str) -> Vector:
        """A vector of `id.dimensions` numbers.

        Raises:
            EmbedderUnavailable: None could be had; the message says why.
        """
        ...
