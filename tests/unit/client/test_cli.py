"""What `memstack` says, and what it refuses."""

import base64
import json
from pathlib import Path

import pytest

from memstack.cli import main, parser


def test_help_teaches_by_example():
    text = parser().format_help()
    assert "memstack up mem-b.yaml" in text
    assert "memstack headers mem-b" in text


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
def test_what_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as end:
        main(["up", "mem-b.yaml", f"--port={port}"])
    assert end.value.code == 2
    assert "is no port" in capsys.readouterr().err


def test_headers_of_a_local_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "mem-b").mkdir()
    (tmp_path / "mem-b" / "token").write_text("abc\n")
    assert main(["headers", "mem-b", f"--data={tmp_path}"]) == 0
    assert json.loads(capsys.readouterr().out) == {"Authorization": "Bearer abc"}


def test_headers_of_an_unknown_stack_say_how_to_start_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["headers", "mem-b", f"--data={tmp_path}"]) == 1
    assert "memstack up FILE" in capsys.readouterr().err


def test_headers_of_a_cluster_s_stack_come_from_its_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    token = base64.b64encode(b"abc").decode()
    _kubectl(tmp_path, f'test "$3 $4" = "mem-b-token --namespace=mem-eval" && printf {token}', monkeypatch)
    assert main(["headers", "mem-b", "-n", "mem-eval"]) == 0
    assert json.loads(capsys.readouterr().out) == {"Authorization": "Bearer abc"}


def test_a_refusal_of_kubectl_is_passed_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    _kubectl(tmp_path, 'echo "not found" >&2; exit 1', monkeypatch)
    assert main(["headers", "mem-b", "-n", "mem-eval"]) == 1
    assert "not found" in capsys.readouterr().err


def test_a_missing_kubectl_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["headers", "mem-b", "-n", "mem-eval"]) == 1
    assert "kubectl, which is not installed" in capsys.readouterr().err


def _kubectl(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for kubectl that does what the script says; the real one is used end to end."""
    stand_in = folder / "kubectl"
    stand_in.write_text(f"#!/bin/sh\n{script}\n")
    stand_in.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
