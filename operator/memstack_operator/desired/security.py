"""What Pod Security's level `restricted` asks of a pod, and more: a read-only root, no API token, no service links."""

from memstack_operator.api import Resources
from memstack_operator.seen import Manifest

TMP_VOLUME: Manifest = {"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}}
TMP_MOUNT: Manifest = {"name": "tmp", "mountPath": "/tmp"}  # noqa: S108  the container's own, an empty volume
SECRET_MODE = 0o440  # the group is the pod's fsGroup


def pod(uid: int) -> Manifest:
    """Fields of a pod whose processes all run as `uid`, with no more rights than that user has."""
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": uid,
            "runAsGroup": uid,
            "fsGroup": uid,
            "fsGroupChangePolicy": "OnRootMismatch",
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    }


def container(resources: Resources) -> Manifest:
    """Fields of a container that can neither gain rights nor write outside its volumes."""
    return {
        "imagePullPolicy": "IfNotPresent",
        "resources": resources.model_dump(exclude_none=True),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
    }
