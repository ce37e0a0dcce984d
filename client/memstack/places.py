"""Where stacks keep the token that opens them: in a folder of this machine, or in a Secret of a cluster."""

import base64
import os
import subprocess
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


def cluster_token(namespace: str, name: str) -> str:
    """The token of a stack in the cluster that kubectl points to.

    Raises:
        TokenError: there is no kubectl, or it was refused.
    """
    secret = f"{name}-token"
    command = ["kubectl", "get", "secret", secret, f"--namespace={namespace}", "--output=jsonpath={.data.token}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise TokenError("a stack in a cluster is reached through kubectl, which is not installed") from None
    if done.returncode:
        raise TokenError(f"kubectl could not read the Secret {secret}: {done.stderr.strip()}")
    return base64.b64decode(done.stdout).decode()
