"""The terms by which a text is found.

Every term is made of [a-z0-9] only. They go into a full-text index and into its queries as they are, so no text of a
caller can ever be query syntax, and what the store does with hyphens, underscores or accents never matters.

    "The tests were failing"       -> test fail                 stop words dropped, stems
    "ERR_CONN-42 in foo/bar.py"    -> errconn42 err conn 42 foobarpy foo bar py    whole and split
    "設定を変更"                     -> pairs of characters        no word borders in the script
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

import snowballstemmer

from memstack_server.domain.stop_words import STOP_WORDS

_ENGLISH = "english"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
# What programs are made of: parts that a sign joins, with none of it at the ends.
_IDENTIFIER = re.compile(r"\b(?:\w+(?:[-./:\\@#+=]+\w+)+|[^\W_]*_\w+|\w*[a-z][A-Z]\w*)\b")
_NOT = re.compile(r"n['\u2019]t\b")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = re.compile(r"[a-z0-9]+")


def terms(text: str) -> list[str]:
    """The terms of a text, in its order, each as often as it occurs."""
    composed = _NOT.sub(" not", unicodedata.normalize("NFKC", text))
    languages = _languages(composed)
    found = [_encoded(whole) for whole in _identifiers(composed)]
    for run in _RUN.findall(composed):
        found.extend(_of_run(run, languages))
    return [term for term in found if term]


def distinct(text: str) -> list[str]:
    """The terms of a question, each once, in its order."""
    return list(dict.fromkeys(terms(text)))


def _identifiers(text: str) -> Iterator[str]:
    for found in _IDENTIFIER.findall(text):
        yield _folded("".join(filter(str.isalnum, found)))


def _of_run(run: str, languages: tuple[str, ...]) -> Iterable[str]:
    if re.match(rf"[{_CJK}]", run):
        return map(_encoded, _pairs(run))
    parts = _HUMP.split(run)
    return chain.from_iterable(_stems(part.casefold(), languages) for part in parts)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _stems(word: str, languages: tuple[str, ...]) -> list[str]:
    if word in _ALL_STOP_WORDS:
        return []
    # A German text holds English words, and is asked in English too: the English stem stands beside the German one.
    return list(dict.fromkeys(_encoded(_folded(_stem(language, word))) for language in languages))


@lru_cache(maxsize=65_536)
def _stem(language: str, word: str) -> str:
    return _stemmer(language).stemWord(word)


_stemmer = lru_cache(snowballstemmer.stemmer)


def _languages(text: str) -> tuple[str, ...]:
    """English, and the language whose little words stand in the text most often, if there are more of them."""
    words = Counter(text.casefold().split())
    counts = {language: sum(words[word] for word in little) for language, little in STOP_WORDS.items()}
    most = max(counts, key=counts.__getitem__)
    return (_ENGLISH,) if counts[most] <= counts[_ENGLISH] else (_ENGLISH, most)


def _folded(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


def _encoded(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    return "x" + word.encode().hex() if word else ""


_ALL_STOP_WORDS = frozenset(word for little in STOP_WORDS.values() for word in little)
