"""Ports of this machine that nobody listens on."""

import errno
import random
import socket

# Below those that the kernel gives to outgoing connections: one of them could take the port of a server that is down.
_CANDIDATES = range(20_000, 30_000)
# Test tools seed the shared generator, and two runs side by side would then choose the same ports.
_CHANCE = random.SystemRandom()


def free_port(host: str) -> int:
    """A port of HOST on which a server can listen now."""
    return next(port for port in _CHANCE.sample(_CANDIDATES, len(_CANDIDATES)) if _is_free(host, port))


def _is_free(host: str, port: int) -> bool:
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True
