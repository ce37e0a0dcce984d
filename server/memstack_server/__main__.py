"""`python -m memstack_server`: reads its settings, puts the parts together, serves until told to end."""

import asyncio
import logging
import os
import sys
from pathlib import Path

from pydantic import ValidationError

from memstack_server import process
from memstack_server.domain.embedding import EmbedderId
from memstack_server.domain.errors import MemoryStackError
from memstack_server.domain.scoring import Weights
from memstack_server.engines.embedding import Embedders
from memstack_server.engines.enrichment import Enricher
from memstack_server.engines.graph import GraphEngine
from memstack_server.engines.ingest import Ingest
from memstack_server.engines.reader import LanguageModel
from memstack_server.interfaces.app import build
from memstack_server.interfaces.metrics import Metrics
from memstack_server.models.chat import GatewayChat
from memstack_server.models.gateway import GatewayEmbedder
from memstack_server.settings import PREFIX, Settings
from memstack_server.stores.falkordb.store import FalkorStore


class Unstartable(Exception):
    """Why the server cannot start, in one line."""


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for chatty in ("mcp", "httpx"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    try:
        asyncio.run(_serve(_settings()))
    except (Unstartable, MemoryStackError) as error:
        sys.exit(f"memstack-server: {error}")


async def _serve(settings: Settings) -> None:
    token = _secret("token_file", settings.token_file)
    metrics = Metrics()
    store = FalkorStore(settings.store_url, _optional_secret("store_password_file", settings.store_password_file))
    gateway, model = _gateway(settings), _model(settings)
    embedders = Embedders(store.schema, _configured(settings), gateway)
    ingest = Ingest(store, Enricher(store, embedders, model, metrics.refused), model, metrics.job) if model else None
    engine = GraphEngine(
        store, embedders, _weights(settings), _extraction(settings), ingest.wake if ingest else _nobody
    )
    app = build(engine, metrics, token, settings.allowed_hosts)
    try:
        orphaned = await process.serve(
            app,
            _listener(settings),
            embedders.settle,
            ingest.run if ingest else _rest,
            watch_stdin=settings.exit_with_parent,
        )
        if orphaned:
            await store.connection.shutdown()
    finally:
        for part in filter(None, (store.connection, gateway, model)):
            await part.aclose()


def _nobody() -> None:
    """Nobody is to be woken."""


async def _rest() -> None:
    """There is no work: what waits for a language model waits."""


def _model(settings: Settings) -> LanguageModel | None:
    if settings.gateway_url is None or settings.extraction_model is None:
        return None
    key = _optional_secret("gateway_key_file", settings.gateway_key_file)
    return LanguageModel(GatewayChat(str(settings.gateway_url), key, settings.extraction_model))


def _extraction(settings: Settings) -> str:
    if settings.extraction_model is None:
        return "none: no extraction model is configured; what needs one waits"
    if settings.gateway_url is None:
        return f"{settings.extraction_model}, but no gateway is configured to ask it; what needs it waits"
    return settings.extraction_model


def _weights(settings: Settings) -> Weights:
    return Weights(
        settings.weight_similarity, settings.weight_recency, settings.weight_importance, settings.half_life_days
    )


def _settings() -> Settings:
    try:
        return Settings.from_environment(os.environ)
    except ValidationError as error:
        first = error.errors()[0]
        raise Unstartable(f"{PREFIX}{'_'.join(map(str, first['loc'])).upper()}: {first['msg']}.") from error


def _configured(settings: Settings) -> EmbedderId:
    return EmbedderId(settings.embedding_model, settings.embedding_dimensions)


def _gateway(settings: Settings) -> GatewayEmbedder | None:
    if settings.gateway_url is None:
        return None
    key = _optional_secret("gateway_key_file", settings.gateway_key_file)
    return GatewayEmbedder(str(settings.gateway_url), key, _configured(settings))


def _listener(settings: Settings) -> process.Listener:
    try:
        return process.listen(settings.host, settings.port)
    except OSError as error:
        raise Unstartable(
            f"{PREFIX}PORT: cannot listen on {settings.host}:{settings.port}: {error.strerror}. "
            "End what uses it, or set another port."
        ) from error


def _optional_secret(setting: str, path: Path | None) -> str | None:
    return None if path is None else _secret(setting, path)


def _secret(setting: str, path: Path) -> str:
    name = PREFIX + setting.upper()
    try:
        secret = path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise Unstartable(f"{name}: cannot read {path} ({reason}). Name a file that holds the secret.") from error
    if not secret:
        raise Unstartable(f"{name}: {path} is empty. Write the secret into it.")
    return secret


if __name__ == "__main__":
    main()
