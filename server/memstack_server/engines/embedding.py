"""Which embedder this server uses: the one whose vectors the store holds.

the store records         the server uses
------------------------  ---------------------------------------------------------------------------
the configured embedder   the gateway
the bundled embedder      the bundled embedder
another one               none: it stops
nothing yet               the gateway, if a vector of the right length comes back; else the bundled one
"""

import logging
from functools import cached_property
from typing import NamedTuple

from memstack_server.domain.embedding import Embedder, EmbedderId
from memstack_server.domain.errors import EmbedderConflict, EmbedderUnavailable
from memstack_server.models.bundled import BUNDLED, BundledEmbedder
from memstack_server.stores.falkordb.schema import Schema

log = logging.getLogger(__name__)


class Choice(NamedTuple):
    """An embedder and, in a few words, why it is this one."""

    embedder: Embedder
    reason: str


class Embedders:
    """Chooses between the gateway and the bundled embedder, by what the store records.

    Args:
        configured: The model that this server is set to, whether or not there is a gateway to ask for it.
        gateway: The way to that model; None where no gateway is configured.
    """

    def __init__(self, schema: Schema, configured: EmbedderId, gateway: Embedder | None) -> None:
        self._schema = schema
        self._configured = configured
        self._gateway = gateway
        self._recorded: Choice | None = None
        self.choice: Choice | None = None

    async def settle(self) -> None:
        """Chooses ahead of the first call, so that a conflict shows at the start.

        Raises:
            EmbedderConflict: The store holds vectors that this server cannot make.
            EmbedderUnavailable: There is no embedder at all.
            StoreUnavailable: The store cannot be asked yet.
        """
        if await self.for_reading() is None:
            self._say(await self._probe())

    async def for_reading(self) -> Embedder | None:
        """The embedder of the store's vectors; None while the store holds none to compare with."""
        if self._recorded is None:
            if (recorded := await self._schema.embedder()) is None:
                return None
            self._recorded = self._say(self._matching(recorded))
        return self._recorded.embedder

    async def for_writing(self) -> Embedder:
        """The embedder for a new memory; the store's first memory records it."""
        chosen = self._recorded or await self._probe()
        recorded = await self._schema.claim(chosen.embedder.id)
        if recorded != chosen.embedder.id:
            chosen = self._matching(recorded)
        self._recorded = self._say(chosen)
        return chosen.embedder

    @cached_property
    def _bundled(self) -> BundledEmbedder:
        return BundledEmbedder()

    def _matching(self, recorded: EmbedderId) -> Choice:
        if recorded == BUNDLED:
            return Choice(self._bundled, "the store holds its vectors")
        if self._gateway and recorded == self._gateway.id:
            return Choice(self._gateway, "the store holds its vectors")
        raise self._conflict(recorded)

    async def _probe(self) -> Choice:
        if self._gateway is None:
            return Choice(self._bundled, "no model gateway is configured")
        try:
            await self._gateway.embed("Does an embedding of the right length come back?")
        except EmbedderUnavailable as error:
            # What to do next is for callers whose call failed; here nobody's did.
            return Choice(self._bundled, str(error).partition(". ")[0])
        return Choice(self._gateway, "the model gateway answers")

    def _conflict(self, recorded: EmbedderId) -> EmbedderConflict:
        if recorded == self._configured:
            return EmbedderConflict(
                f"no gateway for the store's embedding: the store holds vectors of {recorded}, and no gateway is "
                "configured that makes them. Set MEMSTACK_GATEWAY_URL, or use an empty store."
            )
        return EmbedderConflict(
            f"another embedding: the store holds vectors of {recorded}, this server is set to {self._configured}. Set "
            "MEMSTACK_EMBEDDING_MODEL and MEMSTACK_EMBEDDING_DIMENSIONS to what the store holds, or use an empty store."
        )

    def _say(self, choice: Choice) -> Choice:
        if choice != self.choice:
            log.info("embedder: %s, because %s", choice.embedder.id, choice.reason)
            self.choice = choice
        return choice
