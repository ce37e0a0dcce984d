"""Which facts a new one repeats, replaces, or leaves alone.

Code finds what may be concerned, the model says what two statements mean to each other where that is not plain, and
code decides. A contradiction is looked for before a repetition: a correction by one word is nearly the same text, and
must not be taken for it.

    same words                                   the same fact
    same slot, one value at a time               the later replaces the earlier, if the values differ
    same slot, many values                       both stand
    something in common, and near in meaning     the model is asked
    nothing in common                            both stand

A verdict of the model replaces a fact only past these guards: the two share a slot or an entity, the new one does not
add to what may be many, and it is not older. What is older than what it contradicts lands in the past.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memstack_server.domain.lifetime import Lifetime
from memstack_server.domain.memory import MemoryId
from memstack_server.domain.names import key
from memstack_server.domain.text import normalised

ASKED_FROM = 0.35  # similarity: below it, two facts about one entity are about different things
NEAR = 0.75  # similarity: from it on, two facts may be one in other words although they share no entity


class Verdict(StrEnum):
    """What a new statement is to a standing one."""

    SAME = "same"  # says the same in other words
    REPLACES = "replaces"  # was true, and is not any more
    CORRECTS = "corrects"  # never was true
    ADDS = "adds"  # both are true
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class Claim:
    """What a fact claims, as far as it can be compared.

    Attributes:
        entities: The keys of the entities that it is about.
        subject: The key of the entity that the attribute belongs to; empty for none.
        attribute: In its canonical form; empty for none.
        single: Whether the subject has one such value at a time.
        negated: Whether it says that something is not so, or no longer.
    """

    content: str
    entities: frozenset[str] = frozenset()
    subject: str = ""
    attribute: str = ""
    value: str = ""
    single: bool = False
    negated: bool = False

    @property
    def slot(self) -> str:
        """What two values must share to be values of the same thing; empty for none."""
        return f"{self.subject}|{self.attribute}" if self.subject and self.attribute else ""


@dataclass(frozen=True)
class New:
    """A fact to be decided about, and from when it holds."""

    claim: Claim
    valid_at: datetime


@dataclass(frozen=True)
class Standing:
    """A fact that may be concerned; `similarity` is that of the two texts, from 0 (unrelated) to 1 (the same)."""

    id: MemoryId
    claim: Claim
    lifetime: Lifetime
    similarity: float


@dataclass(frozen=True)
class End:
    """A standing fact that gives way: when it ended in the world, and why."""

    id: MemoryId
    invalid_at: datetime
    reason: str


@dataclass(frozen=True)
class Same:
    """The fact is known; nothing is added but that it was said again."""

    id: MemoryId


@dataclass(frozen=True)
class Keep:
    """The fact is new.

    Attributes:
        ends: What gives way to it.
        born_ended: When and by what it was replaced already: it was told after its successor.
    """

    ends: tuple[End, ...] = ()
    born_ended: End | None = None


Decision = Same | Keep

# Attributes that mean the same, under the first of their names.
_FAMILIES: tuple[tuple[str, ...], ...] = (
    ("employer", "works_at", "works_for", "company", "job_at", "employed_by", "workplace"),
    ("role", "job", "job_title", "position", "occupation", "profession", "title", "works_as"),
    ("residence", "lives_in", "lives_at", "home", "home_city", "location", "city", "based_in", "address", "moved_to"),
    ("partner", "spouse", "married_to", "wife", "husband", "girlfriend", "boyfriend"),
    ("marital_status", "relationship_status"),
    ("version", "runs_version", "release", "current_version"),
    ("owner", "owned_by", "maintainer", "maintained_by", "responsible"),
    ("database", "database_engine", "db", "datastore", "stores_data_in"),
    ("port", "listens_on", "listening_port"),
    ("deadline", "due_date", "due", "release_date", "ships_on"),
    ("manager", "boss", "reports_to", "supervisor"),
    ("status", "state", "condition"),
    ("email", "email_address", "mail"),
    ("phone", "phone_number", "telephone"),
    ("age", "is_aged", "years_old"),
    ("name", "is_called", "called"),
    ("editor", "uses_editor", "ide"),
    ("branch", "default_branch", "main_branch"),
    ("license", "licence", "licensed_under"),
    ("language", "programming_language", "written_in", "implementation_language"),
    ("host", "hosted_on", "runs_on", "deployed_on", "deployed_to"),
    ("child", "children", "son", "daughter", "has_child"),
    ("skill", "skills", "knows", "can"),
    ("pet", "pets", "has_pet"),
    ("hobby", "hobbies", "likes", "enjoys"),
)
_CANONICAL: Mapping[str, str] = {name: family[0] for family in _FAMILIES for name in family}
# Whatever a model says of them, these have many values.
_MANY = frozenset({"child", "skill", "pet", "hobby"})
# And of these there is one at a time.
_ONE = frozenset(
    {"employer", "residence", "marital_status", "version", "port", "deadline", "manager", "age", "branch", "license"}
)
_FUTURE = ("plan", "intend", "wish", "want", "goal", "will_")


def canonical(attribute: str) -> str:
    """The name under which attributes of the same meaning meet."""
    name = "_".join(attribute.casefold().replace("-", " ").replace("_", " ").split())
    return _CANONICAL.get(name, name)


def one_at_a_time(attribute: str, *, said: bool) -> bool:
    """Whether a canonical attribute has one value at a time, whatever was SAID of it if the attribute is well known."""
    if attribute in _MANY or attribute.startswith(_FUTURE):
        return False
    return attribute in _ONE or said


def questions(new: New, standing: Iterable[Standing]) -> list[Standing]:
    """Those of the standing facts for which only the model can say what the new one means to them."""
    return [each for each in _concerned(new, standing) if _by_code(new, each) is None]


def decide(new: New, standing: Sequence[Standing], verdicts: Mapping[MemoryId, Verdict]) -> Decision:
    """What becomes of a new fact; VERDICTS are the model's, for what `questions` asked."""
    judged = [(each, _judged(new, each, verdicts)) for each in _concerned(new, standing)]
    contradicted = [(each, verdict) for each, verdict in judged if verdict in (Verdict.REPLACES, Verdict.CORRECTS)]
    if not contradicted and (same := next((each for each, verdict in judged if verdict is Verdict.SAME), None)):
        return Same(same.id)
    ends = [_end(new, each, verdict) for each, verdict in contradicted if not _precedes(new, each, verdict)]
    successors = [each for each, verdict in contradicted if _precedes(new, each, verdict)]
    return Keep(tuple(ends), _born_ended(successors))


