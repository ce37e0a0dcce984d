"""Makes a volume for each claim of the class `standard`, and erases it with its claim.

A `local` volume, because only those honour `fsGroup`: a pod that is not root can then write to it.
Run as `python -m testbed.volumes KUBECONFIG FOLDER`.
"""

import base64
import json
import shutil
import ssl
import sys
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLASS = "standard"
PROVISIONER = "memorystack.dev/testbed"
MADE_BY = "pv.kubernetes.io/provisioned-by"
PAUSE_SECONDS = 0.25

Object = dict[str, Any]


@dataclass(frozen=True)
class Api:
    server: str
    token: str
    trust: ssl.SSLContext

    @classmethod
    def of(cls, kubeconfig: Path) -> "Api":
        config = json.loads(kubeconfig.read_text())
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        return cls(cluster["server"], user["token"], ssl.create_default_context(cadata=authority))

    def call(self, method: str, path: str, body: Object | None = None) -> Object:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.server + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=10, context=self.trust) as reply:
            return json.load(reply)


def storage_class() -> Object:
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": CLASS, "annotations": default},
        "provisioner": PROVISIONER,
        "reclaimPolicy": "Delete",
    }


def volume(claim: Object, home: Path) -> Object:
    """The volume that fits CLAIM, in a folder of its own in HOME."""
    meta, spec = claim["metadata"], claim["spec"]
    name = f"pvc-{meta['uid']}"
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["node"]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {MADE_BY: PROVISIONER}},
        "spec": {
            "capacity": spec["resources"]["requests"],
            "accessModes": spec["accessModes"],
            "storageClassName": CLASS,
            "persistentVolumeReclaimPolicy": "Delete",
            "local": {"path": str(home / name)},
            "claimRef": {"namespace": meta["namespace"], "name": meta["name"], "uid": meta["uid"]},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
        },
    }


def waits_for_volume(claim: Object, volumes: list[Object]) -> bool:
    served = {volume["spec"].get("claimRef", {}).get("uid") for volume in volumes}
    ours = claim["spec"].get("storageClassName") == CLASS and claim["status"]["phase"] == "Pending"
    return ours and claim["metadata"]["uid"] not in served


def is_released(volume: Object) -> bool:
    ours = volume["metadata"].get("annotations", {}).get(MADE_BY) == PROVISIONER
    kept = "deletionTimestamp" not in volume["metadata"]
    return ours and kept and volume["status"].get("phase") == "Released"


def pass_over(api: Api, home: Path) -> None:
    volumes = api.call("GET", "/api/v1/persistentvolumes")["items"]
    for claim in api.call("GET", "/api/v1/persistentvolumeclaims")["items"]:
        if waits_for_volume(claim, volumes):
            made = volume(claim, home)
            Path(made["spec"]["local"]["path"]).mkdir(exist_ok=True)
            api.call("POST", "/api/v1/persistentvolumes", made)
    for released in filter(is_released, volumes):
        shutil.rmtree(released["spec"]["local"]["path"], ignore_errors=True)
        api.call("DELETE", f"/api/v1/persistentvolumes/{released['metadata']['name']}")


def main(kubeconfig: Path, home: Path) -> None:
    api = Api.of(kubeconfig)
    api.call("POST", "/apis/storage.k8s.io/v1/storageclasses", storage_class())
    while True:
        try:
            pass_over(api, home)
        except OSError as error:  # the API server is busy, or two of us met: the next pass sees what is left
            print(error, file=sys.stderr, flush=True)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
