"""What a stack's children should be: pure functions from the object, and from what was seen, to manifests."""

from memstack_operator.api import MemoryStack
from memstack_operator.desired import metadata, network, secrets, server, store
from memstack_operator.desired.secrets import Drawn
from memstack_operator.seen import Child, Manifest, Seen, child_of

__all__ = ["Drawn", "children", "desired"]


def children(stack: MemoryStack) -> tuple[Child, ...]:
    """Everything that belongs to the stack, by kind and name: what to look at before anything is decided."""
    return (
        metadata.store_secret(stack),
        metadata.token_secret(stack),
        metadata.store_config(stack),
        metadata.store_service(stack),
        metadata.server_service(stack),
        metadata.store_claim(stack),
        metadata.store_set(stack),
        metadata.server_deployment(stack),
    )


def desired(stack: MemoryStack, seen: Seen, drawn: Drawn, image: str) -> list[list[Manifest]]:
    """The manifests to apply, in steps; within a step the order does not matter.

    What pods mount comes before the pods, since a mount that fails is tried again only much later. What may well be
    refused, a volume that grows, comes last.

    Secrets that exist are left out: they are made once. `image` is the server's, unless the stack names another.
    """
    store_secret = secrets.store_secret(stack, seen, drawn)
    token_secret = secrets.token_secret(stack, seen, drawn)
    config = store.store_config(stack)
    return [
        [
            *(secret for secret in (store_secret, token_secret) if seen.get(child_of(secret)) is None),
            config,
            network.store_service(stack),
            network.server_service(stack),
        ],
        [
            store.stateful_set(stack, seen, config, store_secret),
            server.deployment(stack, image, store_secret, token_secret),
        ],
        [*filter(None, [store.grown_claim(stack, seen)])],
    ]
