"""The documentation says what the code does."""

import contextlib
import io
import re
import runpy
from pathlib import Path

from memstack_operator.conditions import Reason

ROOT = Path(__file__).parents[2]


def test_the_reference_is_the_one_that_make_docs_writes():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(ROOT / "docs" / "reference.py"), run_name="__main__")
    assert (ROOT / "docs" / "reference.md").read_text() == printed.getvalue()


def test_every_reason_has_a_row_in_troubleshooting():
    text = (ROOT / "docs" / "troubleshooting.md").read_text()
    assert [reason for reason in Reason if f"| `{reason}` |" not in text] == []


def test_every_tool_is_in_the_readme():
    text = (ROOT / "README.md").read_text()
    rooms = (ROOT / "server" / "memstack_server" / "interfaces" / "tools").glob("*.py")
    tools = [tool for room in rooms for tool in re.findall(r"\(self\.(\w+), \"", room.read_text())]
    assert tools
    assert [tool for tool in tools if f"`{tool}`" not in text] == []
