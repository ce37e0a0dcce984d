"""A text's facts, from what a model may answer."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.draft import Draft
from memstack_server.domain.entity import Entity, EntityType, Mention
from memstack_server.engines.extraction.drafts import Text
from memstack_server.engines.extraction.extractor import Extraction, Extractor, extraction
from memstack_server.engines.extraction.flaws import Flaw, Unusable
from memstack_server.engines.extraction.prompt import EXAMPLE_NAMES, question
from memstack_server.models.chat import Answer, Question

SAID = datetime(2026, 11, 18, 14, 5, tzinfo=UTC)
SPARK = Entity("dgx spark", "DGX Spark", EntityType.HARDWARE, ("Spark",))
TEXT = Text(
    [
        "Peter has worked at DevMesh since March. DevMesh builds an outreach platform.",
        "My daughter Ada is allergic to peanuts. Both Sparks arrived yesterday.",
    ],
    SAID,
    (SPARK,),
)
ENTITIES: list[dict[str, Any]] = [
    {"name": "Peter", "type": "person", "aliases": []},
    {"name": "DevMesh", "type": "organisation", "aliases": []},
    {"name": "Ada", "type": "person", "aliases": []},
]


def fact(**fields: object) -> dict[str, Any]:
    """What a model says about Peter's job, with FIELDS of its own."""
    return {
        "content": "Peter works at DevMesh.",
        "about": ["Peter", "DevMesh"],
        "category": "work",
        "importance": 4,
        "subject": "Peter",
        "attribute": "employer",
        "value": "DevMesh",
        "single": True,
        "negated": False,
        "since": "since March",
        "until": "",
        "passages": [0],
    } | fields


def answer(*facts: dict[str, Any]) -> dict[str, Any]:
    return {"entities": ENTITIES, "facts": list(facts)}


def drawn(said: object, text: Text = TEXT) -> Extraction:
    """What is made of an answer, which is JSON unless it is a string."""
    return extraction(Answer(said if isinstance(said, str) else json.dumps(said)), text)


def flaws(drawn: Extraction) -> dict[Flaw, int]:
    return {note.flaw: note.count for note in drawn.notes}


PETER = Mention("Peter", EntityType.PERSON)
DEVMESH = Mention("DevMesh", EntityType.ORGANISATION)
JOB = Draft(
    content="Peter works at DevMesh.",
    mentions=(PETER, DEVMESH),
    category="work",
    importance=4,
    valid_at=datetime(2026, 3, 1, tzinfo=UTC),
    subject="Peter",
    attribute="employer",
    value="DevMesh",
    single=True,
    passages=(0,),
)
ALLERGY = fact(
    content="The user's daughter Ada is allergic to peanuts.",
    about=["user", "Ada"],
    category="health",
    importance=5,
    subject="Ada",
    attribute="allergy",
    value="peanuts",
    single=False,
    since="",
    passages=[1],
)
GOOD = json.dumps(answer(fact()))


def test_an_answer_that_keeps_to_the_schema_is_taken_as_it_is():
    found = drawn(answer(fact(), ALLERGY))
    assert [draft.content for draft in found.drafts] == [JOB.content, ALLERGY["content"]]
    assert found.drafts[0] == JOB
    assert found.drafts[1].mentions == (Mention("user", EntityType.PERSON), Mention("Ada", EntityType.PERSON))
    assert found.notes == ()


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        (f"<think>Peter? {{not JSON}} [hm] {{}}</think>\n{GOOD}", Flaw.THINKING),
        (f"Peter, I think.</think>{GOOD}", Flaw.THINKING),
        (f"<think>\nWell, then: {GOOD}", Flaw.THINKING),
        (f"```json\n{GOOD}\n```", Flaw.FENCED),
        (f"Here are the facts of [0] that you asked for:\n{GOOD}\nTell me if you need more!", Flaw.PROSE),
        (json.dumps(question(["x"], SAID, ()).schema) + GOOD, Flaw.SCHEMA),
        (GOOD.replace("]}", "],}").replace("},", "},\n"), None),
        (GOOD[:-1] + "   \n", Flaw.BROKEN),
        (GOOD[:-2] + ', {"content": "Ada is aller', Flaw.BROKEN),
    ],
)
def test_what_stands_around_the_answer_is_left_away(said: str, flaw: Flaw | None):
    found = drawn(said)
    assert found.drafts == (JOB,)
    assert (flaw in flaws(found)) if flaw else not flaws(found)


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        ([fact()], Flaw.BARE_LIST),
        ({"memories": [{"Fact": JOB.content, "entities": ["Peter"]}]}, Flaw.RENAMED),
        ({"facts": [{"fact": {"text": JOB.content}}]}, Flaw.RENAMED),
        ([JOB.content], Flaw.BARE_LIST),
        ({"facts": [JOB.content]}, Flaw.IMPORTANCE),
    ],
)
def test_facts_are_found_however_they_are_stacked_and_called(said: object, flaw: Flaw):
    found = drawn(said)
    assert [draft.content for draft in found.drafts] == [JOB.content]
    assert flaw in flaws(found)


