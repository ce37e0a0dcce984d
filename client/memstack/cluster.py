"""A stack in a cluster, reached through the user's own kubectl: its context, its rights."""

import base64
import subprocess

from memstack.places import TokenError


def cluster_token(namespace: str, name: str) -> str:
    """The token of a stack in the cluster that kubectl points to.

    Raises:
        TokenError: there is no kubectl, or it was refused.
    """
    secret = f"{name}-token"
    command = ["kubectl", "get", "secret", secret, f"--namespace={namespace}", "--output=jsonpath={.data.token}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise TokenError("a stack in a cluster is reached through kubectl, which is not installed") from None
    if done.returncode:
        raise TokenError(f"kubectl could not read the Secret {secret}: {done.stderr.strip()}")
    return base64.b64decode(done.stdout).decode()
