"""What is never kept: secrets, and what is no memory at all.

Asked before a text is hashed, embedded, queued or logged. The kinds are those of the public audits of agents' memories:
nine tenths of what was found there were restated prompts, heartbeats, tool output, invented profiles, and the memory's
own words taken in again; and some of it were passwords.
"""

from memstack_server.domain.admission import noise, secrets
from memstack_server.domain.admission.refusal import Kind
from memstack_server.domain.errors import Refused

_WORDS = {
    Kind.SECRET: "it holds what looks like a secret. Say where the secret is kept instead, never what it is.",
    Kind.PROMPT: "it restates a prompt or the description of a tool. Store what the user decided or said.",
    Kind.INJECTED: "it is what this memory itself told you. It is kept already.",
    Kind.TOOL_OUTPUT: "it is the output of a program. Store what it showed, in a sentence.",
    Kind.HEARTBEAT: "it says only that something is alive. There is nothing to remember in it.",
    Kind.TRANSIENT: "it will not be true any more when it is read. Store what lasts.",
    Kind.INVENTED: "it describes a placeholder and no real person. Store only what the user said.",
}


def admit(text: str) -> None:
    """Returns if the text may be kept.

    Raises:
        Refused: It may not; the message says why and what to do, and quotes nothing.
    """
    if kind := refused(text):
        raise Refused(kind, f"this was not stored: {_WORDS[kind]}")


def refused(text: str) -> Kind | None:
    """Why the text may not be kept; None if it may."""
    return Kind.SECRET if secrets.found(text) else noise.kind(text)
