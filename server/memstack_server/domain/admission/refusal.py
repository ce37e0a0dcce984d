"""The kinds of text that are refused; metrics count by them."""

from enum import StrEnum


class Kind(StrEnum):
    SECRET = "secret"  # noqa: S105 - the word, and none
    PROMPT = "prompt"
    INJECTED = "injected"
    TOOL_OUTPUT = "tool-output"
    HEARTBEAT = "heartbeat"
    TRANSIENT = "transient"
    INVENTED = "invented"
