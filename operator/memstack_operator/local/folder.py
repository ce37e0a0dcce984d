"""The data folder of one stack: who holds it, what engine made it, and the token that opens it."""

import fcntl
import json
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from memstack_operator.local.errors import LocalError

# A Unix socket's path must fit a field of 108 bytes on Linux and 104 on macOS, the final NUL included.
SOCKET_PATH_BYTES = 103


@dataclass(frozen=True)
class Folder:
    """Paths inside the data folder of one stack."""

    path: Path

    @property
    def token(self) -> Path:
        return self.path / "token"

    @property
    def engine(self) -> Path:
        return self.path / "engine.json"

    @property
    def store(self) -> Path:
        return self.path / "store"

    @property
    def socket(self) -> Path:
        return self.path / "store.sock"

    @property
    def store_log(self) -> Path:
        return self.path / "store.log"

    @property
    def lock(self) -> Path:
        return self.path / "lock"


@contextmanager
def claimed(path: Path, store_type: str, endpoint: str) -> Generator[Folder]:
    """Hold the folder, made when missing, for as long as the block lasts.

    The claim is a lock of the kernel's: it ends with its process however that ends, so a crash leaves nothing to clean.

    Raises:
        LocalError: another process holds it, another engine made it, or it cannot be used.
    """
    folder = Folder(path)
    with _open_lock(folder) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LocalError(
                f"{path.name} already runs: {_holder(folder)}. End that one first, or use its endpoint"
            ) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} serves {endpoint}")
        lock.flush()
        _check_engine(folder, store_type)
        _write_once(folder.token, secrets.token_urlsafe(32))
        yield folder


def _open_lock(folder: Folder) -> TextIO:
    if len(os.fsencode(folder.socket)) > SOCKET_PATH_BYTES:
        raise LocalError(f"the path {folder.path} is too long to hold a socket. Choose a shorter one: --data DIR")
    try:
        folder.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.store.mkdir(mode=0o700, exist_ok=True)
        return folder.lock.open("a+")
    except OSError as error:
        raise LocalError(
            f"the data folder {folder.path} cannot be used: {error.strerror}. Choose another: --data DIR"
        ) from error


def _holder(folder: Folder) -> str:
    return folder.lock.read_text() or "another process is starting it"


def _check_engine(folder: Folder, store_type: str) -> None:
    _write_once(folder.engine, json.dumps({"store": store_type}))
    made_by = json.loads(folder.engine.read_text())["store"]
    if made_by != store_type:
        raise LocalError(
            f"{folder.path} holds the memories of a {made_by} store, and the object asks for {store_type}. "
            f"Set spec.store.type to {made_by}, or choose another folder: --data DIR"
        )


def _write_once(path: Path, text: str) -> None:
    """Write the file unless it exists, for its owner's eyes alone. It stays for as long as the folder does."""
    if path.exists():
        return
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    # Renamed when whole: a crash or a full disk in between must not leave an empty token, which would be none.
    draft.rename(path)
