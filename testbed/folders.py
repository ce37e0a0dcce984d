"""Where things lie: outside every checkout, so that checkouts share what took minutes to build."""

import os
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
CHECKOUT = SOURCE.parent


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return made((Path(base) if base else Path.home() / ".cache") / "memory-stack" / "testbed")


def programs() -> Path:
    return made(cache() / "bin")


def images() -> Path:
    return made(cache() / "images")


def runs() -> Path:
    return made(cache() / "run")


def made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def write_secret(file: Path, text: str) -> Path:
    """Write a file that only its owner can read, from its first byte on."""
    file.touch(mode=0o600)
    file.write_text(text)
    return file
