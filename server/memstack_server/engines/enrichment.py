"""One job: a text's facts are drawn, compared with what stands, and written down, all at once or not at all.

At most two questions go to the model, whatever the text holds: which facts it states, and what they mean to the facts
that stand. Everything else is decided here.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

from memstack_server.domain.admission import refused
from memstack_server.domain.draft import Draft
from memstack_server.domain.embedding import Vector
from memstack_server.domain.entity import Entity
from memstack_server.domain.episode import Episode, State
from memstack_server.domain.memory import Memory, MemoryId
from memstack_server.domain.names import key as entity_key
from memstack_server.domain.names import relevant, resolve, variants
from memstack_server.domain.ranking import Calibration, calibration
from memstack_server.domain.scope import Scope
from memstack_server.domain.supersession import (
    Claim,
    Decision,
    End,
    Keep,
    New,
    Same,
    Standing,
    Verdict,
    canonical,
    decide,
    one_at_a_time,
    questions,
)
from memstack_server.domain.words import distinct, terms
from memstack_server.engines.embedding import Embedders
from memstack_server.stores.falkordb import enrichment as writing
from memstack_server.stores.falkordb.connection import Transaction
from memstack_server.stores.falkordb.entities import tie
from memstack_server.stores.falkordb.episodes import set_state
from memstack_server.stores.falkordb.memories import cease, end, fresh_key, put
from memstack_server.stores.falkordb.queue import EPISODE, Job, Lease
from memstack_server.stores.falkordb.rows import text_key
from memstack_server.stores.falkordb.store import FalkorStore

_MOST_PAIRS = 30  # put before the model at once
_NAMES_COMPARED = 200
_BURIED_FROM = 0.6  # similarity with an entity in common: a deleted fact in other words
_BURIED_ALONE = 0.8  # the same, where no entity is known

_Compared = tuple[MemoryId, MemoryId]  # a new fact and a standing one


@dataclass(frozen=True)
class Pair:
    """A new fact and one that stands, for the model to compare."""

    new: New
    standing: Standing


class Reader(Protocol):
    """The language model, as far as it is needed; each method is one question.

    Both raise `ChatFailed` for an answer that cannot be used, `ChatUnavailable` if none can be had for now.
    """

    async def extract(
        self, passages: Sequence[str], said_at: datetime, known: Sequence[Entity], attempt: int, /
    ) -> Sequence[Draft]: ...

    async def judge(self, pairs: Sequence[Pair], attempt: int, /) -> Sequence[Verdict]: ...


@dataclass(frozen=True)
class Fact:
    """A draft with everything that is known of it; `passages` are those that state it."""

    memory: Memory
    claim: Claim
    entities: tuple[Entity, ...]
    vector: Vector
    passages: tuple[int, ...] = ()

    @property
    def new(self) -> New:
        return New(self.claim, self.memory.lifetime.valid_at)

    def standing(self, similarity: float) -> Standing:
        return Standing(self.memory.id, self.claim, self.memory.lifetime, similarity)


class Enricher:
    """Draws facts from episodes, and ties memories to entities and to what they replace.

    Args:
        refusals: Told the kind of each drawn fact that is none to be kept.
    """

    def __init__(
        self, store: FalkorStore, embedders: Embedders, reader: Reader, refusals: Callable[[str], None]
    ) -> None:
        self._store = store
        self._embedders = embedders
        self._reader = reader
        self._refusals = refusals

    async def work(self, lease: Lease, job: Job) -> None:
        """Does one job.

        Raises:
            ChatFailed, ChatUnavailable: The model's answer could not be used or had; nothing was changed.
            Overtaken: Another worker or a correction came first; nothing was changed.
        """
        write = self._episode if job.kind == EPISODE else self._memory
        await write(lease, job)

    async def _episode(self, lease: Lease, job: Job) -> None:
        episode = await self._store.episodes.get(MemoryId(job.slug, job.key))
        if episode is None or episode.state is State.DONE:
            await self._nothing(lease, job)
            return
        known = await self._known(episode.scope, episode.content)
        drafts = await self._reader.extract(
            episode.passages, episode.said_at, relevant(episode.content, known), job.attempts
        )
        facts, buried = await self._facts(episode, self._admitted(drafts), known)
        standing = [await self._standing(facts, n) for n in range(len(facts))]
        verdicts = await self._verdicts(facts, standing, job.attempts)
        transaction = await self._store.queue.finishing(lease, job)
        writing.drop_passages(transaction, episode.id, {n for draft in buried for n in draft.passages})
        words = {each.id: text_key(each.claim.content) for stands in standing for each in stands}
        for fact, decision in _decided(facts, standing, verdicts):
            if isinstance(decision, Same):
                writing.state(transaction, episode.id, words[decision.id], fact.passages)
            else:
                _keep(transaction, fact)
                writing.state(transaction, episode.id, text_key(fact.memory.content), fact.passages)
                _end(transaction, fact.memory, decision)
        set_state(transaction, job.slug, job.key, State.DONE)
        await transaction.run()

    async def _memory(self, lease: Lease, job: Job) -> None:
        memory = await self._store.memories.live(job.slug, job.key)
        if memory is None:
            await self._nothing(lease, job)
            return
        known = await self._known(memory.scope, memory.content)
        drafts = await self._reader.extract(
            [memory.content], memory.lifetime.valid_at, relevant(memory.content, known), job.attempts
        )
        fact = await self._fact_of(memory, drafts, known)
        standing = [each for each in await self._standing([fact], 0) if each.id != memory.id]
        verdicts = await self._verdicts([fact], [standing], job.attempts)
        transaction = await self._store.queue.finishing(lease, job)
        writing.forgive(transaction, memory.scope, fact.claim)
        _tie(transaction, fact)
        ((_, decision),) = _decided([fact], [standing], verdicts)
        if isinstance(decision, Same):
            # What was said on purpose stands, and what was known in other words gives way to it.
            decision = Keep((End(decision.id, memory.lifetime.valid_at, "said in other words"),))
        _end(transaction, memory, decision)
        await transaction.run()

    async def _nothing(self, lease: Lease, job: Job) -> None:
        transaction = await self._store.queue.finishing(lease, job)
        await transaction.run()

    async def _known(self, scope: Scope, text: str) -> list[Entity]:
        """The scope's entities that share a word with the text."""
        return await self._store.entities.by_terms(scope, distinct(text), _NAMES_COMPARED)

    async def _facts(
        self, episode: Episode, drafts: Iterable[Draft], known: Sequence[Entity]
    ) -> tuple[list[Fact], list[Draft]]:
        """The facts of an episode in its order, and the drafts of what was deleted."""
        facts: list[Fact] = []
        buried: list[Draft] = []
        names = {entity.key: entity for entity in known}
        for draft in drafts:
            entities = await self._entities(episode.scope, draft, names)
            memory = _memory(episode, draft)
            fact = Fact(memory, _claim(draft, entities), entities, await self._vector(memory), draft.passages)
            if await self._buried(fact):
                buried.append(draft)
            else:
                facts.append(fact)
        return facts, buried

    async def _fact_of(self, memory: Memory, drafts: Sequence[Draft], known: Sequence[Entity]) -> Fact:
        """A memory as one fact: its own words, with all that the model found in them."""
        names = {entity.key: entity for entity in known}
        mentions = tuple(mention for draft in drafts for mention in draft.mentions)
        first = replace(drafts[0] if drafts else Draft(memory.content), content=memory.content, mentions=mentions)
        entities = await self._entities(memory.scope, first, names)
        return Fact(memory, _claim(first, entities), entities, await self._vector(memory))

    async def _entities(self, scope: Scope, draft: Draft, names: dict[str, Entity]) -> tuple[Entity, ...]:
        """What the draft is about; NAMES are the entities known so far, and learn what is new."""
        keys = {entity_key(name) for mention in draft.mentions for name in (mention.name, *mention.aliases)}
        asked = {each for key in keys if key for each in (key, *variants(key))} - names.keys()
        names |= {entity.key: entity for entity in await self._store.entities.by_keys(scope, asked)}
        found: dict[str, Entity] = {}
        for mention in draft.mentions:
            if entity_key(mention.name):
                entity = resolve(mention, names.values())
                names[entity.key] = found[entity.key] = entity
        return tuple(found.values())

    async def _vector(self, memory: Memory) -> Vector:
        embedder = await self._embedders.for_writing()
        return await embedder.embed(memory.indexed_text)

    def _admitted(self, drafts: Iterable[Draft]) -> list[Draft]:
        admitted: list[Draft] = []
        for draft in drafts:
            if kind := refused(draft.content):
                self._refusals(kind)
            else:
                admitted.append(draft)
        return admitted

    async def _buried(self, fact: Fact) -> bool:
        """Whether the fact was deleted, in these words or in others."""
        exact, near = await self._store.enrichment.buried(fact.memory.scope, fact.claim, fact.vector)
        keys = fact.claim.entities
        scale = await self._scale()
        return exact or any(
            _similarity(cosine, scale) >= (_BURIED_FROM if keys & about else _BURIED_ALONE) for about, cosine in near
        )

    async def _standing(self, facts: Sequence[Fact], number: int) -> list[Standing]:
        """What a fact may repeat or replace: what the store holds, and what the same text said before."""
        fact, scale = facts[number], await self._scale()
        stored = await self._store.enrichment.standing(fact.memory.scope, fact.claim, fact.vector)
        before = [each.standing(_cosine(each.vector, fact.vector)) for each in facts[:number]]
        return [replace(each, similarity=_similarity(each.similarity, scale)) for each in (*stored, *before)]

    async def _verdicts(
        self, facts: Sequence[Fact], standing: Sequence[Sequence[Standing]], attempt: int
    ) -> Mapping[_Compared, Verdict]:
        """What the model says of each new fact and each standing one that code cannot decide about."""
        asked = [
            (fact, Pair(fact.new, each))
            for fact, stands in zip(facts, standing, strict=True)
            for each in questions(fact.new, stands)
        ]
        # The nearest are asked about first, should there be too many.
        asked = sorted(asked, key=lambda pair: pair[1].standing.similarity, reverse=True)[:_MOST_PAIRS]
        if not asked:
            return {}
        verdicts = await self._reader.judge([pair for _, pair in asked], attempt)
        return {
            (fact.memory.id, pair.standing.id): verdict for (fact, pair), verdict in zip(asked, verdicts, strict=True)
        }

    async def _scale(self) -> Calibration:
        return calibration((await self._embedders.for_writing()).id)


