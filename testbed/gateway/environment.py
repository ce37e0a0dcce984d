"""The environment that LiteLLM runs in: its packages, and Prisma's engine without Prisma's download site.

LiteLLM reaches its database through Prisma Client Python: generated code, and a native engine that is to be had from
Prisma's own site only. npm's `@prisma/client` ships that engine as WebAssembly; `prisma/engine.mjs` puts the binary's
command line and protocol in front of it.
"""

import os
import platform
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from testbed import cache, folders, tools
from testbed.build import Say
from testbed.errors import TestbedError
from testbed.locks import locked
from testbed.processes import run

LOCK = folders.CHECKOUT / "requirements" / "gateway.txt"
PRISMA = Path(__file__).parent / "prisma"


@dataclass(frozen=True)
class Environment:
    """A finished environment in a folder of the cache."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.scripts / "python"

    @property
    def scripts(self) -> Path:
        return self.folder / "venv" / "bin"

    @property
    def prisma(self) -> Path:
        return self.folder / "prisma"

    @property
    def shim(self) -> Path:
        """A folder for PATH whose `prisma` does nothing.

        The schema is made from `migrations`; without this the proxy would look for an engine to make it again.
        """
        return self.folder / "shim"

    @property
    def engine_variables(self) -> dict[str, str]:
        """What Prisma needs to find the engine, and to look for no other."""
        engine = str(self.prisma / "engine.mjs")
        kinds = ("QUERY_ENGINE_BINARY", "QUERY_ENGINE_LIBRARY", "SCHEMA_ENGINE_BINARY")
        quiet = {"PRISMA_HIDE_UPDATE_MESSAGE": "1", "CHECKPOINT_DISABLE": "1"}
        return {f"PRISMA_{kind}": engine for kind in kinds} | quiet

    @property
    def migrations(self) -> list[Path]:
        """LiteLLM's own SQL files, in the order in which they make its schema."""
        return sorted((self.package("litellm_proxy_extras") / "migrations").glob("*/migration.sql"))

    def package(self, name: str) -> Path:
        """The folder of an installed package."""
        found = next((self.folder / "venv" / "lib").glob(f"python3.*/site-packages/{name}"), None)
        if found is None:
            raise TestbedError(f"{LOCK} does not bring {name}. Run `make lock`.")
        return found


def ready(say: Say) -> Environment:
    """The environment for this checkout's locks; it is made now where nobody has made it yet."""
    tools.require(tools.GATEWAY)
    home = folders.made(folders.cache() / "gateway")
    environment = Environment(home / _digest())
    # An environment cannot be moved, so it is made in place, and counts once it is whole.
    done = environment.folder.with_suffix(".done")
    with locked(home / "lock"):
        if not done.exists():
            say("installing the LiteLLM gateway: about 2 min the first time, cached afterwards")
            shutil.rmtree(environment.folder, ignore_errors=True)
            _make(environment)
        done.touch()
        _prune(home)
    return environment


def _digest() -> str:
    inputs = (LOCK, Path(__file__), *PRISMA.iterdir())
    return cache.digest(sys.version, platform.machine(), files=inputs, root=folders.CHECKOUT)


def _prune(home: Path) -> None:
    by_use = sorted(home.glob("*.done"), key=lambda done: done.stat().st_mtime)
    for old in by_use[: -cache.KEPT]:
        old.unlink()
        shutil.rmtree(old.with_suffix(""))


def _make(environment: Environment) -> None:
    environment.folder.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", environment.folder / "venv", title="venv")
    # Compiled now, or the proxy would compile itself at each start where Python may write no bytecode: 30 s more.
    options = ("--quiet", "--compile-bytecode", "--require-hashes", "--python", environment.python)
    run(sys.executable, "-m", "uv", "pip", "install", *options, "-r", LOCK, title=f"uv pip install -r {LOCK}")
    shutil.copytree(PRISMA, environment.prisma)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", environment.prisma)
    _shim(environment)
    _generate(environment)


def _shim(environment: Environment) -> None:
    environment.shim.mkdir()
    prisma = environment.shim / "prisma"
    prisma.write_text("#!/bin/sh\nexit 0\n")
    prisma.chmod(0o755)


def _generate(environment: Environment) -> None:
    """Write Prisma Client Python's code for LiteLLM's schema."""
    source = (environment.package("litellm") / "proxy" / "schema.prisma").read_text()
    # The targets name engines to download; the one engine here is given by the environment.
    schema = "\n".join(line for line in source.splitlines() if "binaryTargets" not in line)
    # Prisma looks for the generator, a script of the environment, on PATH.
    variables = environment.engine_variables | {"PATH": f"{environment.scripts}:{os.environ['PATH']}"}
    prisma = environment.prisma / "node_modules" / "prisma" / "build" / "index.js"
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "schema.prisma")
        target.write_text(schema)
        settings = [f"{name}={value}" for name, value in variables.items()]
        run("env", *settings, "node", prisma, "generate", f"--schema={target}", title="prisma generate")
    run(environment.python, "-m", "compileall", "-q", environment.package("prisma"), title="compileall")
