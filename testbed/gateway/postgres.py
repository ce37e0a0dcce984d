"""A throw-away PostgreSQL for LiteLLM's keys. Nobody but the proxy asks it, so it listens on the loopback only."""

import os
import pwd
import subprocess
from pathlib import Path

from testbed import tools
from testbed.gateway.service import Service
from testbed.processes import run

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # It outlives its processes, not the machine: what is committed is given to the kernel, which need not hurry.
    "fsync": "off",
    "full_page_writes": "off",
}


class Postgres(Service):
    """A fresh cluster in FOLDER/postgres; `start` it before it is used."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "postgres")
        self._data = folder / "postgres"
        self._programs = tools.postgres_folder()
        self._make()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{self.host}:{self.port}/postgres"

    def command(self) -> tuple[str | Path, ...]:
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        return (*_as_user(), self._programs / "postgres", "-D", self._data, "-p", str(self.port), *settings)

    def is_ready(self) -> bool:
        ask = (self._programs / "pg_isready", "--quiet", f"--dbname={self.url}")
        return subprocess.run(ask, check=False).returncode == 0

    def execute(self, *scripts: Path) -> None:
        """Run SQL files in their order; the first that fails raises `TestbedError`."""
        options = ("--no-psqlrc", "--quiet", "--output=/dev/null", "--set=ON_ERROR_STOP=1", f"--dbname={self.url}")
        run(self._programs / "psql", *options, *(f"--file={script}" for script in scripts), title="psql")

    def _make(self) -> None:
        self._data.mkdir(mode=0o700)
        if not os.geteuid():
            account = _account()
            os.chown(self._data, account.pw_uid, account.pw_gid)
        choices = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        run(*_as_user(), self._programs / "initdb", "-D", self._data, *choices, title="initdb")


def _as_user() -> tuple[str, ...]:
    """What makes root run a command as PostgreSQL's own user: the server refuses to be root's."""
    if os.geteuid():
        return ()
    account = _account()
    ids = (f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups")
    # The kernel forgets the wish to die with the starter when the user changes, so it is said once more.
    return ("setpriv", *ids, "--pdeathsig", "KILL", "--")


def _account() -> pwd.struct_passwd:
    return pwd.getpwnam("postgres")
