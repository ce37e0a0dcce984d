"""A memory: what is remembered, where it belongs, and how it came here."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from memstack_server.domain import limits
from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.lifetime import Lifetime
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


class Kind(StrEnum):
    """What a search finds."""

    FACT = "fact"
    PASSAGE = "passage"  # a piece of an episode, in its own words


@dataclass(frozen=True)
class Memory:
    """One remembered text; `importance` runs from 1 (passing) to 5 (critical).

    Attributes:
        entities: The names of what it is about, once that is known.
        episode: What it was drawn from, or is a piece of.
        reason: Why it ended, if it has.
    """

    id: MemoryId
    scope: Scope
    content: str
    category: str | None
    tags: tuple[str, ...]
    importance: int
    lifetime: Lifetime
    provenance: Provenance
    kind: Kind = Kind.FACT
    entities: tuple[str, ...] = ()
    episode: MemoryId | None = None
    reason: str | None = None

    @property
    def created_at(self) -> datetime:
        return self.lifetime.created_at

    @property
    def indexed_text(self) -> str:
        """What the memory is found by: in a scope of many projects, with the name of its own."""
        repo = self.provenance.repo
        if repo is None or self.scope.name.startswith("project:"):
            return self.content
        return f"{repo.rstrip('/').removesuffix('.git').rpartition('/')[2]}: {self.content}"

    @classmethod
    def new(  # noqa: PLR0913 - a memory has these parts
        cls,
        scope: Scope,
        content: str,
        *,
        created_at: datetime,
        valid_at: datetime | None = None,
        category: str | None = None,
        tags: tuple[str, ...] = (),
        importance: int = 3,
        provenance: Provenance | None = None,
    ) -> Self:
        """A memory as a caller hands it in; it holds from `valid_at`, or from now on.

        Raises:
            InvalidInput: A part is empty, too long or out of range; the message names it.
        """
        checked(content, "content", limits.CONTENT_CHARACTERS)
        _check_labels(category, tags)
        check_importance(importance)
        known = provenance or Provenance()
        check_provenance(known)
        lifetime = Lifetime(valid_at or created_at, created_at)
        return cls(MemoryId.of(scope, content), scope, content, category, tags, importance, lifetime, known)


def check_importance(importance: int) -> None:
    """Raises `InvalidInput` for what is none of the five tiers."""
    if not 1 <= importance <= 5:
        raise InvalidInput(f"importance is {importance}. Pass 1 (passing) to 5 (critical).")


def _check_labels(category: str | None, tags: tuple[str, ...]) -> None:
    if len(tags) > limits.TAGS:
        raise InvalidInput(f"{len(tags)} tags were given; at most {limits.TAGS} are allowed. Keep the telling ones.")
    if category is not None:
        checked(category, "category", limits.LABEL_CHARACTERS)
    for tag in tags:
        checked(tag, "a tag", limits.LABEL_CHARACTERS)


def check_provenance(provenance: Provenance) -> None:
    """Raises `InvalidInput` for a part that is too long or cannot be stored."""
    for name in ("repo", "workspace", "worktree_path", "base_dir", "session"):
        value = getattr(provenance, name)
        if value is not None:
            checked(value, name, limits.PROVENANCE_CHARACTERS)
