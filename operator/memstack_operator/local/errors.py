"""What stops a local stack, told in one line."""


class LocalError(Exception):
    """The stack cannot run here; the message says why, and what to do."""


class AlreadySaidError(Exception):
    """The server ended, and its own last line said why: a second line would only bury it."""
