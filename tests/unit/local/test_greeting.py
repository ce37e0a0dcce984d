"""What a person reads when `memstack up` is ready."""

import json
import shlex
from pathlib import Path

from memstack_operator.api import MemoryStack, parse
from memstack_operator.local.folder import Folder
from memstack_operator.local.greeting import cluster_only, connect_command, greeting

ENDPOINT = "http://127.0.0.1:8420/mcp"


def stack(**spec: object) -> MemoryStack:
    return parse(
        {
            "apiVersion": "memorystack.dev/v1alpha1",
            "kind": "MemoryStack",
            "metadata": {"name": "mem-b"},
            "spec": {"store": {"type": "FalkorDB"}} | spec,
        }
    )


def test_the_connect_command_is_one_that_a_shell_passes_on_whole():
    words = shlex.split(connect_command("mem-b", ENDPOINT, Path("/data of mine")))
    assert words[:6] == ["claude", "mcp", "add-json", "--scope", "user", "mem-b"]
    server = json.loads(words[6])
    assert server["type"] == "http"
    assert server["url"] == ENDPOINT
    assert shlex.split(server["headersHelper"])[-3:] == ["headers", "mem-b", "--data=/data of mine"]


def test_only_fields_that_were_written_are_said_to_be_left_alone():
    assert cluster_only(stack()) == []
    assert cluster_only(stack(store={"type": "FalkorDB", "storage": {"size": "2Gi"}})) == ["spec.store.storage"]
    assert cluster_only(stack(virtualKey={"allow": ["ollama/*"]})) == ["spec.virtualKey"]


def test_everything_one_needs_is_in_the_text():
    text = greeting(stack(), Folder(Path("/data/mem-b")), ENDPOINT, seconds=1.25)
    for part in (ENDPOINT, "/data/mem-b/token", "claude mcp add-json", "mem-b is ready (1.2 s)"):
        assert part in text