def test_every_field_may_have_another_name():
    names = {
        "content": "text",
        "about": "entities",
        "importance": "Priority",
        "since": "validFrom",
        "single": "only_one",
    }
    renamed = {names.get(name, name): value for name, value in fact().items()}
    assert drawn({"entities": ENTITIES, "results": [renamed]}).drafts == (JOB,)


@pytest.mark.parametrize("said", ['{"entities": [], "facts": []}', '{"facts": []}', "[]", "```json\n[]\n```"])
def test_that_there_are_no_facts_is_an_answer(said: str):
    assert drawn(said).drafts == ()


@pytest.mark.parametrize(
    ("said", "flaw"),
    [
        ("", Flaw.EMPTY),
        (" \n", Flaw.EMPTY),
        ("I cannot help with that.", Flaw.PROSE),
        ("See [0] and [1].", Flaw.PROSE),
        ("<think>Let me see.</think>", Flaw.THINKING),
        ("<think>Let me see {", Flaw.BROKEN),
        ('{"entities": [{"name": "Peter", "aliases": []}], "facts": [', Flaw.BROKEN),
        ('{"entities": [{"name": "Peter", "aliases": []', Flaw.BROKEN),
        (json.dumps(question(["x"], SAID, ()).schema), Flaw.SCHEMA),
        ("{}", Flaw.SHAPE),
        ('{"answer": 42}', Flaw.SHAPE),
        ("[" * 5_000 + "]" * 5_000, Flaw.BROKEN),
        ('{"a":' * 40_000, Flaw.BROKEN),  # would take hours, were it read anew from each bracket
        ('{"content": ' + "9" * 5_000 + "}", Flaw.BROKEN),
    ],
)
def test_an_answer_without_facts_is_unusable_for_a_reason(said: str, flaw: Flaw):
    with pytest.raises(Unusable, match=f"holds nothing of what was asked for \\({flaw}\\)") as caught:
        drawn(said)
    assert caught.value.flaw is flaw


def test_what_is_complete_in_an_answer_that_was_cut_off_is_kept():
    whole = json.dumps(answer(fact(), ALLERGY, fact(content="DevMesh builds an outreach platform.")))
    found = extraction(Answer(whole[:-120], cut=True), TEXT)
    assert [draft.content for draft in found.drafts] == [JOB.content, ALLERGY["content"]]
    assert flaws(found) == {Flaw.BROKEN: 1, Flaw.CUT: 1}


def test_a_cut_within_the_first_fact_leaves_nothing():
    with pytest.raises(Unusable, match="cut"):
        extraction(Answer(GOOD[:-60], cut=True), TEXT)


def test_of_ten_thousand_facts_the_first_are_read():
    facts = [fact(content=f"Peter works at DevMesh, room {number}.") for number in range(10_000)]
    found = drawn(answer(*facts))
    assert [draft.content for draft in found.drafts] == [each["content"] for each in facts[:50]]
    assert flaws(found)[Flaw.TOO_MANY] > 100


def test_the_same_fact_is_kept_once_with_all_its_passages():
    found = drawn(answer(fact(), fact(content="peter  works at devmesh.", passages=[1])))
    assert [(draft.content, draft.passages) for draft in found.drafts] == [(JOB.content, (0, 1))]
    assert flaws(found) == {Flaw.DUPLICATE: 1}


@pytest.mark.parametrize(
    ("content", "flaw"),
    [
        ("", Flaw.EMPTY),
        ("\x00\x07", Flaw.EMPTY),
        ("Peter " * 200, Flaw.TOO_LONG),
        ("Juna works for Tarnwell.", Flaw.EXAMPLE),
        ("Both DGX Sparks belong to Juna.", Flaw.EXAMPLE),
        ("The weather is splendid.", Flaw.UNGROUNDED),
    ],
)
def test_what_is_no_fact_of_the_text_is_dropped(content: str, flaw: Flaw):
    found = drawn(answer(fact(), fact(content=content)))
    assert found.drafts == (JOB,)
    assert flaws(found) == {flaw: 1}


