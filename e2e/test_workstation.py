"""Without a cluster: `memstack up`, the command that it prints, and Claude Code remembers."""

import shlex
import socket
import subprocess
import sys
from pathlib import Path

from e2e.cluster import SAMPLE
from e2e.sessions import remember
from testbed.claude import ClaudeCode
from testbed.messages_api import messages_api


def test_the_printed_command_connects_claude_code(tmp_path: Path):
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "memstack", "up", str(SAMPLE), f"--data={tmp_path / 'data'}", f"--port={port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as up, messages_api() as model:
        assert up.stdout
        connect = next(line for line in up.stdout if line.strip().startswith("connect"))
        _, claude, *arguments = shlex.split(connect)
        assert claude == "claude"
        user = ClaudeCode(home, model.url, {})
        user.run(*arguments, cwd=work)
        remember(user, model, "project:example.org/shop", work)
        up.terminate()
    assert up.returncode == 0
