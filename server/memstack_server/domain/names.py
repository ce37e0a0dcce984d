"""When two names mean the same entity.

Names meet by their key: case, accents, width, punctuation, a leading article, a possessive and a legal form make no
difference. Singular and plural meet without anything being cut off: "DGX Sparks" is known as a plural of "DGX Spark"
once one of the two is known, while Kubernetes, which has no singular, stays what it is.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace

from memstack_server.domain.entity import Entity, EntityType, Mention

_ARTICLE = re.compile(r"^(?:(?:the|a|an|der|die|das|le|la|les|el|los|las)\s+)+(?=\S)")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_LEGAL = re.compile(r"(?:\s+(?:inc|ltd|llc|gmbh|ag|corp|co|plc|sarl|srl|bv|kg|se))+$")
_WORD = re.compile(r"[\w+#]+")
# A person is no place. Between other types a model often wavers, for one and the same thing.
_APART = frozenset({EntityType.PERSON, EntityType.PLACE, EntityType.EVENT})
_MOST_KNOWN = 30  # in a prompt


def key(name: str) -> str:
    """What two spellings of a name share; empty for what holds no letter and no digit."""
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name.strip()).casefold())
    text = "".join(sign for sign in text if not unicodedata.combining(sign))
    text = _POSSESSIVE.sub("", text)
    words = " ".join(_WORD.findall(text))
    return _LEGAL.sub("", _ARTICLE.sub("", words)) or words


def variants(key: str) -> tuple[str, ...]:
    """The keys under which the same entity may be known: its plurals, and what it may be the plural of."""
    found = [f"{key}s", f"{key}es"]
    if key.endswith("y"):
        found.append(f"{key[:-1]}ies")
    if key.endswith("ies"):
        found.append(f"{key[:-3]}y")
    if key.endswith("es"):
        found.append(key[:-2])
    if key.endswith("s") and not key.endswith("ss"):
        found.append(key[:-1])
    return tuple(each for each in found if len(each) > 2)


def resolve(mention: Mention, known: Iterable[Entity]) -> Entity:
    """The known entity that a mention means, with the mention's names added; a new one if it means none."""
    entities = list(known)
    by_name: dict[str, list[Entity]] = {}
    for entity in entities:
        for name in {entity.key, *map(key, (entity.name, *entity.aliases))}:
            by_name.setdefault(name, []).append(entity)
    for name in _names(mention):
        if found := _compatible(mention, by_name.get(name, ())):
            return _with_names(found, mention)
    return Entity(key(mention.name), mention.name.strip(), mention.type, _aliases(mention, ()))


def relevant(text: str, known: Iterable[Entity]) -> tuple[Entity, ...]:
    """Those whose name or alias stands in the text, the longest name first, at most thirty."""
    words = f" {' '.join(_WORD.findall(key(text)))} "
    named = [entity for entity in known if any(_stands(name, words) for name in _all_names(entity))]
    return tuple(sorted(named, key=lambda entity: (-len(entity.key), entity.key))[:_MOST_KNOWN])


def _names(mention: Mention) -> list[str]:
    own = key(mention.name)
    aliases = [key(alias) for alias in mention.aliases]
    return list(dict.fromkeys(filter(None, (own, *aliases, *variants(own)))))


def _all_names(entity: Entity) -> set[str]:
    names = {entity.key, *map(key, entity.aliases)}
    return names | {variant for name in names for variant in variants(name)}


def _stands(name: str, words: str) -> bool:
    return f" {name} " in words


def _compatible(mention: Mention, entities: Iterable[Entity]) -> Entity | None:
    return next((entity for entity in entities if not _contradict(mention.type, entity.type)), None)


def _contradict(one: EntityType, other: EntityType) -> bool:
    return one is not other and EntityType.OTHER not in (one, other) and bool({one, other} & _APART)


def _with_names(entity: Entity, mention: Mention) -> Entity:
    return replace(entity, aliases=_aliases(mention, (entity.name, *entity.aliases))[0:])


def _aliases(mention: Mention, known: tuple[str, ...]) -> tuple[str, ...]:
    # The first of the known names is the entity's own.
    own = {key(name) for name in known[:1]} or {key(mention.name)}
    names: Mapping[str, str] = {key(name): name for name in (*mention.aliases, mention.name, *known)}
    return tuple(sorted(name for each, name in names.items() if each and each not in own))
