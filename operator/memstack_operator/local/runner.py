"""Run one stack in the foreground: start its store and its server, say where they are, end both."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from memstack_operator.api import MemoryStack
from memstack_operator.local import store
from memstack_operator.local.errors import AlreadySaidError, LocalError
from memstack_operator.local.folder import Folder, claimed
from memstack_operator.local.greeting import greeting
from memstack_operator.tuning import tuning
from memstack_server.settings import PREFIX, Settings

HOST = "127.0.0.1"
POLL_SECONDS = 0.03
# The server finishes what it has begun, then ends the store, which writes its log out.
GRACE_SECONDS = 20


@dataclass(frozen=True)
class Options:
    """What the command line adds to the object."""

    data: Path
    port: int
    gateway_key_file: Path | None


@dataclass(frozen=True)
class Children:
    store: subprocess.Popen[bytes]
    server: subprocess.Popen[bytes]

    def check(self, folder: Folder) -> None:
        """Raises LocalError, or AlreadySaidError, when one of the two has ended."""
        if (code := self.server.poll()) is not None:
            raise AlreadySaidError if code == 1 else LocalError(f"the server ended (exit code {code})")
        if (code := self.store.poll()) is not None:
            raise LocalError(f"the store ended (exit code {code}); see {folder.store_log}")


def up(stack: MemoryStack, options: Options) -> None:
    """Run the stack until SIGINT or SIGTERM.

    Raises:
        LocalError: it cannot start, or one of its parts ended by itself.
        AlreadySaidError: the same, and it said so itself.
    """
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT too: what a script starts in the background ignores it
        signal.signal(number, signal.default_int_handler)
    began = time.monotonic()
    endpoint = f"http://{HOST}:{options.port}/mcp"
    with claimed(options.data / stack.metadata.name, stack.spec.store.type, endpoint) as folder:
        check_port(options.port)
        with running(settings(stack, folder, options), folder) as children:
            wait_until_ready(children, folder, options.port)
            print(greeting(stack, folder, endpoint, seconds=time.monotonic() - began), flush=True)
            watch(children, folder)


def settings(stack: MemoryStack, folder: Folder, options: Options) -> Settings:
    here = {
        "host": HOST,
        "port": options.port,
        "token_file": folder.token,
        "store_url": f"unix://{folder.socket}",
        "gateway_key_file": options.gateway_key_file,
        "exit_with_parent": True,
    }
    return Settings.model_validate(here | tuning(stack))


def check_port(port: int) -> None:
    with socket.socket() as probe:
        # As the server will: a port in TIME_WAIT, left by the last run, is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise LocalError(
                f"port {port} cannot be used: {error.strerror}. Choose another: --port {port + 1}"
            ) from error


@contextmanager
def running(settings: Settings, folder: Folder) -> Generator[Children]:
    """Both children for as long as the block lasts; started together, for the server waits for its store."""
    with ended(store.start(folder)) as store_process, ended(start_server(settings)) as server:
        yield Children(store_process, server)


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Generator[subprocess.Popen[bytes]]:
    """The process, ended when the block is left: by its closed standard input if it has one, else by SIGTERM."""
    try:
        yield process
    finally:
        if process.stdin:
            process.stdin.close()
        else:
            process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start_server(settings: Settings) -> subprocess.Popen[bytes]:
    """Start the server. Its standard input is the cord to this process: when it breaks, it ends, store and all."""
    return subprocess.Popen(
        [sys.executable, "-m", "memstack_server"],
        stdin=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the two in order
        env={name: value for name, value in os.environ.items() if not name.startswith(PREFIX)} | settings.environment(),
    )


def wait_until_ready(children: Children, folder: Folder, port: int) -> None:
    while not ready(port):
        children.check(folder)
        time.sleep(POLL_SECONDS)


def ready(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def watch(children: Children, folder: Folder) -> None:
    while True:
        children.check(folder)
        time.sleep(0.5)
