"""The folder of a running gateway; it goes when the gateway ends, or when the next one finds it orphaned."""

import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from testbed import folders, locks


@contextmanager
def workplace() -> Generator[Path]:
    """A folder for as long as the block runs.

    It lies among the temporary files because PostgreSQL, which refuses to run as root, could not enter root's cache.
    Whoever holds its lock lives; the kernel frees the lock of one that was killed.
    """
    with locks.locked(_register()):
        _sweep()
        folder = Path(tempfile.mkdtemp(prefix=_prefix()))
        alive = locks.hold(folder / "lock")
    try:
        folder.chmod(0o711)
        yield folder
    finally:
        shutil.rmtree(folder)
        os.close(alive)


def _sweep() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_prefix()}*"):
        if not locks.is_held(folder / "lock"):
            shutil.rmtree(folder)


def _prefix() -> str:
    return f"memory-stack-gateway-{os.geteuid()}-"


def _register() -> Path:
    """The lock under which such folders are made and swept away, one at a time."""
    return folders.made(folders.cache() / "gateway") / "running"
