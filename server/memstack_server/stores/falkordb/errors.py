"""The store's errors in our words, in one place."""

from collections.abc import Generator
from contextlib import contextmanager

from redis import exceptions

from memstack_server.domain.errors import MemoryStackError, StoreFull, StoreUnavailable

_FULL = StoreFull, "the store has no memory left, so nothing was stored. Delete memories or give it more memory."
_SLOW = StoreUnavailable, "the store did not answer in time. Try again; storing the same text twice is harmless."
_AWAY = StoreUnavailable, "the store cannot be reached. Try again shortly; get_status tells when it is back."
_PASSWORD = (
    StoreUnavailable,
    "the store refused this server's password. Whoever runs the server has to mend it; nothing was changed.",
)

# By type, the more special before the more general.
_TYPES: tuple[tuple[type[Exception], type[MemoryStackError], str], ...] = (
    (exceptions.BusyLoadingError, StoreUnavailable, "the store is still loading its data. Try again in a few seconds."),
    (exceptions.AuthenticationError, *_PASSWORD),
    (exceptions.NoPermissionError, *_PASSWORD),
    (exceptions.OutOfMemoryError, *_FULL),
    (exceptions.TimeoutError, *_SLOW),
    (exceptions.ConnectionError, *_AWAY),
    (OSError, *_AWAY),
)
# The module's own errors have one type and differ in their text.
_TEXTS: tuple[tuple[str, type[MemoryStackError], str], ...] = (
    ("timed out", *_SLOW),
    ("misconf", StoreUnavailable, "the store cannot write to its disk. Whoever runs it has to make room."),
    ("max pending queries", StoreUnavailable, "the store has too many queries waiting. Try again shortly."),
)


@contextmanager
def mapped() -> Generator[None]:
    """Turns what the store's client raises into our errors; what it does not know it lets through."""
    try:
        yield
    except (exceptions.RedisError, OSError) as error:
        if ours := translated(error):
            raise ours from error
        raise


def translated(error: Exception) -> MemoryStackError | None:
    """What a foreign error means to a caller, if it is a state of the store and no fault of this program."""
    # What goes wrong while connecting arrives as a ConnectionError, with the true reason as its cause.
    reason = error.__cause__ if isinstance(error.__cause__, exceptions.RedisError) else error
    for kind, ours, words in _TYPES:
        if isinstance(reason, kind):
            return ours(words)
    text = str(reason).lower()
    return next((ours(words) for telling, ours, words in _TEXTS if telling in text), None)
