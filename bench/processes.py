"""What the programs weigh when idle, and how soon they are there."""

import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.table import Row

SAMPLE = Path("manifests/samples/mem-b.yaml")
STARTS = 5


@dataclass(frozen=True)
class Started:
    """A `memstack up` that is ready."""

    seconds: float
    pid: int
    endpoint: str

    def resident(self, argument: str) -> float:
        """Megabytes that the child with this word in its command line holds."""
        listed = subprocess.check_output(["ps", "-o", "rss=,args=", "--ppid", str(self.pid)], text=True)
        (line,) = (line for line in listed.splitlines() if argument in line)
        return int(line.split()[0]) / 1024


def rows() -> list[Row]:
    with TemporaryDirectory() as data:
        with up(data) as first:
            server, store = first.resident("memstack_server"), first.resident("redis-server")
        again = median(_again(data) for _ in range(STARTS))
    bare = median(seconds(sys.executable, "-c", "import mcp.server") for _ in range(STARTS))
    nothing = median(seconds(sys.executable, "-c", "pass") for _ in range(STARTS))
    help_ = median(seconds(str(Path(sys.executable).with_name("memstack")), "--help") for _ in range(STARTS))
    return [
        Row("memstack up, first start", first.seconds, "s"),
        Row("memstack up, later starts", again, "s", bare, "import mcp.server", limit=3),
        Row("memstack --help", help_ * 1_000, "ms", nothing * 1_000, "python", limit=100),
        Row("memory server, idle", server, "MB", limit=110),
        Row("embedded store, idle", store, "MB"),
    ]


def _again(data: str) -> float:
    with up(data) as started:
        return started.seconds


@contextmanager
def up(data: str) -> Generator[Started]:
    began = time.perf_counter()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "memstack", "up", str(SAMPLE), f"--data={data}", f"--port={port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while not (line := process.stdout.readline()).startswith("Ctrl-C"):
            if not line:
                raise SystemExit("memstack up did not start; it said why above")
        yield Started(time.perf_counter() - began, process.pid, f"http://127.0.0.1:{port}/mcp")
        process.terminate()


def seconds(*command: str) -> float:
    with stopwatch() as watch:
        subprocess.run(command, check=True, capture_output=True)
    return watch.seconds


@dataclass
class Stopwatch:
    seconds: float = 0


@contextmanager
def stopwatch() -> Generator[Stopwatch]:
    """Seconds that the block took, known after it."""
    watch, began = Stopwatch(), time.perf_counter()
    yield watch
    watch.seconds = time.perf_counter() - began
