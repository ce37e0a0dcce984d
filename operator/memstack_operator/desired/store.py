"""The store: FalkorDB as a StatefulSet of one pod with a volume, and its configuration."""

from memstack_operator.api import MemoryStack
from memstack_operator.desired import metadata, security
from memstack_operator.desired.digest import digest
from memstack_operator.desired.network import STORE_PORT
from memstack_operator.desired.secrets import AUTH_KEY, PASSWORD_KEY
from memstack_operator.rules import amount
from memstack_operator.seen import Manifest, Seen

IMAGE = "docker.io/falkordb/falkordb-server:v4.20.4"
UID = 999  # user `redis` of the image
DATA, CONFIG = "/var/lib/falkordb/data", "/etc/falkordb"
AUTH_FILE, PASSWORD_FILE = "auth/auth.conf", "auth/password"
MODULE = "/var/lib/falkordb/bin/falkordb.so"

# The image's own defaults end every query after a second and cut every result at 10,000 rows.
MODULE_ARGUMENTS = (
    "THREAD_COUNT 2 TIMEOUT_DEFAULT 30000 TIMEOUT_MAX 60000 MAX_QUEUED_QUERIES 500 CACHE_SIZE 25 RESULTSET_SIZE -1"
)
# What is left of the container's memory is for rewriting the log of writes, and for queries at work.
MEMORY_SHARE = 3, 4

PING = f'test "$(REDISCLI_AUTH="$(cat {CONFIG}/{PASSWORD_FILE})" redis-cli -p {STORE_PORT} ping)" = PONG'


def store_config(stack: MemoryStack) -> Manifest:
    """The store's configuration, without its password: that is included from the Secret."""
    config = metadata.manifest(stack, metadata.store_config(stack), metadata.STORE, "v1")
    return config | {"data": {"redis.conf": redis_conf(stack.spec.store.resources.limits.memory)}}


def redis_conf(memory_limit: str | None) -> str:
    """The configuration file for a container of that much memory (a quantity; None is unlimited).

    A write is on disk before it is acknowledged, and nothing is ever evicted: a graph is one key, so eviction would
    take a whole memory. A store that is full refuses writes instead.
    """
    lines = [
        f"include {CONFIG}/{AUTH_FILE}",
        f"loadmodule {MODULE} {MODULE_ARGUMENTS}",
        f"port {STORE_PORT}",
        f"dir {DATA}",
        "appendonly yes",
        "appendfsync always",
        'save ""',
        "maxmemory-policy noeviction",
    ]
    if memory_limit is not None:
        part, whole = MEMORY_SHARE
        lines.append(f"maxmemory {int(amount(memory_limit)) * part // whole}")
    return "\n".join(lines) + "\n"


def stateful_set(stack: MemoryStack, seen: Seen, config: Manifest, secret: Manifest) -> Manifest:
    """The StatefulSet; its volume is erased with it, and only then."""
    spec: Manifest = {
        "replicas": 1,
        "serviceName": metadata.store_service(stack).name,
        "selector": {"matchLabels": metadata.selector(stack, metadata.STORE)},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
        "template": {
            "metadata": {
                "labels": metadata.labels(stack, metadata.STORE),
                "annotations": {metadata.CONTENT: digest(config, secret)},
            },
            "spec": _pod(stack),
        },
        "volumeClaimTemplates": [_claim_template(stack, seen)],
    }
    return metadata.manifest(stack, metadata.store_set(stack), metadata.STORE, "apps/v1") | {"spec": spec}


def grown_claim(stack: MemoryStack, seen: Seen) -> Manifest | None:
    """The claim with the size that is asked for, if that is more than it has.

    A StatefulSet's claim template is immutable, so a volume grows by its claim.
    """
    child = metadata.store_claim(stack)
    claim, size = seen.get(child), stack.spec.store.storage.size
    if claim is None or amount(_requested(claim)) >= amount(size):
        return None
    return {
        "apiVersion": "v1",
        "kind": child.kind,
        "metadata": {"name": child.name, "namespace": stack.metadata.namespace},
        "spec": {"resources": {"requests": {"storage": size}}},
    }


def _pod(stack: MemoryStack) -> Manifest:
    secret_items = [{"key": AUTH_KEY, "path": AUTH_FILE}, {"key": PASSWORD_KEY, "path": PASSWORD_FILE}]
    sources = [
        {"configMap": {"name": metadata.store_config(stack).name}},
        {"secret": {"name": metadata.store_secret(stack).name, "items": secret_items}},
    ]
    return security.pod(UID) | {
        "terminationGracePeriodSeconds": 60,
        "containers": [_container(stack)],
        "volumes": [
            {"name": "config", "projected": {"defaultMode": security.SECRET_MODE, "sources": sources}},
            security.TMP_VOLUME,
        ],
    }


def _container(stack: MemoryStack) -> Manifest:
    store = stack.spec.store
    return security.container(store.resources) | {
        "name": metadata.STORE,
        "image": store.image or IMAGE,
        # Not the image's start script: it takes the password as an argument, for every process list to show.
        "command": ["redis-server", f"{CONFIG}/redis.conf"],
        "ports": [{"name": "redis", "containerPort": STORE_PORT, "protocol": "TCP"}],
        # Loading a large log of writes takes minutes, and the store answers LOADING meanwhile.
        "startupProbe": _probe(period_seconds=2, failures=450),
        "readinessProbe": _probe(period_seconds=5, failures=2),
        "livenessProbe": _probe(period_seconds=10, failures=6),
        "volumeMounts": [
            {"name": "data", "mountPath": DATA},
            {"name": "config", "mountPath": CONFIG, "readOnly": True},
            security.TMP_MOUNT,
        ],
    }


def _probe(period_seconds: int, failures: int) -> Manifest:
    return {
        "exec": {"command": ["sh", "-c", PING]},
        "periodSeconds": period_seconds,
        "failureThreshold": failures,
        "timeoutSeconds": 5,
    }


def _claim_template(stack: MemoryStack, seen: Seen) -> Manifest:
    storage = stack.spec.store.storage
    existing = seen.get(metadata.store_set(stack))
    size = _requested(existing["spec"]["volumeClaimTemplates"][0]) if existing else storage.size
    spec: Manifest = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    if storage.storage_class_name is not None:
        spec["storageClassName"] = storage.storage_class_name
    return {"metadata": {"name": "data"}, "spec": spec}


def _requested(claim: Manifest) -> str:
    return claim["spec"]["resources"]["requests"]["storage"]
