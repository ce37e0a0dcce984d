"""The gateway with all that belongs to it, started and ended as one."""

from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

import httpx

from testbed.bed import say
from testbed.gateway import environment
from testbed.gateway.clients import client
from testbed.gateway.postgres import Postgres
from testbed.gateway.proxy import CHAT, EMBEDDER, MASTER_KEY, Proxy, config_for
from testbed.gateway.service import Service
from testbed.gateway.stand_in import StandIn
from testbed.gateway.workplace import workplace

__all__ = ["CHAT", "EMBEDDER", "MASTER_KEY", "ROUTES", "Gateway"]

# What a memory's key may reach: every other way past the list of models is closed by this list of routes.
ROUTES = ("/v1/chat/completions", "/v1/embeddings", "/v1/models", "/key/info")

Configure = Callable[[str, str], dict[str, Any]]


class Gateway:
    """LiteLLM's own proxy on PostgreSQL, a stand-in for Ollama, and a cloud that keeps what should never reach it.

    All of it ends with the process that started it, however that one ends.
    """

    master_key = MASTER_KEY

    def __init__(self, folder: Path, host: str, configure: Configure) -> None:
        made = environment.ready(say)
        self.folder = folder
        self.postgres = Postgres(folder)
        self._migrations = made.migrations
        self._ollama, self._cloud = StandIn(folder, "ollama", host), StandIn(folder, "cloud", host)
        config = configure(self._ollama.url, self._cloud.url)
        self.proxy = Proxy(folder, host, made, self.postgres.url, config)
        self.admin = self.client(MASTER_KEY)
        self._running = ExitStack()

    @classmethod
    def start(cls, host: str = "127.0.0.1", configure: Configure = config_for) -> Self:
        """Start everything, in about ten seconds.

        Args:
            host: The address to listen on; a node's pods reach this machine at the testbed's `host_address`.
            configure: Makes LiteLLM's configuration from the base URLs of Ollama and of the cloud.

        Raises:
            TestbedError: something is missing or does not start.
        """
        with ExitStack() as starting:
            gateway = cls(starting.enter_context(workplace()), host, configure)
            gateway._start(starting)
            gateway._running = starting.pop_all()
            return gateway

    def _start(self, starting: ExitStack) -> None:
        def started(service: Service) -> None:
            starting.callback(service.stop)
            service.start()

        started(self.postgres)
        self.postgres.execute(*self._migrations)
        for service in (self._ollama, self._cloud, self.proxy):
            started(service)
        for each in (self.ollama, self.cloud, self.admin):
            starting.callback(each.close)

    def stop(self) -> None:
        """End everything; nothing of it stays."""
        self._running.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return self.proxy.url

    @property
    def ollama_url(self) -> str:
        return self._ollama.url

    @property
    def ollama(self) -> httpx.Client:
        """Controls the stand-in for Ollama."""
        return self._ollama.client

    @property
    def cloud(self) -> httpx.Client:
        """Controls the decoy cloud."""
        return self._cloud.client

    def client(self, key: str) -> httpx.Client:
        """A client of the gateway with that key."""
        return client(self.url, key)

    def mint(self, **body: object) -> str:
        """A virtual key as a memory gets one, unless BODY says otherwise: see LiteLLM's `/key/generate`."""
        wanted = {"models": ["ollama/*"], "allowed_routes": [*ROUTES], **body}
        return str(self.admin.post("/key/generate", json=wanted).raise_for_status().json()["key"])

    def leaks(self) -> list[dict[str, Any]]:
        """What reached the cloud: method, path, body. LiteLLM itself asks for its models now and then: no leak."""
        harmless = ("GET", "/v1/models")
        return [seen for seen in self._cloud.requests() if (seen["method"], seen["path"]) != harmless]

    def forget_leaks(self) -> None:
        """For a test that has leaked on purpose."""
        self._cloud.forget()

    def asked(self, path: str = "/api/chat") -> list[dict[str, Any]]:
        """The bodies of the requests that reached Ollama at that path, oldest first."""
        return [seen["body"] for seen in self._ollama.requests() if seen["path"] == path]

    def forget(self) -> None:
        """Ollama has been asked nothing and told nothing."""
        self._ollama.forget()
        self.answer()

    def answer(self, *once: str, when: Mapping[str, str] | None = None) -> None:
        """What the model writes; where nothing fits, the smallest answer that obeys the schema.

        Args:
            once: The answers to the next questions, whatever they are, each for one.
            when: The answer to every question that holds this text; it comes before `once`.
        """
        self.ollama.put("/_test/answers", json={"once": once, "when": dict(when or {})}).raise_for_status()

    @contextmanager
    def fault(self, **fault: object) -> Generator[None]:
        """Ollama fails so, as long as the block runs: see `Fault` in faults.py."""
        self.ollama.put("/_test/fault", json=fault).raise_for_status()
        try:
            yield
        finally:
            self.ollama.delete("/_test/fault").raise_for_status()

    def stop_ollama(self) -> None:
        self._ollama.stop()

    def start_ollama(self) -> None:
        """Start it again, without what it was asked and told before."""
        self._ollama.start()

    def stop_postgres(self) -> None:
        self.postgres.stop()

    def start_postgres(self) -> None:
        """Start it again; the keys are still there."""
        self.postgres.start()
