"""Vectors without a model: texts that share words are near, others are at right angles but for chance."""

import hashlib
import math
import re
import struct
from functools import cache

Vector = list[float]


def embedded(text: str, dimensions: int) -> Vector:
    """A unit vector: the direction of the sum of one random vector for each word."""
    words = re.findall(r"\w+", text.lower()) or [""]
    return _unit([math.fsum(numbers) for numbers in zip(*(_of_word(word, dimensions) for word in words), strict=True)])


@cache
def _of_word(word: str, dimensions: int) -> Vector:
    """Uniform in each direction, and the same in every process."""
    return list(struct.unpack(f"<{dimensions}i", hashlib.shake_256(word.encode()).digest(4 * dimensions)))


def _unit(numbers: Vector) -> Vector:
    length = math.hypot(*numbers)
    return [round(number / length, 8) for number in numbers]
