"""What is built is kept under a digest of its inputs, made once, and never left half made."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from testbed import cache, parts
from testbed.cache import cached


def test_a_digest_is_stable_and_changes_with_every_input(tmp_path: Path):
    source = tmp_path / "main.go"
    source.write_text("package main")
    first = cache.digest("go1.26", files=[source], root=tmp_path)
    assert cache.digest("go1.26", files=[source], root=tmp_path) == first
    assert cache.digest("go1.27", files=[source], root=tmp_path) != first
    source.write_text("package other")
    changed = cache.digest("go1.26", files=[source], root=tmp_path)
    assert changed != first
    moved = source.rename(tmp_path / "other.go")
    assert cache.digest("go1.26", files=[moved], root=tmp_path) not in {first, changed}


@pytest.mark.parametrize("part", parts.NODE, ids=lambda part: part.name)
def test_a_part_is_another_with_another_go_or_other_flags(part: parts.Part):
    digests = {part.digest("go1.26"), part.digest("go1.27"), replace(part, ldflags="-w").digest("go1.26")}
    assert len(digests) == 3


def test_it_is_made_once_however_many_ask(tmp_path: Path):
    made: list[Path] = []

    def make(target: Path) -> None:
        made.append(target)
        target.write_text("built")

    askers = [threading.Thread(target=cached, args=(tmp_path, "name", make)) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(made) == 1
    assert (tmp_path / "name").read_text() == "built"


def test_a_maker_that_fails_leaves_nothing_that_looks_whole(tmp_path: Path):
    def fail(target: Path) -> None:
        target.write_text("half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        cached(tmp_path, "name", fail)
    assert not (tmp_path / "name").exists()
    assert cached(tmp_path, "name", lambda target: target.touch()).read_text() == ""


def test_only_those_used_last_are_kept(tmp_path: Path):
    for age in range(5, 0, -1):
        file = cached(tmp_path, f"used-{age}-ago", Path.touch)
        os.utime(file, (1000 - age, 1000 - age))
    cached(tmp_path, "used-4-ago", Path.touch)
    assert {file.name for file in tmp_path.glob("used-*")} == {"used-4-ago", "used-1-ago", "used-2-ago"}
