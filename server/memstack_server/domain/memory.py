"""A memory: what is remembered, where it belongs, and how it came here."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from memstack_server.domain import limits
from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.scope import Scope
from memstack_server.domain.text import checked, digest, normalised

_ID = re.compile(r"(?P<slug>[0-9a-f]{10})-(?P<key>[0-9a-f]{16})")


@dataclass(frozen=True)
class MemoryId:
    """`<slug of the scope>-<key of the text>`: an id alone leads to its graph."""

    slug: str
    key: str

    @classmethod
    def of(cls, scope: Scope, content: str) -> Self:
        """The same text in the same scope has the same id, whoever stores it and however often."""
        return cls(scope.slug, digest(normalised(content), 16))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises `InvalidInput` for what cannot be an id."""
        if not (found := _ID.fullmatch(text)):
            raise InvalidInput("That is not a memory id. Pass the `id` of a result of search_memory or list_memories.")
        return cls(**found.groupdict())

    def __str__(self) -> str:
        return f"{self.slug}-{self.key}"


class Source(StrEnum):
    """Who says so."""

    USER_SAID = "user-said"
    AGENT_INFERRED = "agent-inferred"
    IMPORTED = "imported"


@dataclass(frozen=True)
class Provenance:
    """Where a memory came from, as far as the caller knows."""

    source: Source = Source.AGENT_INFERRED
    repo: str | None = None
    workspace: str | None = None
    worktree_path: str | None = None
    base_dir: str | None = None
    session: str | None = None


@dataclass(frozen=True)
class Memory:
    """One remembered text; `importance` runs from 1 (passing) to 5 (critical)."""

    id: MemoryId
    scope: Scope
    content: str
    category: str | None
    tags: tuple[str, ...]
    importance: int
    created_at: datetime
    provenance: Provenance

    @classmethod
    def new(  # noqa: PLR0913 - a memory has these parts
        cls,
        scope: Scope,
        content: str,
        *,
        created_at: datetime,
        category: str | None = None,
        tags: tuple[str, ...] = (),
        importance: int = 3,
        provenance: Provenance | None = None,
    ) -> Self:
        """A memory as a caller hands it in.

        Raises:
            InvalidInput: A part is empty, too long or out of range; the message names it.
        """
        checked(content, "content", limits.CONTENT_CHARACTERS)
        _check_labels(category, tags)
        if not 1 <= importance <= 5:
            raise InvalidInput(f"importance is {importance}. Pass 1 (passing) to 5 (critical).")
        known = provenance or Provenance()
        _check_provenance(known)
        return cls(MemoryId.of(scope, content), scope, content, category, tags, importance, created_at, known)


def _check_labels(category: str | None, tags: tuple[str, ...]) -> None:
    if len(tags) > limits.TAGS:
        raise InvalidInput(f"{len(tags)} tags were given; at most {limits.TAGS} are allowed. Keep the telling ones.")
    if category is not None:
        checked(category, "category", limits.LABEL_CHARACTERS)
    for tag in tags:
        checked(tag, "a tag", limits.LABEL_CHARACTERS)


def _check_provenance(provenance: Provenance) -> None:
    for name in ("repo", "workspace", "worktree_path", "base_dir", "session"):
        value = getattr(provenance, name)
        if value is not None:
            checked(value, name, limits.PROVENANCE_CHARACTERS)
