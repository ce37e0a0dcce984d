"""Where a memory belongs.

A scope is `global`, `project:<identity of a repository>`, or a free name such as `eval-2026-05`. The store knows it by
its slug, so no text of a caller ever becomes part of a graph's name.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from memstack_server.domain import limits
from memstack_server.domain.errors import InvalidInput
from memstack_server.domain.text import checked, digest

_FREE = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_PROJECT = re.compile(r"project:\S(.*\S)?")

HOW_TO_NAME_A_SCOPE = (
    "Pass scope='project:<identity of the repository>' for what concerns one project, for example "
    "'project:github.com/owner/name' (from `git remote get-url origin`), 'global' for what holds everywhere, or a free "
    "name of lower-case letters, digits, '.', '_' and '-'."
)


@dataclass(frozen=True)
class Scope:
    """A checked scope; make one with `Scope.parse`."""

    name: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises `InvalidInput` for what is no scope, and says what is one."""
        if not text.strip():
            raise InvalidInput(f"scope is empty. {HOW_TO_NAME_A_SCOPE}")
        name = unicodedata.normalize("NFC", checked(text, "scope", limits.SCOPE_CHARACTERS))
        if not (_FREE.fullmatch(name) or _PROJECT.fullmatch(name)):
            raise InvalidInput(f"{name!r} is not a scope. {HOW_TO_NAME_A_SCOPE}")
        return cls(name)

    @cached_property
    def slug(self) -> str:
        """Ten hexadecimal digits that stand for this scope in ids and graph names."""
        return digest(self.name, 10)


GLOBAL = Scope("global")
