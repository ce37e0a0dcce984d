import pytest

from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import EmbedderUnavailable
from memstack_server.models.cache import QueryVectors


class Counting:
    """An embedder whose vectors are the lengths of texts, and that remembers what it was asked."""

    def __init__(self, name: str = "counting") -> None:
        self.id = EmbedderId(name, 1)
        self.asked: list[str] = []

    async def embed(self, text: str) -> Vector:
        self.asked.append(text)
        if text == "down":
            raise EmbedderUnavailable("down")
        return [float(len(text))]


async def test_the_same_query_is_embedded_once():
    vectors, embedder = QueryVectors(), Counting()
    assert [await vectors.of("what", embedder), await vectors.of("what", embedder)] == [[4.0], [4.0]]
    assert embedder.asked == ["what"]


async def test_what_was_asked_longest_ago_is_forgotten_first():
    vectors, embedder = QueryVectors(2), Counting()
    for text in ("a", "b", "a", "c", "a", "b"):
        await vectors.of(text, embedder)
    assert embedder.asked == ["a", "b", "c", "b"]


async def test_each_embedder_has_vectors_of_its_own():
    vectors, one, other = QueryVectors(), Counting("one"), Counting("other")
    await vectors.of("a", one)
    await vectors.of("a", other)
    assert other.asked == ["a"]


async def test_a_failure_is_not_kept():
    vectors, embedder = QueryVectors(), Counting()
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            await vectors.of("down", embedder)
    assert embedder.asked == ["down", "down"]
