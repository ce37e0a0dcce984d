"""Makes an image of one static program without any builder: a tar of a tar, and a few lines about it."""

import hashlib
import io
import json
import platform
import tarfile
from pathlib import Path

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # the kernel's word for it: an image's


def write_image(archive: Path, name: str, program: Path) -> None:
    """Write ARCHIVE, in the format of `docker save`, with image NAME that runs PROGRAM."""
    layer = _tar({program.parent.name: program.read_bytes()})
    config = {
        "architecture": ARCHITECTURES[platform.machine()],
        "os": "linux",
        "config": {"Entrypoint": [f"/{program.parent.name}"], "User": "65535:65535"},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
    }
    index = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    files = {"manifest.json": json.dumps(index).encode(), "config.json": json.dumps(config).encode()}
    archive.write_bytes(_tar({**files, "layer.tar": layer}))


def _tar(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
