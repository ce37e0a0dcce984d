"""The operator beside a bare kopf handler, on the same API server: how soon children exist, what it weighs."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from bench.bare_kopf import CHILDREN
from bench.table import Row
from memstack_operator.api import API_VERSION, KIND, parse
from memstack_operator.cluster import Cluster, connected
from memstack_operator.desired import children, metadata
from memstack_operator.seen import Child, Manifest
from testbed import Testbed

NAMESPACE = "bench"
STACKS = 10
BARE = [sys.executable, "-m", "kopf", "run", "--standalone", "--all-namespaces", "bench/bare_kopf.py"]
OURS = [sys.executable, "-m", "memstack_operator"]


async def rows() -> list[Row]:
    with Testbed.start() as bed:
        os.environ["KUBECONFIG"] = str(bed.kubeconfig)
        bed.kubectl("apply", "--server-side", "-f", "crds/memorystacks.yaml")
        bed.kubectl("create", "namespace", NAMESPACE)
        async with connected() as cluster:
            floor, _ = await measured(cluster, BARE, "bare", bare_children)
            ours, weight = await measured(cluster, OURS, "mem", stack_children)
    return [
        Row("apply, all children exist", ours, "s", floor, "bare kopf, ten children", limit=0.5),
        Row("operator, idle", weight, "MB", limit=130),
    ]


def stack(name: str) -> Manifest:
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"store": {"type": "FalkorDB"}},
    }


def bare_children(name: str) -> list[Child]:
    return [Child("ConfigMap", f"{name}-{number}") for number in range(CHILDREN)]


def stack_children(name: str) -> list[Child]:
    """All but the claim, which is not the operator's to make."""
    parsed = parse(stack(name))
    return [child for child in children(parsed) if child != metadata.store_claim(parsed)]


async def measured(
    cluster: Cluster, command: Sequence[str], prefix: str, expected: Callable[[str], Sequence[Child]]
) -> tuple[float, float]:
    """Median seconds from applying a stack until all its children exist, and the operator's megabytes after that."""
    async with running(command) as pid:
        await appear(cluster, f"{prefix}-first", expected(f"{prefix}-first"))  # the operator is up once it acts
        seconds = [await appear(cluster, f"{prefix}-{n}", expected(f"{prefix}-{n}")) for n in range(STACKS)]
        return median(seconds), resident(pid)


async def appear(cluster: Cluster, name: str, expected: Sequence[Child]) -> float:
    began = time.perf_counter()
    await cluster.apply(stack(name))
    for child in expected:
        while await cluster.get(NAMESPACE, child) is None:  # noqa: ASYNC110  what is awaited is another program
            await asyncio.sleep(0.002)
    return time.perf_counter() - began


@asynccontextmanager
async def running(command: Sequence[str]) -> AsyncGenerator[int]:
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        await process.wait()


def resident(pid: int) -> float:
    """Megabytes of memory that the process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024
