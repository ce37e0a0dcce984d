"""The real Claude Code CLI, offline: its own home folder, and a scripted Messages API in place of the model."""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "claude_code"
LOCK = PACKAGE / "package-lock.json"


class ClaudeMissingError(Exception):
    """The CLI cannot be installed; the message names the command that would help."""


def installed() -> Path:
    """The CLI of the pinned version, installed into the cache at first use.

    Raises:
        ClaudeMissingError: there is no npm, or it could not install the CLI.
    """
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()[:16]
    folder = _cache() / "claude-code" / digest
    claude = folder / "node_modules" / ".bin" / "claude"
    if not claude.exists():
        _install(folder)
    return claude


def _install(folder: Path) -> None:
    if not shutil.which("npm"):
        raise ClaudeMissingError("the tests with Claude Code need npm: apt-get install nodejs npm")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PACKAGE / name, folder)
    done = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ClaudeMissingError(f"npm could not install the Claude Code CLI: {done.stderr.strip()}")


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memory-stack" / "testbed"


@dataclass(frozen=True)
class ClaudeCode:
    """One user's Claude Code: a home folder, and the API that plays the model."""

    home: Path
    api: str
    extra: dict[str, str]

    def run(self, *arguments: str, cwd: Path) -> str:
        """Run `claude` and return what it printed; a failure raises with what it said."""
        done = subprocess.run(
            [installed(), *arguments],
            cwd=cwd,
            env=self._environment(),
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"claude {arguments[0]} failed: {done.stderr or done.stdout}")
        return done.stdout

    def ask(self, prompt: str, *, server: str, cwd: Path) -> dict[str, Any]:
        """One session: the prompt, the tools of one MCP server allowed, the result as Claude Code reports it."""
        return json.loads(
            self.run("-p", prompt, "--allowedTools", f"mcp__{server}", "--output-format", "json", cwd=cwd)
        )

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TERM": "dumb",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.api,
            "ANTHROPIC_API_KEY": "sk-ant-api03-not-a-real-key",
            # the first request waits for the server's tools, however slow the machine is
            "MCP_CONNECTION_NONBLOCKING": "0",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        } | self.extra
