"""Which memories a question is about, beside what it says."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.memory import check_importance

BEGINNING = datetime.fromtimestamp(0, UTC)
END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Filters:
    """What a search is narrowed to; the defaults leave out only what has ended.

    Attributes:
        tags: A memory must have all of them.
        importance: At least this tier, 1 to 5.
        since: Stored at this moment or later.
        until: Stored before this moment.
        as_of: What held in the world at this moment; None for what has not ended.
        known_at: What this system knew at this moment; None for all it knows now.
        ended: What has ended, too.
    """

    category: str | None = None
    repo: str | None = None
    tags: tuple[str, ...] = ()
    importance: int = 1
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    ended: bool = False

    def __post_init__(self) -> None:
        """Raises `InvalidInput` for what contradicts itself."""
        check_importance(self.importance)
        if self.ended and self.as_of:
            raise InvalidInput(
                "as_of and ended were both given. Pass as_of for one moment, or ended for all of the past."
            )
        if self.since and self.until and self.since >= self.until:
            raise InvalidInput("since is not before until, so nothing can be found. Swap them or leave one out.")

    @property
    def narrow(self) -> bool:
        """Whether anything is asked for but what holds now."""
        return self != Filters()

    def holds_at(self, now: datetime) -> datetime:
        """The moment at which a memory must not have ended."""
        return BEGINNING - timedelta(seconds=1) if self.ended else self.as_of or self.known_at or now
