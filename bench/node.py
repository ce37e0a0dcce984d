"""A whole cluster: how long from `kubectl apply` to Ready, with the images on the node."""

from statistics import median

from bench.processes import stopwatch
from bench.table import Row
from e2e.cluster import SAMPLE, Cluster, installed
from testbed import Testbed

TIMES = 3


def rows() -> list[Row]:
    with Testbed.start(node=True) as bed:
        cluster = installed(bed)
        seconds = median(_round(cluster) for _ in range(TIMES))
    return [Row("apply to Ready, images present", seconds, "s", limit=15)]


def _round(cluster: Cluster) -> float:
    with stopwatch() as watch:
        cluster.kubectl("apply", "-f", str(SAMPLE))
        cluster.kubectl("wait", "--for=condition=Ready", "memorystack/mem-b", "--timeout=120s")
    cluster.kubectl("delete", "-f", str(SAMPLE))
    cluster.wait_until_empty()
    return watch.seconds
