"""The language model as the enrichment needs it: two questions, and a sign of life."""

import logging
from collections.abc import Iterable, Sequence
from datetime import datetime

from memstack_server.domain.draft import Draft
from memstack_server.domain.entity import Entity
from memstack_server.domain.supersession import Verdict
from memstack_server.engines.extraction.extractor import Extractor
from memstack_server.engines.extraction.flaws import Note
from memstack_server.engines.extraction.judging import Compared, Judge
from memstack_server.models.chat import GatewayChat

log = logging.getLogger(__name__)


class LanguageModel:
    """Asks a model behind the gateway; both questions raise `ChatFailed`."""

    def __init__(self, chat: GatewayChat) -> None:
        self._chat = chat
        self._extractor = Extractor(chat)
        self._judge = Judge(chat)

    async def extract(
        self, passages: Sequence[str], said_at: datetime, known: Sequence[Entity], attempt: int
    ) -> Sequence[Draft]:
        extraction = await self._extractor.extract(passages, said_at, known, attempt)
        _tell("facts", extraction.notes)
        return extraction.drafts

    async def judge(self, pairs: Sequence[Compared], attempt: int) -> Sequence[Verdict]:
        judgement = await self._judge.judge(pairs, attempt)
        _tell("verdicts", judgement.notes)
        return judgement.verdicts

    async def alive(self) -> bool:
        return await self._chat.alive()

    async def aclose(self) -> None:
        await self._chat.aclose()


def _tell(what: str, notes: Iterable[Note]) -> None:
    if told := ", ".join(f"{note.flaw} {note.count}" for note in notes):
        log.info("the model's %s were mended: %s", what, told)
