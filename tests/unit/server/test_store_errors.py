"""Each error of the store's client has words of ours, and what nobody foresaw is let through."""

import pytest
from redis import exceptions

from memstack_server.domain.errors import MemoryStackError, StoreFull, StoreUnavailable
from memstack_server.stores.falkordb.errors import mapped

FOREIGN = [
    (exceptions.ConnectionError("Connection refused"), StoreUnavailable, "cannot be reached"),
    (ConnectionResetError(), StoreUnavailable, "cannot be reached"),
    (FileNotFoundError(), StoreUnavailable, "cannot be reached"),
    (exceptions.BusyLoadingError("LOADING"), StoreUnavailable, "still loading"),
    (exceptions.TimeoutError(), StoreUnavailable, "did not answer in time"),
    (exceptions.ResponseError("Query timed out"), StoreUnavailable, "did not answer in time"),
    (exceptions.ResponseError("Max pending queries exceeded"), StoreUnavailable, "too many queries"),
    (exceptions.ResponseError("MISCONF Errors writing to the AOF file"), StoreUnavailable, "cannot write to its disk"),
    (exceptions.AuthenticationError("WRONGPASS"), StoreUnavailable, "refused this server's password"),
    (exceptions.OutOfMemoryError("OOM"), StoreFull, "no memory left"),
]


@pytest.mark.parametrize(("foreign", "kind", "words"), FOREIGN)
def test_a_foreign_error_becomes_ours(foreign: Exception, kind: type[MemoryStackError], words: str):
    with pytest.raises(kind, match=words) as caught, mapped():
        raise foreign
    assert caught.value.__cause__ is foreign


def test_a_password_refused_while_connecting_is_not_taken_for_a_store_that_is_away():
    with pytest.raises(StoreUnavailable, match="refused this server's password"), mapped():
        raise exceptions.ConnectionError("while connecting") from exceptions.AuthenticationError("WRONGPASS")


def test_a_fault_of_ours_is_let_through():
    with pytest.raises(exceptions.ResponseError, match="errMsg"), mapped():
        raise exceptions.ResponseError("errMsg: Invalid input 'x'")
