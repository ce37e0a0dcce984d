"""A control plane starts, lives beside others, and leaves nothing, however it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from testbed import Testbed, TestbedError, folders, processes, runs

OWNER = """
from testbed import Testbed
import sys
bed = Testbed.start(name=sys.argv[1])
print("started", flush=True)
sys.stdin.read()
"""


def living(folder: Path) -> list[int]:
    """The processes whose command line names FOLDER."""
    found: list[int] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile
            continue
        if any(str(folder).encode() in word for word in command):
            found.append(int(process.name))
    return found


def uid(bed: Testbed) -> str:
    return bed.kubectl("get", "namespace", "kube-system", "--output=jsonpath={.metadata.uid}")


def wait_for_end(pids: list[int]) -> None:
    for pid in pids:
        descriptor = processes.watch(pid)
        if descriptor is not None:
            processes.wait(descriptor)


def test_it_is_a_real_kubernetes(control_plane: Testbed):
    version = json.loads(control_plane.kubectl("version", "--output=json"))
    assert version["serverVersion"]["gitVersion"] == version["clientVersion"]["gitVersion"] == "v1.37.2"
    assert uid(control_plane)


def test_kubectl_says_why_it_failed(control_plane: Testbed):
    with pytest.raises(TestbedError, match=r"`kubectl get pod absent` failed: .*\"absent\" not found"):
        control_plane.kubectl("get", "pod", "absent")


def test_kubectl_takes_standard_input(control_plane: Testbed):
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "from-input"}, "data": {"a": "b"}}
    control_plane.kubectl("apply", "--filename=-", input=json.dumps(manifest))
    assert control_plane.kubectl("get", "configmap", "from-input", "--output=jsonpath={.data.a}") == "b"


def test_a_service_account_has_its_own_rights_and_no_others(control_plane: Testbed):
    control_plane.kubectl("create", "serviceaccount", "reader")
    control_plane.kubectl("create", "role", "reader", "--verb=get,list", "--resource=configmaps")
    control_plane.kubectl("create", "rolebinding", "reader", "--role=reader", "--serviceaccount=default:reader")
    config = control_plane.service_account_kubeconfig("default", "reader")
    assert config.stat().st_mode & 0o777 == 0o600
    control_plane.kubectl("create", "configmap", "readable")
    assert "readable" in control_plane.kubectl(f"--kubeconfig={config}", "get", "configmaps")
    with pytest.raises(TestbedError, match="system:serviceaccount:default:reader"):
        control_plane.kubectl(f"--kubeconfig={config}", "get", "secrets")


def test_a_restricted_namespace_refuses_a_privileged_pod(control_plane: Testbed):
    control_plane.kubectl("create", "namespace", "restricted")
    control_plane.kubectl("label", "namespace", "restricted", "pod-security.kubernetes.io/enforce=restricted")
    control_plane.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace=restricted", "--timeout=120s")
    with pytest.raises(TestbedError, match="violates PodSecurity"):
        control_plane.kubectl("run", "bad", "--image=any", "--privileged", "--namespace=restricted")


def test_the_controllers_collect_what_lost_its_owner(control_plane: Testbed):
    control_plane.kubectl("create", "configmap", "owner")
    owner = control_plane.kubectl("get", "configmap", "owner", "--output=jsonpath={.metadata.uid}")
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner}
    child = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child", "ownerReferences": [reference]}}
    control_plane.kubectl("apply", "--filename=-", input=json.dumps(child))
    control_plane.kubectl("delete", "configmap", "owner")
    control_plane.kubectl("wait", "--for=delete", "configmap/child", "--timeout=120s")


def test_two_run_side_by_side(control_plane: Testbed):
    with Testbed.start() as second:
        assert uid(second) != uid(control_plane)
        second.kubectl("create", "namespace", "only-in-the-second")
        with pytest.raises(TestbedError, match="not found"):
            control_plane.kubectl("get", "namespace", "only-in-the-second")


def test_nothing_outlives_it():
    with Testbed.start() as bed:
        assert len(living(bed.folder)) > 4
    assert not bed.folder.exists()
    assert living(bed.folder) == []


def test_a_part_that_dies_takes_the_testbed_with_it():
    with Testbed.start(name="half") as bed:
        members = living(bed.folder)
        [etcd] = [pid for pid in members if b"etcd\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        os.kill(etcd, signal.SIGKILL)
        wait_for_end(members)
        assert "etcd ended, and the testbed with it" in (bed.folder / "holder.log").read_text()


def test_a_killed_holder_leaves_no_process_and_the_next_start_cleans_up():
    crashed = Testbed.start(name="crashed")
    members = living(crashed.folder)
    os.kill(runs.Run("crashed").pid, signal.SIGKILL)
    wait_for_end(members)
    assert living(crashed.folder) == []
    assert crashed.folder.exists()
    with Testbed.start(name="crashed") as again:
        assert uid(again)
    crashed.stop()


def test_a_killed_owner_leaves_no_process_and_the_next_start_cleans_up():
    command = [sys.executable, "-c", OWNER, "orphan"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-3, cwd=folders.CHECKOUT) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == b"started\n"
        members = living(runs.Run("orphan").folder)
        owner.kill()
    wait_for_end(members)
    with Testbed.start():
        assert not runs.Run("orphan").folder.exists()


def test_a_name_is_taken_once():
    with Testbed.start(name="taken"), pytest.raises(TestbedError, match=r"runs already\. End it with"):
        Testbed.start(name="taken")


@pytest.mark.parametrize("name", ["", "UPPER", "a/b", "..", "-a", "x" * 41])
def test_a_name_that_cannot_be_a_folder_is_refused(name: str):
    with pytest.raises(TestbedError, match="cannot name a testbed"):
        runs.create(name)


def test_a_cluster_that_the_user_names_is_used_and_left_alone(
    control_plane: Testbed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f'#!/bin/sh\nexec {" ".join(control_plane.kubectl_words)} "$@"\n')
    kubectl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("MEMSTACK_TEST_KUBECONFIG", str(control_plane.kubeconfig))
    with Testbed.start() as bed:
        assert uid(bed) == uid(control_plane)
        with pytest.raises(TestbedError, match="yourself"):
            bed.load_image(tmp_path / "image.tar")
    assert control_plane.kubectl("get", "--raw=/readyz") == "ok"
