"""What is no memory: prompts said again, the memory's own words, output of programs, signs of life, passing states."""

import re
from collections.abc import Callable

from memstack_server.domain.admission.refusal import Kind

# Stands around whatever this project puts into an agent's context, so that it is known when it comes back.
INJECTED = "memory-stack:recalled"


def _any(*patterns: str) -> str:
    return f"(?:{'|'.join(patterns)})"


def _ignoring_case(*patterns: str) -> re.Pattern[str]:
    return re.compile(_any(*patterns), re.IGNORECASE)


_PROMPT = _ignoring_case(
    r"\s*(?:#+\s*)?you are (?:claude|an? (?:\w+[ -]){0,4}(?:assistant|agent|model|ai))\b",
    r"\s*you have (?:access to|been given) (?:the following|a set of) (?:tools|functions)",
    r"\s*(?:important|critical): you must\b",
    r"\s*in this environment you have",
    r"\s*<(?:system|instructions|system-reminder)\b",
    r"\s*(?:system|developer) prompt:",
    r"\s*as an ai (?:language )?model\b",
    r"\s*your (?:task|role|goal) is to\b",
    r"\s*the (?:assistant|agent|model) (?:is|should|must|can) "
    r"(?:be helpful|use the|have access|never reveal|always respond)",
    r"\s*user (?:has|is using) (?:claude code|an ai (?:coding )?(?:assistant|agent))\b",
)
_PROMPT_INSIDE = _ignoring_case(
    r"\bcodebase and user instructions are shown below\b",
    r"\bthese instructions override any default behavior\b",
    r"\bignore (?:all )?previous instructions\b",
    r"\bthis is the system prompt\b",
)
_HEARTBEAT = _ignoring_case(
    r"heartbeat(?:[_ ](?:ok|check|received))?",
    r"ping|pong|ok|okay|done|ack|alive|keep-?alive|no-?op|test|hello|hi",
    r"(?:i am |i'm |it is |it's )?(?:still )?(?:running|alive|here|working|waiting|online)",
    r"nothing (?:new|to report|to do)",
    r"all (?:good|clear|systems (?:go|nominal|operational))",
    r"no (?:new )?(?:messages|updates|changes)",
    r"session (?:started|ended)",
    r"status:? ?(?:ok|green|healthy)",
)
_TIME = _any(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?",
    r"\d{10}(?:\d{3})?",
)
_SAID_OF_TIME = _any(
    r"it is|it's|now|today is|as of|at|on",
    r"the (?:current )?(?:time|date) (?:is|was)",
    r"(?:current )?(?:time|date|timestamp)",
)
_TIMESTAMP = _ignoring_case(rf"\W*{_SAID_OF_TIME}?\W*(?:now )?{_TIME}(?:\s+(?:utc|gmt|cet))?\W*")
_DOING = _any(
    r"running|executing|reading|waiting|compiling|building|installing",
    r"checking|fetching|loading|searching|editing|opening|looking",
)
_TRANSIENT = re.compile(
    _any(
        rf"\s*(?:currently|right now|at the moment|just now|i am now|i'm now|now)\W+(?:\w+\W+){{0,3}}?{_DOING}\b.*",
        r"\s*(?:let me|i will now|i'll now|i'm going to|next,? i(?:'ll| will))\s.*",
        r"\s*(?:the )?(?:tests?|build|command|server|process|script|agent|task) (?:is|are) (?:still |currently |now )?"
        r"(?:running|executing|in progress|waiting|starting|compiling|building)\W*",
    ),
    re.IGNORECASE | re.DOTALL,
)
_INVENTED = _ignoring_case(
    r"\b(?:john|jane) (?:doe|smith)\b",
    r"\b[\w.]+@(?:example|test|acme|domain|email)\.(?:com|org|net)\b",
    r"\blorem ipsum\b",
    r"\bacme (?:corp(?:oration)?|inc)\b",
    r"\bfoo ?bar (?:inc|corp)\b",
    r"\b(?:123|1234) main st(?:reet)?\b",
    r"\b555-\d{4}\b",
)
_PROFILE = _ignoring_case(r"\b(?:user|he|she|name|works?|lives?|email|is an?|engineer|developer|years old|located)\b")
_ESCAPE = re.compile(r"\x1b\[|\[\d{1,2}(?:;\d{1,2})*m")
_OUTPUT_LINE = re.compile(
    _any(
        r"[-dlbcps][rwxsStT-]{9}\b|total \d+$",  # ls
        r"[+-](?![-+\s])\S|@@ .* @@|diff --git |index [0-9a-f]{7,}\.\.|\+\+\+ |--- ",  # diff
        r"\s*File \".*\", line \d+|Traceback \(most recent|\s+at \S+ ?\(",  # stacks
        r"=+ .* =+$|\S+::\S+ (?:PASSED|FAILED|ERROR|SKIPPED)|\s*\d+ (?:passed|failed)",  # test runners
        r"(?:PASS|FAIL|ok|not ok|---) ",
        r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE)\b[\s:\[]",  # logs
        r"On branch |Changes not staged|\s+modified: |npm (?:ERR|WARN)!|\$ |> ",
        r"\s*[\]\[{}],?$|\s*\"[\w-]+\":",  # JSON
        r"\s*\d+[→|:]\s",  # numbered lines
    )
)


def kind(text: str) -> Kind | None:
    """Which kind of noise the text is; None for what may be a memory."""
    return next((kind for kind, is_it in _RULES if is_it(text)), None)


def _prompt(text: str) -> bool:
    return bool(_PROMPT.match(text) or _PROMPT_INSIDE.search(text))


def _heartbeat(text: str) -> bool:
    return bool(_HEARTBEAT.fullmatch(text.strip(" \n\t.!?*_`'\"")))


def _transient(text: str) -> bool:
    return bool(_TIMESTAMP.fullmatch(text) or (len(text) < 300 and _TRANSIENT.fullmatch(text)))


def _invented(text: str) -> bool:
    return bool(_INVENTED.search(text) and _PROFILE.search(text))


def _tool_output(text: str) -> bool:
    """Most lines are a program's, and there are more than two of them; or it is all one structure."""
    if _ESCAPE.search(text):
        return True
    lines = [line for line in text.splitlines() if line.strip()]
    printed = sum(bool(_OUTPUT_LINE.match(line)) for line in lines)
    return (len(lines) > 2 and printed * 2 > len(lines)) or _structure(text.strip())


def _structure(text: str) -> bool:
    return len(text) > 40 and text[0] in "{[" and text[-1] in "}]" and text.count('"') >= 4


_RULES: tuple[tuple[Kind, Callable[[str], bool]], ...] = (
    (Kind.INJECTED, lambda text: INJECTED in text),
    (Kind.PROMPT, _prompt),
    (Kind.HEARTBEAT, _heartbeat),
    (Kind.TRANSIENT, _transient),
    (Kind.INVENTED, _invented),
    (Kind.TOOL_OUTPUT, _tool_output),
)
