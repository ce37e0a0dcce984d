"""The command line: what it prints, and what it says when it cannot."""

import os
import subprocess
import sys
from pathlib import Path

from testbed import folders


def testbed(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "testbed", *words]
    return subprocess.run(
        command, cwd=folders.CHECKOUT, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )


testbed.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]


def test_help_teaches_by_example():
    said = testbed("--help").stdout
    for command in ("up", "down", "list", "build", "install"):
        assert f"  {command} " in said
    assert 'eval "$(python -m testbed up)"' in said


def test_up_lives_until_down():
    up = testbed("up", "--name", "by-hand")
    assert up.returncode == 0, up.stderr
    assert up.stdout.startswith("export KUBECONFIG=")
    kubeconfig = Path(up.stdout.strip().removeprefix("export KUBECONFIG="))
    assert kubeconfig.exists()
    assert "by-hand" in testbed("list").stdout
    down = testbed("down", "by-hand")
    assert down.returncode == 0, down.stderr
    assert not kubeconfig.parent.exists()
    assert "by-hand" not in testbed("list").stdout


def test_down_without_such_a_testbed_says_so_in_one_line():
    done = testbed("down", "nobody")
    assert done.returncode == 1
    assert done.stderr == ("testbed: No testbed is named 'nobody'. `python -m testbed list` shows those there are.\n")


def test_missing_tools_are_named_in_one_line_with_the_command_that_brings_them(tmp_path: Path):
    done = testbed("up", PATH=str(tmp_path))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("testbed: Missing on this machine: setpriv, openssl. Bring it with: apt-get install openssl")
