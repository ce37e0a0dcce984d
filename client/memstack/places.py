"""Where the stacks of this machine keep their things."""

import os
from pathlib import Path


class TokenError(Exception):
    """The token cannot be had; the message says why, and what to do."""


def data_home() -> Path:
    """The folder that holds one folder a stack: under `$XDG_DATA_HOME`, else `~/.local/share`."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "memstack"


def local_token(data: Path, name: str) -> str:
    """The token of a stack that `memstack up` made on this machine.

    Raises:
        TokenError: no stack of this name was ever started with this data folder.
    """
    try:
        return (data / name / "token").read_text().strip()
    except FileNotFoundError:
        raise TokenError(
            f"no stack {name!r} under {data}. Start it once: memstack up FILE. Or say where it is: --data or -n"
        ) from None
