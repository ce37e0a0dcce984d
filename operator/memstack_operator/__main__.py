"""`python -m memstack_operator` (in the image: `operator`): run the operator for every namespace of the cluster.

Environment:
    MEMSTACK_IMAGE        image of the memory servers, unless a stack names another
    MEMSTACK_HEALTH_PORT  port of the liveness endpoint /healthz
    KUBECONFIG            the cluster, when this does not run inside it
"""

import logging
import os

import kopf

from memstack_operator import handlers

IMAGE = "ghcr.io/memory-stack/memory-stack:0.1.0"
HEALTH_PORT = "8421"
TALKATIVE = ("kopf.objects", "kopf.activities.probe", "aiohttp.access")  # a line for every event and every probe


def main() -> None:
    kopf.configure()
    for talkative in TALKATIVE:
        logging.getLogger(talkative).setLevel(logging.WARNING)
    kopf.run(
        registry=handlers.registry,
        standalone=True,
        clusterwide=True,
        liveness_endpoint=f"http://0.0.0.0:{os.environ.get('MEMSTACK_HEALTH_PORT', HEALTH_PORT)}/healthz",
        memo=kopf.Memo(image=os.environ.get("MEMSTACK_IMAGE", IMAGE)),
    )


if __name__ == "__main__":
    main()
