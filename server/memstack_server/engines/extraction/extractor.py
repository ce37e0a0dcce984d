"""The facts of a text, by one question to the model."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memstack_server.domain.draft import Draft
from memstack_server.domain.entity import Entity
from memstack_server.engines.extraction import prompt
from memstack_server.engines.extraction.drafts import Text, drafts
from memstack_server.engines.extraction.finding import found
from memstack_server.engines.extraction.flaws import Flaw, Flaws, Note, notes
from memstack_server.models.chat import Answer, Chat


@dataclass(frozen=True)
class Extraction:
    """Facts that stand on the text, and what was wrong with the answer."""

    drafts: tuple[Draft, ...]
    notes: tuple[Note, ...] = ()


class Extractor:
    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    async def extract(
        self, passages: Sequence[str], said_at: datetime, known: Sequence[Entity] = (), attempt: int = 0
    ) -> Extraction:
        """Draws the facts of a text.

        Args:
            passages: The text; a draft names those that state it by their numbers, from 0.
            said_at: When it was said, with a zone: relative dates are counted from there.
            known: Entities of the scope that the text may mean.
            attempt: How often this text was tried before.

        Raises:
            ChatFailed: There was no answer, or, as `Unusable`, none to work with.
        """
        answer = await self._chat.ask(prompt.question(passages, said_at, known, attempt))
        return extraction(answer, Text(passages, said_at, known))


def extraction(answer: Answer, text: Text) -> Extraction:
    """What an answer says about a text.

    Raises:
        Unusable: Nothing.
    """
    flaws = Flaws({Flaw.CUT: int(answer.cut)})
    kept = drafts(found(answer.text, flaws), text, flaws)
    return Extraction(kept, notes(flaws))
