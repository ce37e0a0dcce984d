"""The command line: python -m testbed COMMAND."""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from testbed import build, images, parts, runs, tools
from testbed.bed import Testbed, say
from testbed.errors import TestbedError
from testbed.gateway import Gateway, environment
from testbed.runs import Run

EXAMPLES = """\
examples:
  python -m testbed install --node           bring everything, once: Debian packages (as root), compiled parts, images
  eval "$(python -m testbed up)"             a control plane in a few seconds; kubectl now talks to it
  python -m testbed up --node --name mine    a whole cluster on which pods run (as root)
  python -m testbed gateway                  the real LiteLLM with a stand-in for Ollama, until Ctrl-C
  python -m testbed list                     what runs
  python -m testbed down mine                end it; nothing of it stays

What is built is kept in ~/.cache/memory-stack/testbed; remove that folder to begin anew.
"""


def main() -> None:
    arguments = _parser().parse_args()
    try:
        cast("Callable[[argparse.Namespace], None]", arguments.act)(arguments)
    except TestbedError as error:
        sys.exit(f"testbed: {error}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m testbed",
        description="A real Kubernetes on this machine, for tests and for trying things by hand.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(act: Callable[[argparse.Namespace], None], says: str) -> argparse.ArgumentParser:
        added = commands.add_parser(act.__name__[1:], help=says, description=f"{says[0].upper()}{says[1:]}.")
        added.set_defaults(act=act)
        return added

    up = command(_up, "start a testbed that lives until `down`; prints how to reach it")
    up.add_argument("--node", action="store_true", help="with a node, on which pods run (needs root)")
    up.add_argument("--name", default="default", help="its name, for several side by side (default: %(default)s)")
    down = command(_down, "end a testbed and take away all it made")
    down.add_argument("name", nargs="?", default="default", metavar="NAME", help="which (default: %(default)s)")
    command(_list, "show the testbeds of this machine")
    command(_gateway, "run the LiteLLM gateway in the foreground, for trying things by hand")
    for bring in (
        command(_build, "compile the parts and build the images that are not cached yet"),
        command(_install, "bring missing Debian packages, then build: all that a new machine needs"),
    ):
        what = bring.add_mutually_exclusive_group()
        what.add_argument("--node", action="store_true", help="what a node needs too, images among it (needs root)")
        what.add_argument("--gateway", action="store_true", help="what the LiteLLM gateway needs, and nothing else")
    return parser


def _up(arguments: argparse.Namespace) -> None:
    bed = Testbed.start(node=arguments.node, name=arguments.name, owned=False)
    print(f"export KUBECONFIG={bed.kubeconfig}")


def _down(arguments: argparse.Namespace) -> None:
    run = Run(arguments.name)
    if run not in runs.known():
        raise TestbedError(f"No testbed is named {run.name!r}. `python -m testbed list` shows those there are.")
    run.end()


def _list(_: argparse.Namespace) -> None:
    for run in runs.known():
        print(f"{run.name:40} {'runs' if run.alive else 'crashed; the next `up` cleans it away':8} {run.folder}")


def _build(arguments: argparse.Namespace) -> None:
    if not arguments.gateway:
        build.programs(parts.NODE if arguments.node else parts.CONTROL_PLANE, say)
    if arguments.node:
        for image in (images.base, images.product, images.store):
            say(f"{image.__name__} image: {image(say)}")
    environment.ready(say)


def _install(arguments: argparse.Namespace) -> None:
    if arguments.node:
        tools.install(tools.EVERYTHING)
    elif arguments.gateway:
        tools.install(tools.GATEWAY)
    else:
        tools.install((*tools.GO, *tools.CONTROL_PLANE, *tools.GATEWAY))
    _build(arguments)


def _gateway(_: argparse.Namespace) -> None:
    with Gateway.start() as gateway, suppress(KeyboardInterrupt):
        print(f"LiteLLM          {gateway.url}  master key {gateway.master_key}", flush=True)
        print(f"Ollama stand-in  {gateway.ollama_url}\nlogs             {gateway.folder}", flush=True)
        gateway.proxy.wait()


if __name__ == "__main__":
    main()