def test_what_the_examples_say_may_be_said_by_a_text_too():
    text = Text(["Juna works for Tarnwell."], SAID)
    (draft,) = drawn(answer(fact(content="Juna works for Tarnwell.", about=["Juna"], subject="Juna")), text).drafts
    assert draft.mentions == (Mention("Juna", EntityType.OTHER),)


def test_no_name_of_an_example_is_that_of_anyone_known():
    assert frozenset({"Juna", "Tarnwell", "Obrik", "Kestrel"}) == EXAMPLE_NAMES


def test_a_fact_in_another_script_than_its_text_is_a_translation_and_dropped():
    text = Text(["彼得三月起在DevMesh工作。", "他住在柏林。"], SAID)
    found = drawn(answer(fact(), fact(content="彼得在DevMesh工作。", about=["彼得"], subject="彼得")), text)
    assert [draft.content for draft in found.drafts] == ["彼得在DevMesh工作。"]
    assert flaws(found) == {Flaw.LANGUAGE: 1}


def test_control_characters_and_half_characters_are_left_away():
    (draft,) = drawn('{"facts": [{"content": "Peter\\u0000 works\\nat \\ud83dDevMesh.", "importance": 4}]}').drafts
    assert draft.content == "Peter works at DevMesh."


def test_an_invented_entity_is_dropped():
    found = drawn(answer(fact(about=["Peter", "John Doe", "DevMesh"])))
    assert found.drafts == (JOB,)
    assert flaws(found) == {Flaw.INVENTED: 1}


def test_a_fact_only_about_what_nobody_knows_is_dropped():
    found = drawn(answer(fact(about=["John Doe"], subject="John Doe")))
    assert found.drafts == ()
    assert flaws(found)[Flaw.INVENTED] >= 1


def test_a_slot_of_an_invented_subject_is_dropped():
    (draft,) = drawn(answer(fact(subject="Acme"))).drafts
    assert (draft.subject, draft.attribute, draft.value, draft.single) == ("", "", "", False)


@pytest.mark.parametrize(
    "name", ["Sparks", "spark", "DGX Spark", "dgx sparks", {"name": "the Sparks", "type": "person"}]
)
def test_a_known_entity_keeps_its_name_and_its_type(name: object):
    (draft,) = drawn(answer(fact(content="Both Sparks arrived.", about=[name], subject="", value=""))).drafts
    (mention,) = draft.mentions
    assert (mention.name, mention.type) == ("DGX Spark", EntityType.HARDWARE)


@pytest.mark.parametrize("name", ["I", "me", "The User", "ich", "用户", "ユーザー"])
def test_who_speaks_is_the_user(name: str):
    (draft,) = drawn(answer(ALLERGY | {"about": [name, "Ada"]})).drafts
    assert draft.mentions[0] == Mention("user", EntityType.PERSON)


def test_an_entity_is_called_as_the_text_calls_it():
    entities = [{"name": "Robert Miller", "type": "person", "aliases": ["Bob"]}]
    said = {
        "entities": entities,
        "facts": [fact(content="Bob left.", about=["Robert Miller"], subject="Robert Miller")],
    }
    (draft,) = drawn(said, Text(["Bob left."], SAID)).drafts
    assert (draft.mentions, draft.subject) == ((Mention("Bob", EntityType.PERSON),), "Bob")


def test_a_name_may_be_inflected_in_the_text():
    (draft,) = drawn(
        answer(fact(content="Peters Auto ist rot.", since="")), Text(["Peters Auto ist rot."], SAID)
    ).drafts
    assert PETER in draft.mentions


def test_a_short_name_is_not_found_within_another_word():
    found = drawn(answer(fact(about=["Ed"], subject="")), Text(["He works in education at DevMesh."], SAID))
    assert flaws(found)[Flaw.INVENTED] == 1


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("company", "organisation"),
        ("City", "place"),
        ("tool", "software"),
        ("Person", "person"),
        (7, "other"),
        (None, "other"),
    ],
)
def test_a_type_of_another_name_is_understood(said: object, understood: str):
    entities = [{"name": "Peter", "type": said}]
    (draft,) = drawn({"entities": entities, "facts": [fact(about=["Peter"])]}).drafts
    assert draft.mentions == (Mention("Peter", EntityType(understood)),)


@pytest.mark.parametrize(
    ("said", "importance", "flaw"),
    [
        (4, 4, False),
        ("4/5", 4, False),
        ("5 (critical)", 5, False),
        (3.0, 3, False),
        (9, 5, True),
        (0, 1, True),
        (-3, 1, True),
        ("high", 3, True),
        (None, 3, True),
        ([4], 3, True),
        (True, 3, True),
    ],
)
def test_importance_is_one_of_five(said: object, importance: int, flaw: bool):
    found = drawn(answer(fact(importance=said)))
    assert found.drafts[0].importance == importance
    assert flaws(found) == ({Flaw.IMPORTANCE: 1} if flaw else {})


