"""Which entity a model means by a name, if it is one that the text or the scope knows."""

from collections.abc import Iterable, Mapping
from typing import Final

from memstack_server.domain.entity import EntityType, Mention
from memstack_server.domain.names import key
from memstack_server.engines.extraction.ground import USER, Ground
from memstack_server.engines.extraction.reading import Json, list_of, plain, text_of

_ALIASES = 5
_NAME_CHARACTERS = 200
_OTHER_TYPES: Final[Mapping[str, EntityType]] = {
    other: meant
    for meant, others in {
        EntityType.PERSON: "human user people family",
        EntityType.ORGANISATION: "organization company org team institution employer",
        EntityType.PROJECT: "product repository repo initiative",
        EntityType.PLACE: "location city country region address",
        EntityType.SOFTWARE: "tool technology language library framework database service application app",
        EntityType.HARDWARE: "device machine computer server",
        EntityType.EVENT: "meeting appointment",
        EntityType.CONCEPT: "topic idea method condition skill",
    }.items()
    for other in others.split()
}


class Mentions:
    """The entities that an answer lists, and what names in it stand for."""

    def __init__(self, entities: Iterable[Json], ground: Ground) -> None:
        self._ground = ground
        self._listed = {key(text_of(entity["name"])): entity for entity in entities}

    def of(self, value: object) -> Mention | None:
        """The mention that a name, or an entity with one, stands for; None for what nobody knows."""
        if isinstance(value, dict):
            entity = dict[str, object](value)
            return self._of(text_of(entity.get("name")), entity)
        name = text_of(value)
        return self._of(name, self._listed.get(key(name), {}))

    def listed(self, value: object) -> Mention | None:
        """The mention that a name stands for if it is that of an entity, and no mere word."""
        own = key(text_of(value))
        return self.of(value) if own in self._listed else None

    def _of(self, name: str, entity: Json) -> Mention | None:
        if self._ground.is_speaker(name):
            return USER
        candidates = [name, *map(text_of, list_of(entity.get("aliases"))), *_owned(name)]
        names = [each[:_NAME_CHARACTERS] for each in candidates if self._ground.names(each)]
        if not names:
            return None
        known = self._ground.known(names[0])
        own = known.name if known else names[0]
        aliases = tuple({key(each): each for each in names if key(each) != key(own)}.values())[:_ALIASES]
        return Mention(own, known.type if known else _type(entity.get("type")), aliases)


def _owned(name: str) -> list[str]:
    """Of "the user's bicycle" the bicycle: the text says "my"."""
    _, owned, thing = name.replace("\u2019", "'").partition("'s ")
    return [thing] if owned else []


def _type(value: object) -> EntityType:
    name = plain(text_of(value))
    return EntityType(name) if name in {*EntityType} else _OTHER_TYPES.get(name, EntityType.OTHER)
