"""What a text and its scope know: the ground that a fact must stand on."""

import re
from collections.abc import Iterable, Sequence

from memstack_server.domain.entity import Entity, EntityType, Mention
from memstack_server.domain.names import key, variants
from memstack_server.domain.words import terms

USER = Mention("user", EntityType.PERSON)
"""Whoever speaks, where the text does not say who that is."""

# By their keys, which have no accents and no voicing marks.
_FIRST_PERSON = re.compile(
    "user|i|me|my|myself|speaker|narrator|ich|mich|mir|mein|nutzer(?:in)?|benutzer(?:in)?|anwender(?:in)?|je|moi|mon|"
    "utilisat(?:eur|rice)|yo|mi|usuari[oa]|我|我们|用户|私|僕|俺|自分|ユーサー"
)
_DENSE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SHORT = 4  # letters: the beginning of a word that is shorter is no sign of it
# Scripts that are written without the Latin letters: a fact in others than its text was translated.
_SCRIPTS = (
    re.compile("[\u3040-\u30ff\u4e00-\u9fff]"),
    re.compile("[\uac00-\ud7af]"),
    re.compile("[\u0400-\u04ff]"),
    re.compile("[\u0600-\u06ff]"),
    re.compile("[\u0590-\u05ff]"),
    re.compile("[\u0900-\u097f]"),
    re.compile("[\u0370-\u03ff]"),
    re.compile("[\u0e00-\u0e7f]"),
)


class Ground:
    """The passages of a text and the entities known in its scope."""

    def __init__(self, passages: Sequence[str], known: Iterable[Entity]) -> None:
        text = "\n".join(passages)
        self._words = f" {key(text)} "
        self._script = _script(text)
        self._terms = [frozenset(terms(passage)) for passage in passages]
        self._known = {key(name): each for each in known for name in (each.key, each.name, *each.aliases)}

    def known(self, name: str) -> Entity | None:
        """The entity of the scope that NAME means, in the singular or the plural."""
        own = key(name)
        return next((self._known[each] for each in (own, *variants(own)) if each in self._known), None)

    def names(self, name: str) -> bool:
        """Whether the text says NAME, or the scope knows it."""
        own = key(name)
        return bool(own) and (self.known(name) is not None or any(map(self._says, (own, *variants(own)))))

    def is_speaker(self, name: str) -> bool:
        return bool(_FIRST_PERSON.fullmatch(key(name)))

    def shares_words(self, content: str) -> bool:
        """Whether CONTENT has a word of the text, by its stem."""
        return bool(self._terms_of(content) & frozenset().union(*self._terms))

    def same_script(self, content: str) -> bool:
        return self._script is None or bool(self._script.search(content))

    def nearest(self, content: str) -> tuple[int, ...]:
        """The number of the passage that shares most words with CONTENT; none if no passage shares any."""
        own = self._terms_of(content)
        shared = [len(own & each) for each in self._terms]
        most = max(shared, default=0)
        return (shared.index(most),) if most else ()

    @staticmethod
    def _terms_of(content: str) -> frozenset[str]:
        return frozenset(terms(content))

    def _says(self, name: str) -> bool:
        if _DENSE.search(name):
            return name in self._words
        # A word may go on: the genitive of many languages, the second half of a compound.
        return f" {name} " in self._words or (len(name) >= _SHORT and f" {name}" in self._words)


def _script(text: str) -> re.Pattern[str] | None:
    """The script that most letters of TEXT are in, if it is none of the Latin ones."""
    letters = sum(map(str.isalpha, text))
    return next((script for script in _SCRIPTS if len(script.findall(text)) * 2 > letters), None)
