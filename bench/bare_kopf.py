"""The floor of an operator: a kopf handler that applies ten small objects, and does nothing else.

`kopf run bench/bare_kopf.py` watches MemoryStacks as the operator does; the objects are ConfigMaps.
"""

import asyncio

import kopf

from memstack_operator.cluster import connected

CHILDREN = 10


def child(namespace: str, name: str, number: int) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"{name}-{number}", "namespace": namespace},
        "data": {"number": str(number)},
    }


@kopf.on.event("memorystack.dev", "memorystacks")
async def apply(event: kopf.RawEvent, namespace: str | None, name: str, **_: object) -> None:
    if namespace and event["type"] != "DELETED":
        async with connected() as cluster:
            await asyncio.gather(*(cluster.apply(child(namespace, name, number)) for number in range(CHILDREN)))
