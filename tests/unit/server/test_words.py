import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.words import distinct, terms


@given(st.text())
def test_terms_are_never_query_syntax(text: str):
    assert all(re.fullmatch("[a-z0-9]+", term) for term in terms(text))


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("The tests were failing on two cores.", "which test fails"),
        ("The error is ERR_CONN-42.", "ERR_CONN-42"),
        ("See foo/bar.py for the parser.", "foo/bar.py"),
        ("Pinned to v1.2.3.", "v1.2.3"),
        ("getUserById is slow.", "getUserById"),
        ("DevMesh pays well.", "devmesh"),
        ("Peter wohnt in München.", "Munchen"),
        ("数据库在周二备份", "数据库备份"),
        ("日本語の設定を変更した", "設定変更"),
        ("Das Ding heißt データ42.", "データ42"),
    ],
)
def test_a_memory_is_found_by_words_of_a_question(memory: str, question: str):
    assert set(terms(memory)) & set(distinct(question))


def test_what_is_written_together_is_found_together_and_in_parts():
    assert {"errconn42", "err", "conn", "42"} <= set(terms("ERR_CONN-42"))


def test_little_words_find_nothing():
    assert terms("the and of is don't wasn't") == []


def test_a_question_names_each_term_once():
    assert distinct("tea, tea and more tea") == ["tea"]
