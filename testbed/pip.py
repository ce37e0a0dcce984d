"""This machine's way to Python's packages, for a build inside an image: its settings, certificates and wheels.

They are lent for the build's duration, and a Dockerfile knows nothing of them. Of each the image keeps an empty file or
folder, where it was mounted, and no more.
"""

import configparser
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from testbed.errors import TestbedError

FILES = (Path("/etc/pip.conf"), Path("~/.config/pip/pip.conf").expanduser())
PATHS = ("cert", "client-cert", "find-links")  # settings that name files of this machine


@contextmanager
def lent() -> Generator[list[str]]:
    """Options of `buildah build` that lend pip's configuration, and the files it names, to every RUN."""
    config = configuration()
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
        config.write(file)
        file.flush()
        Path(file.name).chmod(0o644)
        named = [path for key in PATHS if (path := config.get("global", key, fallback=""))]
        pairs = [(file.name, "/etc/pip.conf"), *((path, path) for path in named if Path(path).exists())]
        yield [f"--volume={outside}:{inside}:ro" for outside, inside in pairs]


def configuration() -> configparser.RawConfigParser:
    """What pip is told here, in the order it looks: the machine's file, the user's, the environment."""
    config = configparser.RawConfigParser()
    config.read(FILES)
    if not config.has_section("global"):
        config.add_section("global")
    for name, value in os.environ.items():
        if name.startswith("PIP_") and name != "PIP_CONFIG_FILE":
            config.set("global", name.removeprefix("PIP_").lower().replace("_", "-"), value)
    return config


def locked(package: str, lock: Path) -> str:
    """The lines of a LOCK that pin PACKAGE and its hashes.

    Raises:
        TestbedError: it is not in there.
    """
    found = re.search(rf"^{re.escape(package)}==(?:.*\\\n)*.*$", lock.read_text(), re.MULTILINE)
    if not found:
        raise TestbedError(f"{lock} does not pin {package}. Run `make lock`.")
    return found[0] + "\n"
