"""Long lists in pages: a cursor says where the last page ended.

A page is found by the time and key of the memory before it, not by a count: what is stored or deleted meanwhile shifts
nothing, and no memory is shown twice or passed over.
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Self

from memstack_server.domain.clock import microseconds
from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.memory import Memory
from memstack_server.domain.scope import Scope

_CURSOR = re.compile(r"(?P<slug>[0-9a-f]{10}) (?P<created_at>\d{1,18}) (?P<key>[0-9a-f]{16})")


@dataclass(frozen=True)
class Cursor:
    """The last memory of a page: its scope's slug, its time in microseconds since 1970, its key."""

    slug: str
    created_at: int
    key: str

    @classmethod
    def at(cls, memory: Memory) -> Self:
        return cls(memory.id.slug, microseconds(memory.created_at), memory.id.key)

    def encode(self) -> str:
        return base64.urlsafe_b64encode(f"{self.slug} {self.created_at} {self.key}".encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str, scope: Scope) -> Self:
        """Raises `InvalidInput` for what is no cursor of this scope."""
        found = _CURSOR.fullmatch(_unpacked(text))
        if not found or found["slug"] != scope.slug:
            raise InvalidInput(
                "cursor does not belong to this list. Pass next_cursor of the previous page of the same scope as it "
                "was, or leave cursor out to begin anew."
            )
        return cls(found["slug"], int(found["created_at"]), found["key"])


def _unpacked(text: str) -> str:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        return ""


@dataclass(frozen=True)
class Page:
    """Some memories, and where the next ones begin, if there are any."""

    memories: tuple[Memory, ...]
    next: Cursor | None
