"""What a person reads when the stack is up."""

import json
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from memstack_operator.api import MemoryStack
from memstack_operator.local.folder import Folder

CLUSTER_ONLY = ("store.storage", "store.image", "store.resources", "server.image", "server.resources", "virtualKey")


def greeting(stack: MemoryStack, folder: Folder, endpoint: str, seconds: float) -> str:
    """The text: endpoint, token, data, the command that connects Claude Code, and what was left alone."""
    name = stack.metadata.name
    rows = {
        "endpoint": endpoint,
        "token": str(folder.token),
        "data": str(folder.path),
        "connect": connect_command(name, endpoint, folder.path.parent),
    }
    lines = [f"{name} is ready ({seconds:.1f} s)", *(f"  {label:<9} {value}" for label, value in rows.items())]
    if left_alone := cluster_only(stack):
        lines.append(f"Only a cluster has a use for {', '.join(left_alone)}: left alone.")
    lines.append("Ctrl-C ends it; what was stored stays.")
    return "\n".join(lines)


def connect_command(name: str, endpoint: str, data: Path) -> str:
    """The one command that connects Claude Code.

    It hands over a helper that prints the token, never the token: neither the command line, nor the shell's history,
    nor Claude Code's configuration holds it.
    """
    helper = shlex.join([*memstack(), "headers", name, f"--data={data}"])
    server = {"type": "http", "url": endpoint, "headersHelper": helper}
    return shlex.join(["claude", "mcp", "add-json", "--scope", "user", name, json.dumps(server)])


def memstack() -> list[str]:
    script = Path(sys.executable).with_name("memstack")
    return [str(script)] if script.exists() else [shutil.which("memstack") or "memstack"]


def cluster_only(stack: MemoryStack) -> list[str]:
    """The fields that the object sets and that mean nothing here, as paths."""
    given = stack.spec.model_dump(by_alias=True, exclude_unset=True)
    return [f"spec.{path}" for path in CLUSTER_ONLY if _has(given, path.split("."))]


def _has(node: object, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(node, dict) or key not in node:
            return False
        node = node[key]
    return True
