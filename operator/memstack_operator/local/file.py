"""One MemoryStack out of a file, or one line that says what is wrong with it."""

from pathlib import Path

import yaml

from memstack_operator.api import InvalidStackError, MemoryStack, parse
from memstack_operator.local.errors import LocalError


def load(path: Path) -> MemoryStack:
    """Read the file.

    Raises:
        LocalError: it cannot be read, is no YAML, holds no MemoryStack or several, or a field is wrong.
    """
    try:
        documents = [document for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]
    except OSError as error:
        raise LocalError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise LocalError(f"{path} is not YAML: {_one_line(error)}") from error
    stacks = [document for document in documents if _is_stack(document)]
    if len(stacks) != 1:
        raise LocalError(f"{path} holds {len(stacks)} objects of kind MemoryStack; exactly one can run here")
    try:
        return parse(stacks[0])
    except InvalidStackError as error:
        raise LocalError(f"{path}: {'; '.join(str(error).splitlines())}") from error


def _is_stack(document: object) -> bool:
    return isinstance(document, dict) and document.get("kind") == "MemoryStack"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
