"""The two times of a memory: when it holds in the world, and when this system knew.

    valid_at … invalid_at      the world: it held from the first moment up to the second
    created_at … expired_at    the system: learned at the first, learned at the second that it ends

A memory that gave way therefore keeps two dates: "until March" and "we heard of it in May". Asked in April, the system
would still have answered with the old fact, and `known_at` reproduces that.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self


@dataclass(frozen=True)
class Lifetime:
    """`invalid_at` and `expired_at` come together: an end is known from the moment it was learned. All are UTC."""

    valid_at: datetime
    created_at: datetime
    invalid_at: datetime | None = None
    expired_at: datetime | None = None

    def holds(self, as_of: datetime, known_at: datetime) -> bool:
        """Whether the system, with what it knew at `known_at`, would say that this held at `as_of`."""
        if self.created_at > known_at or self.valid_at > as_of:
            return False
        end = self._end_known_at(known_at)
        return end is None or as_of < end

    def current(self, now: datetime) -> bool:
        """Whether it has not ended. What is planned for later is current: it is what one knows of the future."""
        return self.invalid_at is None or now < self.invalid_at

    def ended(self, invalid_at: datetime, learned_at: datetime) -> Self:
        """The same life with an end; never one before its beginning."""
        return replace(self, invalid_at=max(invalid_at, self.valid_at), expired_at=learned_at)

    def _end_known_at(self, known_at: datetime) -> datetime | None:
        return self.invalid_at if self.expired_at is not None and self.expired_at <= known_at else None
