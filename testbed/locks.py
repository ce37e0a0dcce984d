"""File locks that the kernel gives back when their holder dies, however it dies."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Generator[None]:
    """Hold FILE's lock, waiting for whoever holds it now."""
    descriptor = _open(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def take(file: Path) -> int | None:
    """FILE's lock as a descriptor that holds it until it is closed, or None when someone else has it."""
    descriptor = _open(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _open(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
