"""What memories are about: people, places, projects, things."""

from dataclasses import dataclass
from enum import StrEnum


class EntityType(StrEnum):
    PERSON = "person"
    ORGANISATION = "organisation"
    PROJECT = "project"
    PLACE = "place"
    SOFTWARE = "software"
    HARDWARE = "hardware"
    EVENT = "event"
    CONCEPT = "concept"
    OTHER = "other"


@dataclass(frozen=True)
class Mention:
    """An entity as a text names it, with other names that the text gives it."""

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entity:
    """An entity of a scope: `key` identifies it there, `name` is how it was first called."""

    key: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
