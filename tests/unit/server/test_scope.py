import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.scope import GLOBAL, Scope


@pytest.mark.parametrize(
    "name",
    [
        "global",
        "eval-2026-05",
        "a",
        "0.1_x-y",
        "a" * 100,
        "project:github.com/owner/name",
        "project:x",
        "project:/home/p/my projects/a",
        "project:数据库",
        "project:" + "x" * 292,
    ],
)
def test_scopes(name: str):
    assert Scope.parse(name).name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "Global",
        "-x",
        ".x",
        "a b",
        "a/b",
        "é",
        "a" * 101,
        "project:",
        "project: x",
        "project:x ",
        "project:a\nb",
    ],
)
def test_what_is_no_scope_is_refused_with_what_is_one(text: str):
    with pytest.raises(InvalidInput, match=r"Pass scope='project:.*'global'.*free name"):
        Scope.parse(text)


def test_a_scope_is_one_line():
    with pytest.raises(InvalidInput, match="is not a scope"):
        Scope.parse("project:a\nb")


def test_a_scope_beyond_the_limit_is_refused():
    with pytest.raises(InvalidInput, match="at most 300"):
        Scope.parse("project:" + "x" * 293)


def test_global_is_the_scope_of_that_name():
    assert Scope.parse("global") == GLOBAL


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S"]), min_size=1, max_size=250))
def test_a_slug_is_safe_in_a_name_whatever_the_scope(identity: str):
    assert re.fullmatch(r"[0-9a-f]{10}", Scope(f"project:{identity}").slug)


def test_one_name_has_one_slug_however_its_accents_are_composed():
    composed, decomposed = (unicodedata.normalize(form, "project:café") for form in ("NFC", "NFD"))
    assert composed != decomposed
    assert Scope.parse(composed).slug == Scope.parse(decomposed).slug
    assert Scope.parse(composed).slug != Scope.parse("project:cafe").slug
