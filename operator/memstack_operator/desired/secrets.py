"""The two Secrets of a stack: the store's password and the clients' token.

A Secret is made once. The values are drawn by the caller, so that this stays pure, and they are used only while the
Secret does not exist: an operator that is restarted, or that reconciles again, never rotates anything by accident.
"""

import base64
from dataclasses import dataclass, field

from memstack_operator.api import MemoryStack
from memstack_operator.desired import metadata
from memstack_operator.seen import Child, Manifest, Seen

PASSWORD_KEY, AUTH_KEY, TOKEN_KEY = "password", "auth.conf", "token"


@dataclass(frozen=True)
class Drawn:
    """Fresh random values for Secrets that do not exist yet; text without spaces."""

    password: str = field(repr=False)
    token: str = field(repr=False)


def store_secret(stack: MemoryStack, seen: Seen, drawn: Drawn) -> Manifest:
    """The store's password, for its clients as it is and for the store as a piece of its configuration."""
    values = {AUTH_KEY: f"requirepass {drawn.password}\n", PASSWORD_KEY: drawn.password}
    return _secret(stack, metadata.store_secret(stack), metadata.STORE, seen, values)


def token_secret(stack: MemoryStack, seen: Seen, drawn: Drawn) -> Manifest:
    """The bearer token that every client of the memory server sends."""
    return _secret(stack, metadata.token_secret(stack), metadata.SERVER, seen, {TOKEN_KEY: drawn.token})


def _secret(stack: MemoryStack, child: Child, component: str, seen: Seen, values: dict[str, str]) -> Manifest:
    if existing := seen.get(child):
        return existing
    data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return metadata.manifest(stack, child, component, "v1") | {"type": "Opaque", "data": data}
