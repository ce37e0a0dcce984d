"""The memory server beside the bare store: one search and one write, with the embedding taken out."""

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from falkordb.asyncio import FalkorDB
from falkordb.asyncio.graph import AsyncGraph

from bench.table import Row
from memstack_operator.local import store as embedded
from memstack_operator.local.folder import Folder
from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import StoreUnavailable
from memstack_server.domain.memory import Provenance
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.memory import MemoryEngine
from memstack_server.models.bundled import BundledEmbedder
from memstack_server.stores.falkordb import FalkorStore

FACTS, QUERIES, WRITES, RESULTS = 1_000, 100, 100, 10
SCOPE = "bench"
BARE_SEARCH = (
    "MATCH (f:Bare) WITH f, vec.cosineDistance(f.v, vecf32($v)) AS d ORDER BY d LIMIT 10 RETURN f.i, f.text, d"
)
BARE_WRITE = "CREATE (:Bare {i: $i, text: $text, v: vecf32($v)})"
SUBJECTS = ("the build", "the release", "a migration", "the parser", "a cache")


def text(number: int) -> str:
    return (
        f"{SUBJECTS[number % 5]} of service {number} reads file {number * 7 % 1_000} and logs to channel {number % 31}"
    )


async def rows() -> list[Row]:
    """Milliseconds for a search and a write at 1,000 facts, in process, against the same store on the same socket."""
    embedder = BundledEmbedder()
    texts = [text(number) for number in range(FACTS + WRITES)]
    vectors = [await embedder.embed(each) for each in texts]
    async with running_store() as folder:
        floor_search, floor_write = await bare(folder, texts, vectors)
        search, write, embedding = await ours(folder, texts, embedder)
    return [
        Row("search, 1,000 facts", search, "ms", floor_search, "bare exact query", limit=2 * floor_search + 1),
        Row("store, searchable", write - embedding, "ms", floor_write, "bare write", limit=5),
        Row("one embedding, bundled model", embedding, "ms"),
    ]


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


async def bare(folder: Folder, texts: list[str], vectors: list[Vector]) -> tuple[float, float]:
    """Medians of the least that the store itself needs: one query each, nothing around it."""
    async with FalkorDB(unix_socket_path=str(folder.socket)) as store:
        graph = store.select_graph("bare")
        for number in range(FACTS):
            await bare_write(graph, number, texts, vectors)
        search = await median(QUERIES, lambda i: graph.ro_query(BARE_SEARCH, {"v": list(vectors[i])}))
        write = await median(WRITES, lambda i: bare_write(graph, FACTS + i, texts, vectors))
        return search, write


async def answering(folder: Folder) -> None:
    store = FalkorStore(f"unix://{folder.socket}", None)
    while not await _answers(store):  # noqa: ASYNC110  what is awaited is another program
        await asyncio.sleep(0.02)
    await store.aclose()


async def _answers(store: FalkorStore) -> bool:
    try:
        await store.ping()
    except StoreUnavailable:
        return False
    return True


async def bare_write(graph: AsyncGraph, number: int, texts: list[str], vectors: list[Vector]) -> None:
    await graph.query(BARE_WRITE, {"i": number, "text": texts[number], "v": list(vectors[number])})


async def ours(folder: Folder, texts: list[str], embedder: BundledEmbedder) -> tuple[float, float, float]:
    """Medians of a search whose query vector is known, of a write, and of one embedding."""
    store = FalkorStore(f"unix://{folder.socket}", None)
    engine = MemoryEngine(store, Embedders(store, EmbedderId("none", 1), None))
    for each in texts[:FACTS]:
        await remember(engine, each)

    async def search(number: int) -> None:
        await engine.search(texts[number], SCOPE, RESULTS)

    await median(QUERIES, search)  # the vectors of the queries are kept from here on
    medians = (
        await median(QUERIES, search),
        await median(WRITES, lambda i: remember(engine, texts[FACTS + i])),
        await median(WRITES, lambda i: embedder.embed(texts[FACTS + i])),
    )
    await store.aclose()
    return medians


async def remember(engine: MemoryEngine, content: str) -> None:
    await engine.store(content, SCOPE, category=None, tags=(), importance=3, provenance=Provenance())


async def median(times: int, work: Callable[[int], Awaitable[object]]) -> float:
    """Median milliseconds of one run of the work."""
    taken: list[float] = []
    for number in range(times):
        began = time.perf_counter()
        await work(number)
        taken.append((time.perf_counter() - began) * 1_000)
    return statistics.median(taken)
