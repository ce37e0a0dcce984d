import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.clock import microseconds, moment
from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.page import Cursor
from memstack_server.domain.scope import Scope

SCOPE = Scope("a-scope")
TIMES = st.integers(0, 4_000_000_000_000_000)


@given(TIMES, st.text("0123456789abcdef", min_size=16, max_size=16))
def test_a_cursor_is_read_as_it_was_written(created_at: int, key: str):
    cursor = Cursor(SCOPE.slug, created_at, key)
    assert Cursor.decode(cursor.encode(), SCOPE) == cursor


@given(TIMES)
def test_every_microsecond_is_told_apart(time: int):
    assert microseconds(moment(time)) == time


@given(st.text())
def test_text_that_is_no_cursor_is_refused(text: str):
    with pytest.raises(InvalidInput, match="Pass next_cursor of the previous page"):
        Cursor.decode(text, SCOPE)


@pytest.mark.parametrize(
    "inside", ["", "x", f"{SCOPE.slug} 1", f"{SCOPE.slug} -1 {'0' * 16}", f"{SCOPE.slug} 1 {'g' * 16}", "\xff"]
)
def test_a_cursor_of_another_shape_is_refused(inside: str):
    with pytest.raises(InvalidInput):
        Cursor.decode(base64.urlsafe_b64encode(inside.encode("latin-1")).decode(), SCOPE)


def test_a_cursor_of_another_scope_is_refused():
    cursor = Cursor(SCOPE.slug, 1, "0" * 16).encode()
    with pytest.raises(InvalidInput, match="does not belong to this list"):
        Cursor.decode(cursor, Scope("another-scope"))
