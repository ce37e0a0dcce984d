"""Figures beside the floor that they stand on: a ratio tells more than a time on a noisy machine."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure.

    `floor` is the same work by the bare part, measured in the same run. `limit` is the most that the project allows
    itself, in the figure's own unit; it may depend on the floor.
    """

    what: str
    measured: float
    unit: str
    floor: float | None = None
    floor_is: str = ""
    limit: float | None = None

    @property
    def within(self) -> bool:
        return self.limit is None or self.measured <= self.limit

    def cells(self) -> tuple[str, ...]:
        return (
            self.what,
            f"{self.measured:,.2f} {self.unit}",
            f"{self.floor:,.2f} {self.unit} ({self.floor_is})" if self.floor else "",
            f"{self.measured / self.floor:.1f}x" if self.floor else "",
            "" if self.limit is None else f"{self.limit:,.2f} {self.unit} {'kept' if self.within else 'EXCEEDED'}",
        )


def table(rows: Iterable[Row]) -> str:
    lines = [("what", "measured", "floor", "ratio", "limit"), *(row.cells() for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
