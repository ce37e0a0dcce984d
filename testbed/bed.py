"""A testbed as tests see it: a cluster to talk to, until it is stopped."""

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

from testbed import build, control_plane, folders, parts, processes, runs, tools
from testbed.errors import TestbedError
from testbed.plan import READY, Plan
from testbed.runs import Run

USERS_CLUSTER = "MEMSTACK_TEST_KUBECONFIG"


def say(line: str) -> None:
    print(f"testbed: {line}", file=sys.stderr, flush=True)


class Testbed:
    """A Kubernetes cluster of real parts, or one that the user named in MEMSTACK_TEST_KUBECONFIG."""

    __test__ = False  # pytest would take the name for a class of tests

    def __init__(self, folder: Path, kubeconfig: Path, kubectl: tuple[str, ...]) -> None:
        self.folder, self.kubeconfig, self.kubectl_words = folder, kubeconfig, kubectl
        self._run: Run | None = None
        self._holder: subprocess.Popen[str] | None = None

    @classmethod
    def start(cls, node: bool = False, name: str | None = None, owned: bool = True) -> Self:
        """Start a testbed and return once it can be used.

        Args:
            node: with a node, on which pods run; this needs root.
            name: chosen if not given.
            owned: it ends with this process. Otherwise it lives until `python -m testbed down NAME`.

        Raises:
            TestbedError: something is missing, does not compile, or does not start.
        """
        if named := os.environ.get(USERS_CLUSTER):
            return cls._of_user(Path(named))
        tools.require_rights(node=node)
        tools.require(tools.NODE if node else tools.CONTROL_PLANE)
        programs = build.programs(parts.NODE if node else parts.CONTROL_PLANE, say)
        run, lock = runs.create(name or f"session-{secrets.token_hex(3)}")
        Plan(node, owned, {part: str(path) for part, path in programs.items()}).write(run.folder)
        bed = cls(run.folder, run.folder / "kubeconfig", (str(programs["kube"]), "kubectl"))
        bed._run, bed._holder = run, _start_holder(run, lock, owned=owned)
        bed._await_ready()
        return bed

    @classmethod
    def _of_user(cls, kubeconfig: Path) -> Self:
        tools.require((tools.KUBECTL,))
        processes.run("kubectl", f"--kubeconfig={kubeconfig}", "version")  # an unreachable one is told of here
        return cls(Path(tempfile.mkdtemp(prefix="memory-stack-")), kubeconfig, ("kubectl",))

    def _await_ready(self) -> None:
        assert self._holder
        assert self._holder.stdout
        for line in map(str.strip, self._holder.stdout):
            if line == READY:
                return
            say(line)
        why = (self.folder / "holder.log").read_text().strip()
        self.stop()
        raise TestbedError(f"The testbed did not start. {why}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End it and take away all it made; a cluster of the user's is left as it is."""
        if self._run:
            self._run.end()
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
        if self._holder:
            self._holder.communicate()
            self._holder = None

    def kubectl(self, *words: str, input: str | None = None) -> str:  # noqa: A002 - subprocess's own word for it
        """What `kubectl WORDS` prints, as administrator; INPUT is its standard input.

        Raises:
            TestbedError: it failed; the message is what it said.
        """
        command = (*self.kubectl_words, f"--kubeconfig={self.kubeconfig}", *words)
        return processes.run(*command, text=input, title=" ".join(("kubectl", *words)))

    @property
    def host_address(self) -> str:
        """Where pods find what listens on this machine: the host's end of the wire."""
        return (self.folder / "host-address").read_text()

    def load_image(self, archive: Path) -> None:
        """Give the node the images of ARCHIVE (of `docker save` or OCI), under the names that it holds.

        Raises:
            TestbedError: it cannot be read, or the cluster is the user's, who brings images in their own way.
        """
        if not self._run:
            raise TestbedError(f"Load {archive} into your cluster yourself: {USERS_CLUSTER} names one of your own.")
        inside = f"--target={processes.descendants(self._run.pid)[0]}"
        processes.run("nsenter", inside, "--mount", "ctr", "--namespace=k8s.io", "images", "import", archive)

    def service_account_kubeconfig(self, namespace: str, name: str) -> Path:
        """A kubeconfig with which a program is that service account, with its rights and no others, for a day."""
        token = self.kubectl("create", "token", name, f"--namespace={namespace}", "--duration=24h").strip()
        config = json.loads(self.kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json"))
        cluster = config["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        file = self.folder / f"{namespace}.{name}.kubeconfig"
        return control_plane.write_kubeconfig(file, cluster["server"], authority, token)


def _start_holder(run: Run, lock: int, *, owned: bool) -> subprocess.Popen[str]:
    with (run.folder / "holder.log").open("ab") as log:
        holder = subprocess.Popen(
            [sys.executable, "-m", "testbed.holder", str(run.folder)],
            stdin=subprocess.PIPE if owned else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=folders.CHECKOUT,
            pass_fds=(lock,),  # alive is whoever holds the lock
            start_new_session=True,  # Ctrl-C is for the owner, who then stops it in order
        )
    os.close(lock)
    return holder
