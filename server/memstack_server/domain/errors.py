"""What can go wrong, told to a model.

    MemoryStackError
    ├── InvalidInput          the call itself is wrong: nothing was read or written
    │   └── Refused           the text is none to be kept: a secret, or nothing to remember
    ├── UnknownMemory         the id names nothing
    ├── StoreUnavailable      the store is down, starting or too slow
    ├── StoreFull             the store has no room for another memory
    ├── EmbedderUnavailable   no vector could be had for a text
    ├── ChatFailed            a language model gave no answer to work with (see models/chat.py)
    └── EmbedderConflict      the store was filled with other vectors than this server makes

Every message is a sentence or three: what happened, why, and what to do next. None holds the text of a memory, for
messages are logged.
"""

from typing import ClassVar


class MemoryStackError(Exception):
    """An error with words for the reader; `outcome` is what the metrics call it."""

    outcome: ClassVar[str] = "failed"


class InvalidInput(MemoryStackError):
    outcome = "refused"


class Refused(InvalidInput):
    """`kind` is what the text was taken for."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class UnknownMemory(MemoryStackError):
    outcome = "refused"


class StoreUnavailable(MemoryStackError):
    outcome = "unavailable"


class StoreFull(MemoryStackError):
    outcome = "unavailable"


class EmbedderUnavailable(MemoryStackError):
    outcome = "unavailable"


class EmbedderConflict(MemoryStackError):
    outcome = "unavailable"