@pytest.mark.parametrize(
    ("said", "passages", "flaw"),
    [
        ([1], (1,), False),
        (["[1]", "0"], (0, 1), False),
        (1, (1,), False),
        ([0, 7], (0,), True),
        ([-1], (0,), True),
        ("all", (0,), True),
        ([], (0,), False),
    ],
)
def test_a_fact_belongs_to_passages_that_are_there(said: object, passages: tuple[int, ...], flaw: bool):
    found = drawn(answer(fact(passages=said)))
    assert found.drafts[0].passages == passages
    assert flaws(found) == ({Flaw.PASSAGE: 1} if flaw else {})


@pytest.mark.parametrize(
    ("fields", "valid_at", "invalid_at", "flaw"),
    [
        ({"since": "none"}, None, None, False),
        ({"since": "yesterday", "passages": [1]}, "2026-11-17", None, False),
        ({"since": "2026-11-16", "passages": [1]}, "2026-11-17", None, False),
        ({"since": "2020-01-01"}, None, None, True),
        ({"since": "a while"}, None, None, True),
        ({"since": 5}, None, None, True),
        ({"since": "in 2019", "until": "in 2021"}, "2019-01-01", "2021-01-01", False),
        ({"since": "in 2021", "until": "in 2019"}, "2021-01-01", None, True),
        ({"since": "", "until": "next Friday"}, None, "2026-11-20", False),
        ({"since": "in May", "content": "Peter will leave DevMesh."}, "2027-05-01", None, False),
    ],
)
def test_dates_are_counted_by_code(fields: dict[str, Any], valid_at: str | None, invalid_at: str | None, flaw: bool):
    found = drawn(answer(fact(**fields)))
    (draft,) = found.drafts
    assert (draft.valid_at, draft.invalid_at) == (_day(valid_at), _day(invalid_at))
    assert flaws(found) == ({Flaw.DATE: 1} if flaw else {})


def _day(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text).replace(tzinfo=UTC) if text else None


def test_what_held_up_to_a_day_in_the_past_lies_in_the_past():
    (draft,) = drawn(answer(fact(since="", until="until 2020"))).drafts
    assert draft.valid_at == draft.invalid_at == datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("said", [True, "true", "Yes", 1])
def test_what_is_not_so_is_told_apart(said: object):
    (draft,) = drawn(answer(fact(negated=said, subject=""))).drafts
    assert draft.negated


def test_an_attribute_is_a_name_in_snake_case():
    (draft,) = drawn(answer(fact(attribute="Current Employer!", value="DevMesh" * 100, category="Work"))).drafts
    assert (draft.attribute, len(draft.value), draft.category) == ("current_employer", 200, "work")


_NOISE = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "<think>",
        "</think>",
        "```",
        "\\",
        GOOD,
        GOOD[:80],
        GOOD[-80:],
        "\ud800",
        "9" * 5000,
    ]
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["Peter", "2026-11-17"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*fact(), "name", "facts", "type"]), inner, max_size=4)
    ),
)


@given(st.lists(_NOISE | st.text(max_size=10)).map("".join))
def test_no_string_can_break_the_reading(said: str):
    _reads_or_refuses(said)


@given(_JSON)
def test_no_json_can_break_the_reading(said: object):
    _reads_or_refuses(json.dumps({"facts": [fact(), said]}))
    _reads_or_refuses(json.dumps(said))


def _reads_or_refuses(said: str) -> None:
    try:
        found = drawn(said)
    except Unusable:
        return
    for draft in found.drafts:
        assert draft.content.strip()
        assert 1 <= draft.importance <= 5
        assert set(draft.passages) <= {0, 1}
        draft.content.encode()


class Scripted:
    """A chat that gives one answer and keeps what it was asked."""

    def __init__(self, said: str) -> None:
        self._said = said
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(self._said)

    async def alive(self) -> bool:
        return True


async def test_a_text_takes_one_question_whatever_it_holds():
    chat = Scripted(GOOD)
    passages: Sequence[str] = [f"{TEXT.passages[0]} {'word ' * 100}"] * 16
    found = await Extractor(chat).extract(passages, SAID + timedelta(days=1), [SPARK], attempt=2)
    assert found.drafts == (JOB,)
    (asked,) = chat.asked
    assert asked.attempt == 2
    assert "Said on Thursday, 2026-11-19." in asked.text
