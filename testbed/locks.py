"""File locks that the kernel gives back when their holder dies, however it dies."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path) -> Generator[None]:
    """Hold FILE's lock, waiting for whoever holds it now."""
    descriptor = hold(file)
    try:
        yield
    finally:
        os.close(descriptor)


def hold(file: Path) -> int:
    """FILE's lock as a descriptor that holds it until its last copy is closed, in whichever process that is."""
    descriptor = _open(file)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def is_held(file: Path) -> bool:
    descriptor = _open(file)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
