"""The facts and entities within what a model wrote, whatever it called them and however it stacked them."""

from dataclasses import dataclass
from typing import Final

from memstack_server.engines.extraction.flaws import Flaw, Flaws, Unusable
from memstack_server.engines.extraction.reading import Json, other_names, plain, renamed, values, within, worst

# What models call our fields when they do not keep to the schema.
_FIELDS: Final = other_names(
    content="fact text statement sentence memory",
    about="entities mentions involves",
    category="topic",
    importance="tier priority weight",
    attribute="property predicate relation",
    value="object",
    single="only_one exclusive unique",
    negated="negation negative is_negated",
    since="from valid_from valid_at start start_date when date",
    until="to valid_to valid_until invalid_at end end_date",
    passages="passage passage_numbers from_passage source sources",
    name="entity entity_name",
    type="entity_type",
    aliases="alias also_known_as other_names",
)
_LISTS: Final = frozenset({"facts", "memories", "statements", "results", "items", "data"})


@dataclass(frozen=True)
class Found:
    """Fields by the names of the schema, their values as they came."""

    facts: tuple[Json, ...]
    entities: tuple[Json, ...]


def found(text: str, flaws: Flaws) -> Found:
    """The facts and entities in an answer.

    Raises:
        Unusable: There is neither a fact nor a list that says that there are none.
    """
    outermost = values(text, flaws)
    everything = list(within(outermost))
    facts: list[Json] = []
    entities: list[Json] = []
    # Of damaged JSON what is left without a name may be anything; else it is a bare list.
    lists = _LISTS if flaws[Flaw.BROKEN] else _LISTS | {""}
    for name, value in everything:
        if isinstance(value, str) and plain(name) in lists:
            facts.append({"content": value})
        elif isinstance(value, dict):
            _sort(dict[str, object](value), facts, entities, flaws)
    if not facts and not any(value == [] and plain(name) in lists for name, value in everything):
        raise Unusable(worst(flaws))
    flaws[Flaw.BARE_LIST] += "" in lists and bool(facts) and any(isinstance(value, list) for value in outermost)
    return Found(tuple(facts), tuple(entities))


def _sort(raw: Json, facts: list[Json], entities: list[Json], flaws: Flaws) -> None:
    fields, other = renamed(raw, _FIELDS)
    flaws[Flaw.SCHEMA] += isinstance(fields.get("properties"), dict)
    if isinstance(fields.get("content"), str):
        flaws[Flaw.RENAMED] += other
        facts.append(fields)
    elif isinstance(fields.get("name"), str):
        entities.append(fields)