def _memory(episode: Episode, draft: Draft) -> Memory:
    now = datetime.now(UTC)
    memory = Memory.new(
        episode.scope,
        draft.content,
        created_at=now,
        valid_at=draft.valid_at or episode.said_at,
        category=draft.category or None,
        importance=draft.importance,
        provenance=episode.provenance,
    )
    life = memory.lifetime.ended(draft.invalid_at, now) if draft.invalid_at else memory.lifetime
    return replace(memory, id=MemoryId(episode.scope.slug, fresh_key()), lifetime=life)


def _claim(draft: Draft, entities: Sequence[Entity]) -> Claim:
    attribute = canonical(draft.attribute)
    subject = entity_key(draft.subject)
    keys = frozenset(entity.key for entity in entities)
    # A subject that is called by another name of a known entity is that entity.
    owner = next(
        (entity.key for entity in entities if subject in {entity.key, *map(entity_key, entity.aliases)}), subject
    )
    return Claim(
        content=draft.content,
        entities=keys,
        subject=owner,
        attribute=attribute,
        value=draft.value,
        single=one_at_a_time(attribute, said=draft.single),
        negated=draft.negated,
    )


def _decided(
    facts: Sequence[Fact], standing: Sequence[Sequence[Standing]], verdicts: Mapping[_Compared, Verdict]
) -> list[tuple[Fact, Decision]]:
    """What becomes of each fact, in their order: what one replaces does not stand for the next."""
    decided: list[tuple[Fact, Decision]] = []
    gone: set[MemoryId] = set()
    for fact, stands in zip(facts, standing, strict=True):
        said = {old: verdict for (new, old), verdict in verdicts.items() if new == fact.memory.id}
        decision = decide(fact.new, [each for each in stands if each.id not in gone], said)
        gone |= {fact.memory.id} if isinstance(decision, Same) else {each.id for each in decision.ends}
        decided.append((fact, decision))
    return decided


