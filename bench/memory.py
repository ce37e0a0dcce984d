"""The memory beside the bare store: one search and one write, with the embedding taken out.

The two take turns, so that whatever else the machine does falls on both.
"""

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis

from bench.table import Row
from memstack_operator.local import store as embedded
from memstack_operator.local.folder import Folder
from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import StoreUnavailable
from memstack_server.domain.memory import Provenance
from memstack_server.domain.scoring import Weights
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.graph import GraphEngine
from memstack_server.models.bundled import BundledEmbedder
from memstack_server.stores.falkordb.store import FalkorStore

FACTS, TIMES, RESULTS = 1_000, 200, 10
SCOPE = "bench"
BARE_SEARCH = "MATCH (f:Bare) WITH f, vec.cosineDistance(f.v, vecf32($v)) AS d ORDER BY d LIMIT 10 RETURN f.text, d"
BARE_WRITE = "CREATE (:Bare {text: $text, v: vecf32($v)})"
SUBJECTS = ("the build", "the release", "a migration", "the parser", "a cache")

Work = Callable[[int], Awaitable[object]]


def text(number: int) -> str:
    return f"{SUBJECTS[number % 5]} of service {number} reads file {number * 7 % 1_000}, logs to channel {number % 31}"


@dataclass(frozen=True)
class Known:
    """An embedder that knows its vectors beforehand."""

    vectors: dict[str, Vector]
    id: EmbedderId

    async def embed(self, text: str) -> Vector:
        # What it does not know is the question whether it works.
        return self.vectors.get(text, [1.0] * self.id.dimensions)


class Bare:
    """The least that the store itself needs: one command, whose text was made beforehand."""

    def __init__(self, folder: Folder, known: Known) -> None:
        self._store = Redis(unix_socket_path=str(folder.socket))
        literals = {each: f"[{','.join(f'{number:.8g}' for number in v)}]" for each, v in known.vectors.items()}
        self._writes = [f"CYPHER text='{each}' v={v} {BARE_WRITE}" for each, v in literals.items()]
        self._searches = [f"CYPHER v={v} {BARE_SEARCH}" for v in literals.values()]

    async def write(self, number: int) -> None:
        self._store.execute_command("GRAPH.QUERY", "bare", self._writes[number], "--compact")

    async def search(self, number: int) -> None:
        self._store.execute_command("GRAPH.RO_QUERY", "bare", self._searches[number], "--compact")


class Ours:
    """What the tools do for the same."""

    def __init__(self, folder: Folder, known: Known) -> None:
        self.store = store_in(folder)
        self._engine = GraphEngine(self.store, Embedders(self.store.schema, known.id, known), Weights(), "none")

    async def write(self, number: int) -> None:
        provenance = Provenance()
        await self._engine.store(text(number), SCOPE, category=None, tags=(), importance=3, provenance=provenance)

    async def search(self, number: int) -> None:
        await self._engine.search(text(number), SCOPE, RESULTS)


async def rows() -> list[Row]:
    """Milliseconds at 1,000 facts of one scope, in process, on the same store through the same socket."""
    bundled = BundledEmbedder()
    vectors = {text(number): await bundled.embed(text(number)) for number in range(FACTS + TIMES)}
    known = Known(vectors, EmbedderId("known/beforehand", bundled.id.dimensions))
    async with running_store() as folder:
        bare, ours = Bare(folder, known), Ours(folder, known)
        await side_by_side(range(FACTS), bare.write, ours.write)
        floor_search, search = await side_by_side(range(TIMES), bare.search, ours.search)
        floor_write, write = await side_by_side(range(FACTS, FACTS + TIMES), bare.write, ours.write)
        await ours.store.connection.aclose()
    embedding = statistics.median([await milliseconds(lambda i: bundled.embed(text(i)), i) for i in range(TIMES)])
    return [
        Row("search, 1,000 facts", search, "ms", floor_search, "bare exact query", limit=2 * floor_search + 1),
        Row("store, searchable", write, "ms", floor_write, "bare write", limit=5),
        Row("one embedding, bundled model", embedding, "ms"),
    ]


async def side_by_side(numbers: range, one: Work, other: Work) -> tuple[float, float]:
    """Median milliseconds of each."""
    pairs = [(await milliseconds(one, number), await milliseconds(other, number)) for number in numbers]
    first, second = zip(*pairs, strict=True)
    return statistics.median(first), statistics.median(second)


async def milliseconds(work: Work, number: int) -> float:
    began = time.perf_counter()
    await work(number)
    return (time.perf_counter() - began) * 1_000


@asynccontextmanager
async def running_store() -> AsyncGenerator[Folder]:
    with TemporaryDirectory() as path:
        folder = Folder(Path(path))
        folder.store.mkdir()
        process = embedded.start(folder)
        try:
            await answering(folder)
            yield folder
        finally:
            process.terminate()
            process.wait()


def store_in(folder: Folder) -> FalkorStore:
    return FalkorStore(f"unix://{folder.socket}", None)


async def answering(folder: Folder) -> None:
    store = store_in(folder)
    while not await _answers(store):  # noqa: ASYNC110  what is awaited is another program
        await asyncio.sleep(0.02)
    await store.connection.aclose()


async def _answers(store: FalkorStore) -> bool:
    try:
        await store.ping()
    except StoreUnavailable:
        return False
    return True
