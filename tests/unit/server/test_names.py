import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstack_server.domain.entity import Entity, EntityType, Mention
from memstack_server.domain.names import key, relevant, resolve

SPARK = Entity("dgx spark", "DGX Spark", EntityType.HARDWARE)
KUBERNETES = Entity("kubernetes", "Kubernetes", EntityType.SOFTWARE, ("K8s",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Béla", "BELA"),
        ("the Acorn GmbH", "acorn"),
        ("Acorn, Inc.", "Acorn"),
        ("Peter's", "peter"),
        ("  DGX   Spark ", "dgx spark"),
        ("\uff24\uff27\uff38", "DGX"),
        ("C++", "c++"),
    ],
)
def test_spellings_meet(one: str, other: str):
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), [("C", "C++"), ("C", "C#"), ("Ann", "Anna"), ("Acorn", "Birch")])
def test_names_that_differ_stay_apart(one: str, other: str):
    assert key(one) != key(other)


@pytest.mark.parametrize(
    ("name", "kind", "entity"),
    [
        ("DGX Sparks", EntityType.HARDWARE, SPARK),
        ("dgx spark", EntityType.SOFTWARE, SPARK),
        ("k8s", EntityType.SOFTWARE, KUBERNETES),
        ("kubernetes", EntityType.SOFTWARE, KUBERNETES),
    ],
)
def test_a_mention_finds_its_entity(name: str, kind: EntityType, entity: Entity):
    assert resolve(Mention(name, kind), [SPARK, KUBERNETES]).key == entity.key


def test_kubernetes_is_no_plural():
    assert resolve(Mention("Kubernetes", EntityType.SOFTWARE), []).key == "kubernetes"


def test_a_person_is_no_place():
    paris = Entity("paris", "Paris", EntityType.PLACE)
    assert resolve(Mention("Paris", EntityType.PERSON), [paris]) != paris


def test_new_names_become_aliases():
    known = resolve(Mention("DGX Spark", EntityType.HARDWARE, ("the little box",)), [SPARK])
    assert (known.name, known.aliases) == ("DGX Spark", ("the little box",))


def test_what_is_named_in_a_text_is_relevant():
    assert set(relevant("Both DGX Sparks run k8s.", [SPARK, KUBERNETES])) == {SPARK, KUBERNETES}
    assert relevant("Nothing of the kind.", [SPARK, KUBERNETES]) == ()


@given(st.text())
def test_a_key_is_its_own_key(name: str):
    assert key(key(name)) == key(name)