def _concerned(new: New, standing: Iterable[Standing]) -> list[Standing]:
    # What had ended before is history: the same words later are a return to an earlier truth, and a new fact.
    return [each for each in standing if each.lifetime.invalid_at is None or new.valid_at < each.lifetime.invalid_at]


def _by_code(new: New, standing: Standing) -> Verdict | None:
    """The verdict where it is plain; None where the model must be asked."""
    mine, theirs = new.claim, standing.claim
    if normalised(mine.content).casefold() == normalised(theirs.content).casefold():
        return Verdict.SAME
    if mine.slot and mine.slot == theirs.slot:
        return _by_slot(mine, theirs)
    shared = bool(mine.entities & theirs.entities)
    if (shared and standing.similarity >= ASKED_FROM) or standing.similarity >= NEAR:
        return None
    return Verdict.UNRELATED


def _by_slot(mine: Claim, theirs: Claim) -> Verdict | None:
    if not mine.value or not theirs.value:
        return None
    alike = _value(mine.value) == _value(theirs.value)
    if mine.negated != theirs.negated:
        # "No longer at A" ends "at A", and leaves "at B" alone.
        return Verdict.REPLACES if alike else Verdict.ADDS
    if alike:
        return Verdict.SAME
    single = one_at_a_time(mine.attribute, said=mine.single and theirs.single)
    if single and not mine.negated:
        return Verdict.REPLACES
    return Verdict.ADDS if mine.attribute in _MANY else None


def _judged(new: New, standing: Standing, verdicts: Mapping[MemoryId, Verdict]) -> Verdict:
    plain = _by_code(new, standing)
    if plain is not None:
        return plain
    verdict = verdicts.get(standing.id, Verdict.UNRELATED)
    return verdict if _allowed(new.claim, standing, verdict) else Verdict.UNRELATED


def _allowed(mine: Claim, standing: Standing, verdict: Verdict) -> bool:
    theirs = standing.claim
    shared = bool(mine.entities & theirs.entities)
    if verdict is Verdict.SAME:
        return (shared or standing.similarity >= NEAR) and mine.negated == theirs.negated
    if verdict in (Verdict.REPLACES, Verdict.CORRECTS):
        many = mine.attribute in _MANY or mine.attribute.startswith(_FUTURE)
        other = bool(mine.attribute and theirs.attribute and mine.attribute != theirs.attribute)
        apart = bool(mine.subject and theirs.subject and mine.subject != theirs.subject)
        # Two attributes that are both well known are different things, whatever the model says.
        known = mine.attribute in _CANONICAL and theirs.attribute in _CANONICAL
        return shared and not many and not apart and not (other and known)
    return True


def _precedes(new: New, standing: Standing, verdict: Verdict) -> bool:
    """Whether the standing fact came true after the new one: told out of order, the new one is the past."""
    return verdict is Verdict.REPLACES and new.valid_at < standing.lifetime.valid_at


def _end(new: New, standing: Standing, verdict: Verdict) -> End:
    if verdict is Verdict.CORRECTS:
        return End(standing.id, standing.lifetime.valid_at, "corrected")
    return End(standing.id, new.valid_at, "negated" if new.claim.negated else "replaced")


def _born_ended(successors: Sequence[Standing]) -> End | None:
    if not successors:
        return None
    first = min(successors, key=lambda each: each.lifetime.valid_at)
    return End(first.id, first.lifetime.valid_at, "replaced")


def _value(text: str) -> str:
    return key(text) or text
