"""What took long to make is made once and kept under a digest of its inputs, for every checkout of this user."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from testbed.locks import locked

KEPT = 3  # of each kind: those used last


def digest(*settings: str, files: Iterable[Path] = (), root: Path = Path("/")) -> str:
    """A short name for these inputs: change any of them, and it is another. Files count by path in ROOT and content."""
    inputs = hashlib.sha256("\0".join(settings).encode())
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).digest()
        inputs.update(str(file.relative_to(root)).encode() + b"\0" + content)
    return inputs.hexdigest()[:16]


def cached(home: Path, name: str, make: Callable[[Path], None]) -> Path:
    """The file HOME/NAME; MAKE writes it, to the path it is given, where nobody has done so before.

    Several may ask at once: one makes it, the others wait. Whoever is killed at it leaves nothing that looks whole.
    """
    target = home / name
    if not target.exists():
        with locked(home / "lock"):
            if not target.exists():
                unfinished = home / "unfinished"
                unfinished.unlink(missing_ok=True)
                make(unfinished)
                unfinished.rename(target)
    os.utime(target)
    _prune(home)
    return target


def _prune(home: Path) -> None:
    files = [file for file in home.iterdir() if file.name not in {"lock", "unfinished"}]
    for old in sorted(files, key=lambda file: file.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
