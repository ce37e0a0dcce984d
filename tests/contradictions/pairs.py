"""Statements that contradict, and statements that only look as if they did: twelve relations, all of them made up.

Each case has a fact that stands, one that comes later, and whether the earlier must give way. A third of the later ones
call the relation by another name, and some do not say that it has one value at a time, as models do.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.names import key
from memstack_server.domain.supersession import Claim, New, Standing, canonical, one_at_a_time

EARLIER = datetime(2025, 1, 1, tzinfo=UTC)
LATER = EARLIER + timedelta(days=200)
PEOPLE = ("Ada", "Béla", "Chidi", "Dara", "Emeka", "Freya", "Goran", "Hana", "Imre", "Jun", "Kaia", "Luca", "Mina")
SERVICES = ("billing", "search", "mailer", "gateway", "ledger", "catalog", "notifier", "importer", "auth", "scheduler")


@dataclass(frozen=True)
class Relation:
    """A relation of which there is one value at a time; `others` are its other names."""

    attribute: str
    others: tuple[str, ...]
    sentence: str
    subjects: tuple[str, ...]
    values: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    old: Standing
    new: New
    gives_way: bool


ONE_AT_A_TIME = (
    Relation("employer", ("works_at", "company"), "{} works at {}.", PEOPLE, ("Acorn", "Birch", "Cedar", "Dogwood")),
    Relation("residence", ("lives_in", "city"), "{} lives in {}.", PEOPLE, ("Oslo", "Zürich", "Porto", "Leeds")),
    Relation("partner", ("spouse", "married_to"), "{} is married to {}.", PEOPLE, ("Noor", "Owen", "Pia", "Quinn")),
    Relation("role", ("job_title", "position"), "{} is a {}.", PEOPLE, ("nurse", "welder", "pilot", "teacher")),
    Relation("editor", ("uses_editor", "ide"), "{} edits in {}.", PEOPLE, ("Helix", "Emacs", "Zed", "Kakoune")),
    Relation("manager", ("boss", "reports_to"), "{} reports to {}.", PEOPLE, ("Rosa", "Sam", "Tariq", "Uma")),
    Relation("version", ("runs_version", "release"), "The {} runs version {}.", SERVICES, ("1.4", "1.5", "2.0", "2.1")),
    Relation(
        "port", ("listens_on", "listening_port"), "The {} listens on {}.", SERVICES, ("80", "8080", "9000", "9443")
    ),
    Relation(
        "database", ("db", "datastore"), "The {} keeps its data in {}.", SERVICES, ("SQLite", "Postgres", "Redis")
    ),
    Relation("owner", ("owned_by", "maintainer"), "The {} is owned by {}.", SERVICES, ("Ada", "Hana", "Goran", "Mina")),
    Relation("deadline", ("due_date", "ships_on"), "The {} is due on {}.", SERVICES, ("May 2", "June 9", "July 1")),
    Relation("host", ("runs_on", "deployed_on"), "The {} runs on {}.", SERVICES, ("heron", "ibis", "kestrel", "lark")),
)
MANY = (
    Relation("child", ("son", "daughter"), "{} has a child called {}.", PEOPLE, ("Noor", "Owen", "Pia")),
    Relation("skill", ("knows", "skills"), "{} knows {}.", PEOPLE, ("Rust", "Go", "Haskell")),
    Relation("hobby", ("likes", "enjoys"), "{} likes {}.", PEOPLE, ("rowing", "chess", "baking")),
)


def contradictions() -> list[Case]:
    """The later value replaces the earlier one; at least 300."""
    return [
        _case(relation, subject, values, number, gives_way=True)
        for number, (relation, subject, values) in enumerate(_spread(ONE_AT_A_TIME))
    ]


def controls() -> list[Case]:
    """The earlier one stays: another subject, another relation, a value that adds up, the same again."""
    return [*_other_subjects(), *_other_relations(), *_additions(), *_repetitions()]


def _spread(relations: tuple[Relation, ...]) -> list[tuple[Relation, str, tuple[str, str]]]:
    return [
        (relation, subject, (old, new))
        for relation in relations
        for subject in relation.subjects
        for old, new in zip(relation.values, relation.values[1:], strict=False)
    ]


def _other_subjects() -> list[Case]:
    cases = _spread(ONE_AT_A_TIME)
    return [
        replace(
            _case(relation, subject, values, number, gives_way=False),
            new=_new(relation, _next(relation, subject), values[1], number),
        )
        for number, (relation, subject, values) in enumerate(cases)
    ]


def _other_relations() -> list[Case]:
    return [
        Case(_standing(one, subject, one.values[0]), _new(other, subject, other.values[0], number), gives_way=False)
        for number, (one, other) in enumerate((a, b) for a in ONE_AT_A_TIME for b in ONE_AT_A_TIME if a is not b)
        for subject in one.subjects[:3]
        if one.subjects == other.subjects
    ]


def _additions() -> list[Case]:
    return [
        _case(relation, subject, values, number, gives_way=False)
        for number, (relation, subject, values) in enumerate(_spread(MANY))
    ]


def _repetitions() -> list[Case]:
    return [
        _case(relation, subject, (values[0], values[0].upper()), number, gives_way=False)
        for number, (relation, subject, values) in enumerate(_spread(ONE_AT_A_TIME))
    ]


def _next(relation: Relation, subject: str) -> str:
    return relation.subjects[(relation.subjects.index(subject) + 1) % len(relation.subjects)]


def _case(relation: Relation, subject: str, values: tuple[str, str], number: int, *, gives_way: bool) -> Case:
    old, new = values
    return Case(_standing(relation, subject, old), _new(relation, subject, new, number), gives_way)


_ids = count()


def _standing(relation: Relation, subject: str, value: str) -> Standing:
    claim = _claim(relation, subject, value, relation.attribute, single=True)
    return Standing(MemoryId("0" * 10, f"{next(_ids):016x}"), claim, Lifetime(EARLIER, EARLIER), similarity=0.7)


def _new(relation: Relation, subject: str, value: str, number: int) -> New:
    name = relation.others[number % len(relation.others)] if number % 3 == 0 else relation.attribute
    spelled = subject.upper() if number % 5 == 0 else subject
    return New(_claim(relation, spelled, value, name, single=number % 7 != 0), LATER)


def _claim(relation: Relation, subject: str, value: str, attribute: str, *, single: bool) -> Claim:
    name = canonical(attribute)
    return Claim(
        content=relation.sentence.format(subject, value),
        entities=frozenset({key(subject), key(value)}),
        subject=key(subject),
        attribute=name,
        value=value,
        single=one_at_a_time(name, said=single),
    )
