"""`memstack up`: the object that kubectl takes, run on this machine."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from memstack_operator.local import store as embedded
from memstack_operator.local.folder import Folder
from testbed.agent import connected

SAMPLE = Path(__file__).parents[2] / "manifests" / "samples" / "mem-b.yaml"


@dataclass
class Up:
    """One `memstack up` that has said that it is ready."""

    process: subprocess.Popen[str]
    said: str
    data: Path
    port: int

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    @property
    def socket(self) -> Path:
        return self.data / "mem-b" / "store.sock"

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(how)
        return self.process.wait()


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def started() -> Generator[list[Up]]:
    """What a test starts; whatever still runs at its end is ended."""
    running: list[Up] = []
    yield running
    for up in running:
        if up.process.poll() is None:
            up.end()
        assert up.process.stdout
        up.process.stdout.close()


def command(data: Path, port: int, file: Path = SAMPLE) -> list[str]:
    return [sys.executable, "-m", "memstack", "up", str(file), f"--data={data}", f"--port={port}"]


def start(started: list[Up], data: Path, port: int, file: Path = SAMPLE) -> Up:
    process = subprocess.Popen(command(data, port, file), stdout=subprocess.PIPE, text=True)
    assert process.stdout
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith("Ctrl-C"):
            break
    up = Up(process, said, data, port)
    started.append(up)
    assert process.poll() is None, said
    return up


def refused(data: Path, port: int, file: Path = SAMPLE) -> str:
    """The one line with which a start is refused."""
    done = subprocess.run(command(data, port, file), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


def headers(up: Up) -> dict[str, str]:
    printed = subprocess.check_output([sys.executable, "-m", "memstack", "headers", "mem-b", f"--data={up.data}"])
    return json.loads(printed)


async def store(up: Up, content: str) -> str:
    async with connected(up.endpoint, headers(up)) as agent:
        return (await agent.call("store_memory", content=content, scope="global"))["id"]


async def contents(up: Up) -> list[str]:
    async with connected(up.endpoint, headers(up)) as agent:
        found = await agent.call("list_memories", scope="global")
        return [memory["content"] for memory in found["memories"]]


def answers(up: Up) -> bool:
    """Whether anything of the stack still runs: its server's port or its store's socket is open."""
    with socket.socket() as server, socket.socket(socket.AF_UNIX) as store:
        return server.connect_ex(("127.0.0.1", up.port)) == 0 or store.connect_ex(str(up.socket)) == 0


def wait_until_silent(up: Up) -> None:
    while answers(up):
        time.sleep(0.02)


def test_it_says_where_it_is_and_how_to_connect(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    token = (data / "mem-b" / "token").read_text().strip()
    assert up.endpoint in up.said
    assert str(data / "mem-b" / "token") in up.said
    assert "claude mcp add-json" in up.said
    assert "spec.store.storage" in up.said  # means something only in a cluster, and is said to be left alone
    assert token not in up.said


async def test_what_was_stored_is_there_after_ctrl_c_and_a_second_start(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    await store(up, "the release is cut on Thursdays")
    token = headers(up)
    assert up.end(signal.SIGINT) == 0
    assert not answers(up)

    again = start(started, data, port)
    assert await contents(again) == ["the release is cut on Thursdays"]
    assert headers(again) == token


def test_a_terminated_one_ends_as_cleanly(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    assert up.end(signal.SIGTERM) == 0
    assert not answers(up)


async def test_a_killed_one_leaves_nothing_that_blocks_the_next(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    await store(up, "written before the kill")
    up.end(signal.SIGKILL)
    wait_until_silent(up)  # the server notices that its starter is gone, and takes the store along

    again = start(started, data, port)
    assert await contents(again) == ["written before the kill"]


def test_a_store_without_an_owner_is_ended_by_the_next_start(started: list[Up], data: Path, port: int):
    folder = Folder(data / "mem-b")
    folder.store.mkdir(parents=True)
    orphan = embedded.start(folder)
    wait_for_store(folder)

    up = start(started, data, port)
    assert orphan.wait() == 0
    assert answers(up)


def wait_for_store(folder: Folder) -> None:
    with Redis(unix_socket_path=str(folder.socket)) as store:
        while True:
            try:
                store.ping()
                break
            except Unreachable:
                time.sleep(0.02)


def test_a_dead_server_ends_the_stack_with_a_line(data: Path, port: int):
    process = subprocess.Popen(command(data, port), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    while not process.stdout.readline().startswith("Ctrl-C"):
        pass
    (server,) = children(process.pid, "memstack_server")
    os.kill(server, signal.SIGKILL)
    said = process.communicate()[1]
    assert process.returncode == 1
    assert "the server ended" in said.splitlines()[-1]


def children(parent: int, argument: str) -> list[int]:
    listed = subprocess.check_output(["ps", "-o", "pid=,args=", "--ppid", str(parent)], text=True).splitlines()
    return [int(line.split()[0]) for line in listed if argument in line]


def test_the_token_is_for_its_owner_alone(started: list[Up], data: Path, port: int):
    start(started, data, port)
    assert stat.S_IMODE((data / "mem-b" / "token").stat().st_mode) == 0o600
    assert stat.S_IMODE((data / "mem-b").stat().st_mode) == 0o700


def test_no_secret_is_on_a_command_line(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    token = headers(up)["Authorization"].split()[1]
    everything = subprocess.check_output(["ps", "axww", "-o", "args="], text=True)
    assert "memstack_server" in everything
    assert token not in everything


def test_a_second_start_is_refused_while_it_runs(started: list[Up], data: Path, port: int):
    up = start(started, data, port)
    line = refused(data, port + 1)
    assert "mem-b already runs" in line
    assert up.endpoint in line


def test_a_taken_port_is_named(data: Path, port: int):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert f"port {port} cannot be used" in refused(data, port)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kind: [", "is not YAML"),
        ("kind: ConfigMap", "holds 0 objects of kind MemoryStack"),
        (SAMPLE.read_text() + "\n---\n" + SAMPLE.read_text(), "holds 2 objects of kind MemoryStack"),
        (SAMPLE.read_text().replace("FalkorDB", "Oracle"), "spec.store.type"),
        (SAMPLE.read_text().replace("name: mem-b", "name: Mem_B"), "metadata.name"),
    ],
)
def test_a_broken_file_is_told_in_one_line(data: Path, port: int, tmp_path: Path, text: str, expected: str):
    file = tmp_path / "stack.yaml"
    file.write_text(text)
    assert expected in refused(data, port, file)
    assert not data.exists()


def test_a_missing_file_is_named(data: Path, port: int, tmp_path: Path):
    assert f"{tmp_path / 'none.yaml'} cannot be read" in refused(data, port, tmp_path / "none.yaml")


def test_a_folder_of_another_engine_is_refused(data: Path, port: int):
    folder = data / "mem-b"
    folder.mkdir(parents=True)
    (folder / "engine.json").write_text('{"store": "Qdrant"}')
    line = refused(data, port)
    assert "Qdrant" in line
    assert "FalkorDB" in line


def test_a_folder_of_another_embedding_length_is_refused(data: Path, port: int):
    folder = Folder(data / "mem-b")
    folder.store.mkdir(parents=True)
    process = embedded.start(folder)
    wait_for_store(folder)
    with Redis(unix_socket_path=str(folder.socket)) as store:
        store.set("mem:embedder", json.dumps({"name": "ollama/nomic-embed-text", "dimensions": 512}))
        store.shutdown()
    process.wait()
    line = refused(data, port)
    assert "512 dimensions" in line
    assert "768 dimensions" in line


def test_a_place_where_no_folder_can_be_made_is_named(data: Path, port: int):
    data.write_text("a file where the folder should be")
    assert f"the data folder {data / 'mem-b'} cannot be used" in refused(data, port)


def test_a_path_too_long_for_a_socket_is_refused(data: Path, port: int):
    assert "too long" in refused(data / ("x" * 100), port)


def test_headers_of_an_unknown_stack_say_how_to_start_one(data: Path):
    done = subprocess.run(
        [sys.executable, "-m", "memstack", "headers", "mem-z", f"--data={data}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "memstack up FILE" in done.stderr
