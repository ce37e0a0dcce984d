"""Compiles the parts that are not in the cache yet."""

import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from testbed import folders, tools
from testbed.cache import cached
from testbed.errors import TestbedError
from testbed.parts import Part

Say = Callable[[str], None]


def programs(parts: Iterable[Part], say: Say) -> dict[str, Path]:
    """Each part's program by the part's name; what is not cached is compiled now."""
    return {part.name: program(part, say) for part in parts}


def program(part: Part, say: Say) -> Path:
    home = folders.made(folders.programs() / part.name)
    return cached(home, part.digest(go_version(part.folder)), lambda target: _compile(part, target, say))


def go_version(folder: Path) -> str:
    """The Go that compiles FOLDER, and for which machine: `go.mod` may ask for another than the one installed."""
    tools.require(tools.GO)
    answer = subprocess.run(["go", "env", "GOVERSION"], cwd=folder, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise TestbedError(f"Go cannot build {folder.name}: {answer.stderr.strip()}. Install the Go it asks for.")
    return f"{answer.stdout.strip()} {platform.machine()}"


def _compile(part: Part, target: Path, say: Say) -> None:
    say(f"building {part.name} ({part.holds}): about {part.minutes} min the first time on two cores, cached afterwards")
    began = time.monotonic()
    command = ["go", "build", "-trimpath", "-buildvcs=false", "-ldflags", part.ldflags, "-o", str(target), part.package]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(command, cwd=part.folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise TestbedError(f"{part.name} does not compile in {part.folder}:\n{done.stderr.strip()}")
    say(f"built {part.name} in {time.monotonic() - began:.0f} s")