def _keep(transaction: Transaction, fact: Fact) -> None:
    """Adds the queries that keep a drawn fact."""
    put(transaction, fact.memory, terms(fact.memory.indexed_text), fact.vector, drawn=True)
    _tie(transaction, fact)


def _tie(transaction: Transaction, fact: Fact) -> None:
    """Adds the queries that say what a fact claims and is about."""
    slug, live = fact.memory.scope.slug, text_key(fact.memory.content)
    writing.describe(transaction, fact.memory, fact.claim)
    for entity in fact.entities:
        names = " ".join((entity.name, *entity.aliases))
        tie(transaction, slug, live, entity, [*dict.fromkeys(terms(names))])


def _end(transaction: Transaction, memory: Memory, decision: Keep) -> None:
    """Adds the queries by which facts give way to one, and it to its successor if it was told too late."""
    now = memory.lifetime.created_at
    for each in decision.ends:
        end(transaction, each.id, memory.id, each.reason, (each.invalid_at, now))
    if late := decision.born_ended:
        end(transaction, memory.id, late.id, late.reason, (late.invalid_at, now))
    if not memory.lifetime.current(now):
        cease(transaction, memory.id)


def _similarity(cosine: float, scale: Calibration) -> float:
    """From 0 for what is as near as unrelated texts are, to 1 for the same text."""
    return min(1.0, max(0.0, (cosine - scale.mean) / (1 - scale.mean)))


def _cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
