"""Names, labels and owner references: what every child has in common, said once."""

from memstack_operator.api import API_VERSION, GROUP, KIND, MemoryStack
from memstack_operator.seen import Child, Manifest

MANAGER = "memory-stack"  # field manager of every write, and the label that the operator's watches ask for
MANAGED_BY = "app.kubernetes.io/managed-by"
INSTANCE = "app.kubernetes.io/instance"
CONTENT = f"{GROUP}/content"  # digest of what a pod mounts: new content, new pod

STORE, SERVER = "store", "server"


def store_secret(stack: MemoryStack) -> Child:
    return Child("Secret", f"{stack.metadata.name}-store")


def token_secret(stack: MemoryStack) -> Child:
    return Child("Secret", f"{stack.metadata.name}-token")


def store_config(stack: MemoryStack) -> Child:
    return Child("ConfigMap", f"{stack.metadata.name}-store")


def store_service(stack: MemoryStack) -> Child:
    return Child("Service", f"{stack.metadata.name}-store")


def store_set(stack: MemoryStack) -> Child:
    return Child("StatefulSet", f"{stack.metadata.name}-store")


def store_claim(stack: MemoryStack) -> Child:
    """The claim that the StatefulSet makes for its one pod; the operator only ever grows it."""
    return Child("PersistentVolumeClaim", f"data-{stack.metadata.name}-store-0")


def server_deployment(stack: MemoryStack) -> Child:
    return Child("Deployment", f"{stack.metadata.name}-server")


def server_service(stack: MemoryStack) -> Child:
    return Child("Service", stack.metadata.name)


def selector(stack: MemoryStack, component: str) -> dict[str, str]:
    """The labels by which a component's pods are found. They stay for ever: a StatefulSet's selector is immutable."""
    return {
        "app.kubernetes.io/component": component,
        INSTANCE: stack.metadata.name,
        "app.kubernetes.io/name": "memory-stack",
    }


def labels(stack: MemoryStack, component: str) -> dict[str, str]:
    return selector(stack, component) | {MANAGED_BY: MANAGER}


def manifest(stack: MemoryStack, child: Child, component: str, api_version: str) -> Manifest:
    """The head of a child's manifest: which object, whose, and that it goes when its owner goes."""
    owner = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "name": stack.metadata.name,
        "uid": stack.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,  # `kubectl delete --cascade=foreground` returns when the children are gone
    }
    return {
        "apiVersion": api_version,
        "kind": child.kind,
        "metadata": {
            "name": child.name,
            "namespace": stack.metadata.namespace,
            "labels": labels(stack, component),
            "ownerReferences": [owner],
        },
    }
