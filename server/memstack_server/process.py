"""The life of the server's process: listen, get ready in the background, serve, end in order."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Awaitable, Callable

import uvicorn
from starlette.types import ASGIApp

from memstack_server.domain.errors import StoreUnavailable

log = logging.getLogger(__name__)

Listener = socket.socket

_RETRY_SECONDS = 0.2
_GRACE_SECONDS = 20  # for requests in flight; less than the 30 that Kubernetes gives a pod


def listen(host: str, port: int) -> Listener:
    """A listening socket; raises `OSError` if the address is taken, or none of this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2048)
    # Inherited by each connection. asyncio would do it for sockets of its own; without it every answer waits 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


async def serve(
    app: ASGIApp,
    listener: Listener,
    settle: Callable[[], Awaitable[None]],
    work: Callable[[], Awaitable[None]],
    *,
    watch_stdin: bool,
) -> bool:
    """Serves until a signal comes or, if asked to watch it, standard input ends.

    Requests in flight are answered before it returns. Meanwhile `settle` is tried until the store can be asked, and
    `work` goes on from then to the end; any other error of theirs ends the server and is raised.

    Returns:
        Whether it was standard input: whoever started this process has gone.
    """
    server = uvicorn.Server(_config(app))
    settling = asyncio.create_task(_settled(settle, work))
    settling.add_done_callback(lambda task: None if task.cancelled() or not task.exception() else _stop(server))
    orphaned = asyncio.Event()
    if watch_stdin:
        _on_end_of_stdin(lambda: (orphaned.set(), _stop(server)))
    _outlive_signals()
    await server.serve([listener])
    settling.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await settling
    return orphaned.is_set()


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _stop(server: uvicorn.Server) -> None:
    server.should_exit = True


async def _settled(settle: Callable[[], Awaitable[None]], work: Callable[[], Awaitable[None]]) -> None:
    await _until_store_answers(settle)
    await work()


async def _until_store_answers(settle: Callable[[], Awaitable[None]]) -> None:
    said = ""
    while True:
        try:
            return await settle()
        except StoreUnavailable as error:
            if str(error) != said:
                said = str(error)
                log.info("not ready: %s", said)
        await asyncio.sleep(_RETRY_SECONDS)


def _on_end_of_stdin(callback: Callable[[], object]) -> None:
    # A thread and not the event loop, which cannot wait for every kind of file that may be standard input.
    loop = asyncio.get_running_loop()

    def wait() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        with contextlib.suppress(RuntimeError):  # the loop has ended before its parent
            loop.call_soon_threadsafe(callback)

    threading.Thread(target=wait, daemon=True).start()


def _outlive_signals() -> None:
    # uvicorn raises the signal that ended it once more; what is still to be closed must outlive that.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
