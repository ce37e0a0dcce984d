"""Two sessions of the real Claude Code: the first stores a fact, the second finds it."""

import json
from pathlib import Path

from testbed.claude import ClaudeCode
from testbed.messages_api import Script, call, say

FACT = "Deployments to production are frozen on Fridays"


def remember(claude: ClaudeCode, model: Script, scope: str, folder: Path) -> None:
    """Run both in the folder, against an MCP server that is registered as `mem-b`."""
    model.play(call("mcp__mem-b__store_memory", content=FACT, scope=scope), say("Noted."))
    assert claude.ask("Remember: no deployments on Fridays.", server="mem-b", cwd=folder)["result"] == "Noted."

    model.play(call("mcp__mem-b__search_memory", query="when are deployments frozen", scope=scope), say("Fridays."))
    assert claude.ask("When may I not deploy?", server="mem-b", cwd=folder)["result"] == "Fridays."
    assert FACT in json.dumps(model.requests[-1]["messages"][-1])
