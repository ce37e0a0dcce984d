"""Raw text, kept as it was told, from which facts are drawn later."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from memstack_server.domain import limits
from memstack_server.domain.memory import MemoryId, Provenance, check_provenance
from memstack_server.domain.scope import Scope
from memstack_server.domain.text import checked


class State(StrEnum):
    """How far the drawing of facts has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Episode:
    """A text in passages, each of which is found by itself.

    Attributes:
        said_at: When it was said; what it tells of time is relative to that.
        reason: Why it waits or failed.
        facts: How many facts it states.
    """

    id: MemoryId
    scope: Scope
    passages: tuple[str, ...]
    said_at: datetime
    created_at: datetime
    provenance: Provenance
    state: State = State.QUEUED
    reason: str | None = None
    facts: int = 0

    @classmethod
    def new(cls, scope: Scope, text: str, *, created_at: datetime, said_at: datetime, provenance: Provenance) -> Self:
        """Raises `InvalidInput` for a text or a provenance that cannot be kept."""
        checked(text, "text", limits.EPISODE_CHARACTERS)
        check_provenance(provenance)
        return cls(MemoryId.of(scope, text), scope, passages(text), said_at, created_at, provenance)

    @property
    def content(self) -> str:
        return "\n\n".join(self.passages)


def passages(text: str) -> tuple[str, ...]:
    """The text in pieces of at most `PASSAGE_CHARACTERS`, cut where paragraphs, lines, sentences or words end."""
    pieces: list[str] = []
    for paragraph in filter(None, (part.strip() for part in text.split("\n\n"))):
        pieces.extend(_cut(paragraph))
    return tuple(_joined(pieces))


def _cut(text: str) -> list[str]:
    limit = limits.PASSAGE_CHARACTERS
    pieces: list[str] = []
    while len(text) > limit:
        end = next(
            (at for mark in ("\n", ". ", "。", " ") if (at := text.rfind(mark, limit // 2, limit)) > 0), limit - 1
        )
        pieces.append(text[: end + 1].strip())
        text = text[end + 1 :].strip()
    return [*pieces, text] if text else pieces


def _joined(pieces: list[str]) -> list[str]:
    # Short paragraphs that stand together are read together.
    joined: list[str] = []
    for piece in pieces:
        if joined and len(joined[-1]) + len(piece) + 2 <= limits.PASSAGE_CHARACTERS // 2:
            joined[-1] = f"{joined[-1]}\n\n{piece}"
        else:
            joined.append(piece)
    return joined
