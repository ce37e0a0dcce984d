"""Text as it is checked on the way in, and as it is compared."""

import hashlib
import re
import unicodedata

from memstack_server.domain.errors import InvalidInput

# The store keeps text in C strings and speaks UTF-8: control characters are lost on the way to it, half a surrogate
# pair has no encoding. Tab, line feed and carriage return are text.
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def checked(text: str, what: str, limit: int) -> str:
    """The text itself, if it can be stored as it is.

    Args:
        text: What the caller sent.
        what: What the caller knows it as, for the message.
        limit: Greatest number of characters.

    Raises:
        InvalidInput: Empty, too long, or holding a character that no store keeps.
    """
    if not text.strip():
        raise InvalidInput(f"{what} is empty. Pass the text itself.")
    if len(text) > limit:
        raise InvalidInput(f"{what} has {len(text):,} characters; at most {limit:,} are allowed. Shorten or split it.")
    if found := _UNSTORABLE.search(text):
        raise InvalidInput(f"{what} holds the character U+{ord(found[0]):04X}, which cannot be stored. Remove it.")
    return text


def normalised(text: str) -> str:
    """The text by which two memories are the same: composed Unicode, single spaces.

    Case is kept: in commands, names and code it carries meaning.
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def digest(text: str, length: int) -> str:
    """The first `length` hexadecimal digits of the text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]
