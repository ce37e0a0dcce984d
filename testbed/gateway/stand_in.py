"""The process of a stand-in, and what reached it."""

import sys
from pathlib import Path
from typing import Any

from testbed.folders import CHECKOUT
from testbed.gateway.clients import answers, client
from testbed.gateway.service import Service


class StandIn(Service):
    """A module of this package that serves HTTP on HOST and keeps what it is asked."""

    def __init__(self, folder: Path, module: str, host: str) -> None:
        super().__init__(folder, module, host)
        self.url = f"http://{host}:{self.port}"
        self.client = client(self.url)

    def command(self) -> tuple[str | Path, ...]:
        module = f"testbed.gateway.{self.name}"
        return ("env", "-C", CHECKOUT, sys.executable, "-m", module, self.host, str(self.port))

    def is_ready(self) -> bool:
        return answers(self.client, "/_test/requests")

    def requests(self) -> list[dict[str, Any]]:
        """Method, path and body of each request, oldest first."""
        return self.client.get("/_test/requests").raise_for_status().json()

    def forget(self) -> None:
        self.client.delete("/_test/requests").raise_for_status()
