"""What a testbed's holder is asked to hold; it lies in the testbed's folder, where the holder finds it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

FILE = "plan.json"
READY = "ready"  # the line with which a holder says that the testbed can be used


@dataclass(frozen=True)
class Plan:
    node: bool
    owned: bool
    programs: dict[str, str]

    @classmethod
    def read(cls, folder: Path) -> Self:
        return cls(**json.loads((folder / FILE).read_text()))

    def write(self, folder: Path) -> None:
        (folder / FILE).write_text(json.dumps(asdict(self)))
