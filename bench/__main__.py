"""`make bench`: figures beside the bare parts, in one run.

python -m bench                        the memory, the programs, the operator
python -m bench node                   a whole cluster: from apply to Ready (root)
python -m bench retrieval --locomo locomo10.json --devmembench FOLDER
                                       recall on public sets, in a memory that is started for it
python -m bench retrieval --locomo locomo10.json --endpoint http://127.0.0.1:8420/mcp --token-file TOKEN
                                       the same in one that runs already, such as a pod behind a port-forward
"""

import argparse
import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import memory, node, operator, processes, retrieval
from bench.datasets import Dataset, devmembench, locomo
from bench.table import Row, table
from testbed.agent import connected


def main() -> int:
    arguments = parser().parse_args()
    if arguments.what == "retrieval":
        asyncio.run(recall(arguments))
        return 0
    rows = node.rows() if arguments.what == "node" else everything()
    print(table(rows))
    return 0 if all(row.within for row in rows) else 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument("what", nargs="?", choices=["all", "node", "retrieval"], default="all")
    top.add_argument("--locomo", type=Path, metavar="FILE", help="a copy of locomo10.json, or a part of it")
    top.add_argument("--devmembench", type=Path, metavar="FOLDER", help="with sessions.json and questions.json")
    top.add_argument("--endpoint", metavar="URL", help="of a running memory (default: one is started)")
    top.add_argument("--token-file", type=Path, metavar="FILE", help="its token")
    return top


def everything() -> list[Row]:
    return [*asyncio.run(memory.rows()), *processes.rows(), *asyncio.run(operator.rows())]


async def recall(arguments: argparse.Namespace) -> None:
    datasets = read(arguments)
    if arguments.endpoint:
        await measure(datasets, arguments.endpoint, arguments.token_file.read_text().strip())
        return
    with TemporaryDirectory() as data, processes.up(data) as started:
        await measure(datasets, started.endpoint, (Path(data) / "mem-b" / "token").read_text().strip())


def read(arguments: argparse.Namespace) -> list[Dataset]:
    """The data sets that were named; ends the program when none was, or one is not there."""
    try:
        named = [(locomo, arguments.locomo), (devmembench, arguments.devmembench)]
        datasets = [dataset for load, path in named if path for dataset in load(path)]
    except FileNotFoundError as error:
        sys.exit(f"bench: {error.filename} is not there; give the path of your own copy of the data set")
    if not datasets:
        sys.exit("bench: name a data set: --locomo FILE or --devmembench FOLDER")
    return datasets


async def measure(datasets: list[Dataset], endpoint: str, token: str) -> None:
    async with connected(endpoint, {"Authorization": f"Bearer {token}"}) as agent:
        for dataset in datasets:
            print(await retrieval.measure(agent, dataset), flush=True)


if __name__ == "__main__":
    sys.exit(main())
