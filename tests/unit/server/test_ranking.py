from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.ranking import Calibration, Candidate, idf, relevance
from memstack_server.domain.scoring import Weights, score

MINILM = Calibration(0.26, 0.14)
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def best(*candidates: Candidate) -> Candidate:
    ranked = relevance(candidates, MINILM)
    return candidates[ranked.index(max(ranked))]


def test_rare_terms_weigh_more():
    assert idf(1, 1000) > idf(100, 1000) > idf(999, 1000) > 0


def test_words_and_meaning_both_count():
    neither, words, meaning = Candidate(0.3, 0.0), Candidate(0.3, 5.0), Candidate(0.7, 0.0)
    both = Candidate(0.7, 5.0)
    assert best(neither, words) is words
    assert best(neither, meaning) is meaning
    assert best(words, meaning, both) is both


def test_what_stands_beside_an_answer_rises():
    answer = Candidate(0.8, 5.0, "s", 4)
    beside, elsewhere = Candidate(0.5, 0.0, "s", 5), Candidate(0.5, 0.0, "t", 5)
    ranked = relevance([answer, beside, elsewhere], MINILM)
    assert ranked[0] > ranked[1] > ranked[2]


def test_a_score_is_the_weighted_sum_of_its_parts():
    result = score(0.7, NOW - timedelta(days=365), 4, Weights(), NOW)
    assert result.recency == pytest.approx(0.5)
    assert result.importance == 0.75
    assert result.total == pytest.approx(0.5 * result.similarity + 0.2 * 0.5 + 0.3 * 0.75)


def test_what_begins_tomorrow_is_as_fresh_as_now():
    assert score(0.7, NOW + timedelta(days=1), 3, Weights(), NOW).recency == 1


@pytest.mark.parametrize(
    "parts",
    [
        {"similarity": 0.9},
        {"recency": -0.2, "importance": 0.7},
        {"half_life_days": 0},
        {"half_life_days": float("inf")},
    ],
)
def test_what_is_no_weighting_is_refused(parts: dict[str, Any]):
    with pytest.raises(InvalidInput, match=r"Pass "):
        Weights(**parts)
