"""Vectors of the latest queries: an agent asks the same thing again, and a search costs less than its embedding."""

from collections import OrderedDict

from memstack_server.domain.embedding import Embedder, EmbedderId, Vector


class QueryVectors:
    """Keeps the vectors of the `size` texts that were asked for last."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._vectors: OrderedDict[tuple[EmbedderId, str], Vector] = OrderedDict()

    async def of(self, text: str, embedder: Embedder) -> Vector:
        """The vector of `text`, from memory if it is there; raises what the embedder raises."""
        key = (embedder.id, text)
        if key not in self._vectors:
            self._vectors[key] = await embedder.embed(text)
        self._vectors.move_to_end(key)
        vector = self._vectors[key]
        if len(self._vectors) > self._size:
            self._vectors.popitem(last=False)
        return vector
