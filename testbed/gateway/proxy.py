"""LiteLLM's own proxy, unmodified, with its keys in PostgreSQL."""

import json
import os
from pathlib import Path
from typing import Any

from testbed import folders
from testbed.gateway.clients import answers, client
from testbed.gateway.environment import Environment
from testbed.gateway.service import Service

MASTER_KEY = "sk-testbed-master"
EMBEDDER = "ollama/nomic-embed-text"
CHAT = "ollama/qwen2.5:14b"
CLOUD = "gpt-4o"


def config_for(ollama: str, cloud: str) -> dict[str, Any]:
    """A home's gateway: all that is local under ollama/, beside a cloud's model that no memory may use.

    Args:
        ollama: Base URL of the model server.
        cloud: Base URL of the cloud.
    """

    def route(name: str, model: str, base: str, **more: str) -> dict[str, Any]:
        return {"model_name": name, "litellm_params": {"model": model, "api_base": base, **more}}

    return {
        "model_list": [
            route("ollama/*", "ollama_chat/*", ollama),
            # ollama_chat has no embeddings, so each embedding model needs a route of its own.
            {**route(EMBEDDER, EMBEDDER, ollama), "model_info": {"mode": "embedding"}},
            route(CLOUD, f"openai/{CLOUD}", f"{cloud}/v1", api_key="sk-decoy"),
        ],
        "litellm_settings": {"drop_params": True, "telemetry": False, "request_timeout": 30},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "general_settings": {"master_key": MASTER_KEY, "proxy_batch_write_at": 1},
    }


class Proxy(Service):
    """The proxy on a database that has LiteLLM's schema.

    Args:
        folder: Where its configuration and its log are kept.
        host: The address it listens on.
        environment: What it runs in.
        database: URL of its PostgreSQL.
        config: LiteLLM's configuration.
    """

    def __init__(
        self, folder: Path, host: str, environment: Environment, database: str, config: dict[str, Any]
    ) -> None:
        super().__init__(folder, "litellm", host)
        self.url = f"http://{host}:{self.port}"
        self._environment, self._database = environment, database
        # JSON is YAML.
        self._config = folders.write_secret(folder / "config.yaml", json.dumps(config))

    def command(self) -> tuple[str | Path, ...]:
        # Nothing of the caller's environment: neither a real cloud's key nor a proxy may find its way into a test.
        clean = ("env", "--ignore-environment", "-C", self.folder)
        variables = (f"{name}={value}" for name, value in self._variables().items())
        options = ("--config", self._config, "--host", self.host, "--port", str(self.port))
        return (*clean, *variables, self._environment.python, self._environment.scripts / "litellm", *options)

    def is_ready(self) -> bool:
        with client(self.url) as probe:
            return answers(probe, "/health/readiness")

    def _variables(self) -> dict[str, str]:
        return {
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "PATH": f"{self._environment.shim}:{self._environment.scripts}:{os.environ['PATH']}",
            **self._environment.engine_variables,
            "DATABASE_URL": self._database,
            "DISABLE_SCHEMA_UPDATE": "true",
            "DISABLE_ADMIN_UI": "True",
            "LITELLM_SALT_KEY": "sk-testbed-salt",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_TELEMETRY": "False",
        }
