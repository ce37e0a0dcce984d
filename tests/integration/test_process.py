"""The server as a process: how it starts, waits, and ends."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from anyio import to_thread

from tests.integration.gateway_stand_in import GatewayStandIn
from tests.integration.parts import ROOT, Server, Store, environment, eventually

Launch = Callable[..., Server]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "MEMSTACK_TOKEN_FILE: Field required"),
        ({"MEMSTACK_TOKEN_FILE": "/nowhere"}, "MEMSTACK_TOKEN_FILE: cannot read /nowhere (No such file or directory)."),
        ({"MEMSTACK_TOKEN_FILE": "/dev/null"}, "MEMSTACK_TOKEN_FILE: /dev/null is empty."),
        ({"MEMSTACK_TOKEN_FILE": "/etc/hostname", "MEMSTACK_PORT": "x"}, "MEMSTACK_PORT: "),
        ({"MEMSTACK_TOKEN_FILE": "/etc/hostname", "MEMSTACK_STORE_URL": "http://x"}, "MEMSTACK_STORE_URL: "),
        (
            {"MEMSTACK_TOKEN_FILE": "/etc/hostname", "MEMSTACK_STORE_PASSWORD_FILE": "/dev/null"},
            "MEMSTACK_STORE_PASSWORD_FILE: /dev/null is empty.",
        ),
        ({"MEMSTACK_TOKEN_FILE": "/etc/hostname", "MEMSTACK_HOST": "192.0.2.1"}, "cannot listen on 192.0.2.1:8420"),
    ],
)
def test_a_wrong_setting_is_one_line_that_names_it(settings: dict[str, str], words: str):
    command = [sys.executable, "-m", "memstack_server"]
    ended = subprocess.run(command, env=environment(settings), capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("memstack-server: ")
    assert words in line


def test_a_taken_port_is_one_line(server: Server, launch: Launch):
    other = launch(port=str(server.port)).launch()
    assert other.process.wait() == 1
    (line,) = other.log().splitlines()
    assert f"cannot listen on 127.0.0.1:{server.port}: Address already in use" in line


def test_it_waits_for_a_store_that_is_not_there_yet(own_store: Store, launch: Launch):
    own_store.kill()
    server = launch().launch()
    eventually(lambda: server.status("/livez") == 200, "the server lives")
    assert server.status("/readyz") == 503
    assert server.process.poll() is None
    own_store.start()
    eventually(lambda: server.status("/readyz") == 200, "the server is ready")


def test_a_password_opens_the_store_and_a_wrong_one_is_told(own_store: Store, launch: Launch, tmp_path: Path):
    own_store.redis.config_set("requirepass", "from a file, with spaces")
    (tmp_path / "right").write_text("from a file, with spaces\n")
    (tmp_path / "wrong").write_text("guess\n")
    launch(store_password_file=str(tmp_path / "right")).start()
    server = launch(store_password_file=str(tmp_path / "wrong")).launch()
    eventually(lambda: server.status("/readyz") == 503, "the server answers that it is not ready")
    eventually(lambda: "refused this server's password" in server.log(), "the log tells why")
    assert "guess" not in server.log()


def test_sigterm_ends_it_in_order_and_leaves_the_store(own_store: Store, launch: Launch):
    server = launch().start()
    assert server.stop() == 0
    assert "Traceback" not in server.log()
    assert own_store.redis.ping()


async def test_a_request_in_flight_is_answered_before_the_end(launch: Launch, tmp_path: Path, scope: str):
    (tmp_path / "key").write_text("a-key\n")
    gateway = GatewayStandIn("a-key", "ollama/nomic-embed-text", 768)
    with gateway.serve() as url:
        server = launch(gateway_url=url, gateway_key_file=str(tmp_path / "key")).start()
        async with server.connect() as agent:
            await agent.store("The first, so that no probe comes before the second.", scope)
            gateway.answering.clear()
            storing = asyncio.create_task(agent.store("Still on its way.", scope))
            await to_thread.run_sync(eventually, lambda: "Still on its way." in gateway.asked, "the gateway is asked")
            server.process.terminate()
            await to_thread.run_sync(eventually, lambda: server.status("/livez") == 0, "no one else gets in")
            gateway.answering.set()
            assert (await storing)["created"]
        assert await to_thread.run_sync(server.process.wait) == 0


def test_there_is_nothing_to_listen_to_that_would_hold_up_the_end(server: Server):
    refused = server.post("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
    assert refused.json()["error"]["code"] == -32601


def test_the_end_of_its_input_ends_the_server_and_the_store(own_store: Store, launch: Launch):
    server = launch(exit_with_parent="True").start()
    server.stdin.close()
    assert server.process.wait() == 0
    assert own_store.process.wait() == 0
    assert "Traceback" not in server.log()


def test_the_end_of_its_input_means_nothing_to_a_server_in_a_cluster(launch: Launch):
    server = launch().start()
    server.stdin.close()
    assert server.status("/readyz") == 200
    assert server.stop() == 0


def test_an_idle_server_is_small(launch: Launch):
    server = launch().start()
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    (resident,) = (int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert resident < 110 * 1024


def test_the_libraries_of_the_bundled_embedder_are_not_loaded_at_the_start():
    script = "import sys, memstack_server.__main__; print(sys.modules.keys() & {'numpy', 'onnxruntime', 'tokenizers'})"
    command = [sys.executable, "-c", script]
    loaded = subprocess.run(command, env=environment({}), cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"
