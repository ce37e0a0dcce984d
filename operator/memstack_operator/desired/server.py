"""The memory server: a Deployment of one stateless pod."""

from memstack_operator.api import MemoryStack
from memstack_operator.desired import metadata, network, security
from memstack_operator.desired.digest import digest
from memstack_operator.desired.secrets import PASSWORD_KEY, TOKEN_KEY
from memstack_operator.seen import Child, Manifest
from memstack_operator.tuning import tuning
from memstack_server.settings import Settings

UID = 65532  # user `nonroot` of the image
SECRETS = "/etc/memstack"
TOKEN_FILE, PASSWORD_FILE = "token", "store-password"


def deployment(stack: MemoryStack, image: str, store_secret: Manifest, token_secret: Manifest) -> Manifest:
    """The Deployment; `image` is the operator's own, used unless the stack names another."""
    spec: Manifest = {
        "replicas": 1,
        "selector": {"matchLabels": metadata.selector(stack, metadata.SERVER)},
        "template": {
            "metadata": {
                "labels": metadata.labels(stack, metadata.SERVER),
                "annotations": {metadata.CONTENT: digest(store_secret, token_secret)},
            },
            "spec": _pod(stack, image),
        },
    }
    return metadata.manifest(stack, metadata.server_deployment(stack), metadata.SERVER, "apps/v1") | {"spec": spec}


def environment(stack: MemoryStack) -> list[Manifest]:
    """The server's settings as the environment of its container, sorted by name."""
    values = {
        "host": "0.0.0.0",  # noqa: S104  a pod's own network
        "port": network.SERVER_PORT,
        "token_file": f"{SECRETS}/{TOKEN_FILE}",
        "allowed_hosts": network.server_hosts(stack),
        "store_url": f"redis://{network.store_address(stack)}",
        "store_password_file": f"{SECRETS}/{PASSWORD_FILE}",
        **tuning(stack),
    }
    settings = Settings.model_validate(values)
    return [{"name": name, "value": value} for name, value in sorted(settings.environment().items())]


def _pod(stack: MemoryStack, image: str) -> Manifest:
    sources = [
        _secret_file(metadata.store_secret(stack), PASSWORD_KEY, PASSWORD_FILE),
        _secret_file(metadata.token_secret(stack), TOKEN_KEY, TOKEN_FILE),
    ]
    return security.pod(UID) | {
        "containers": [_container(stack, image)],
        "volumes": [
            {"name": "secrets", "projected": {"defaultMode": security.SECRET_MODE, "sources": sources}},
            security.TMP_VOLUME,
        ],
    }


def _secret_file(secret: Child, key: str, path: str) -> Manifest:
    return {"secret": {"name": secret.name, "items": [{"key": key, "path": path}]}}


def _container(stack: MemoryStack, image: str) -> Manifest:
    server = stack.spec.server
    return security.container(server.resources) | {
        "name": metadata.SERVER,
        "image": server.image or image,
        "command": ["server"],
        "env": environment(stack),
        "ports": [{"name": "http", "containerPort": network.SERVER_PORT, "protocol": "TCP"}],
        "startupProbe": _probe("/livez", period_seconds=1, failures=120),
        "readinessProbe": _probe("/readyz", period_seconds=2, failures=2),
        "livenessProbe": _probe("/livez", period_seconds=10, failures=3),
        "volumeMounts": [{"name": "secrets", "mountPath": SECRETS, "readOnly": True}, security.TMP_MOUNT],
    }


def _probe(path: str, period_seconds: int, failures: int) -> Manifest:
    return {
        "httpGet": {"path": path, "port": "http"},
        "periodSeconds": period_seconds,
        "failureThreshold": failures,
        "timeoutSeconds": 5,
    }
