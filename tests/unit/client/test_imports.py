"""The client runs in hooks: what it loads is decided here, not by accident."""

import json
import subprocess
import sys

HEAVY = {
    "asyncio",
    "email",
    "http",
    "mcp",
    "memstack_operator",
    "memstack_server",
    "pydantic",
    "ssl",
    "urllib.request",
    "yaml",
}


def test_the_command_loads_nothing_heavy():
    script = "import sys, json, memstack.cli as cli; cli.parser().format_help(); print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(subprocess.check_output([sys.executable, "-S", "-c", script], env=_paths(), text=True)))
    assert "memstack.cli" in loaded
    assert not loaded & HEAVY


def _paths() -> dict[str, str]:
    """The search path without `site`, which may load what it likes from the environment's .pth files."""
    return {"PYTHONPATH": ":".join(path for path in sys.path if path)}
