"""A short fingerprint of what a pod mounts. The pod carries it, for a program does not re-read files that change."""

import hashlib
import json

from memstack_operator.seen import Manifest


def digest(*manifests: Manifest) -> str:
    """Sixteen hexadecimal digits over the data of ConfigMaps and Secrets.

    It tells nothing about a Secret: what the operator puts into one has 256 random bits.
    """
    data = json.dumps([manifest.get("data", {}) for manifest in manifests], sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()[:16]
