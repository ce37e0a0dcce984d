"""The two Services, and the addresses that they give."""

from memstack_operator.api import MemoryStack
from memstack_operator.desired import metadata
from memstack_operator.seen import Child, Manifest

STORE_PORT, SERVER_PORT = 6379, 8420


def store_service(stack: MemoryStack) -> Manifest:
    """Headless: it gives the store's pod a name, and a StatefulSet asks for one."""
    service = _service(stack, metadata.store_service(stack), metadata.STORE, "redis", STORE_PORT)
    service["spec"]["clusterIP"] = "None"
    return service


def server_service(stack: MemoryStack) -> Manifest:
    """What agents connect to."""
    return _service(stack, metadata.server_service(stack), metadata.SERVER, "http", SERVER_PORT)


def store_address(stack: MemoryStack) -> str:
    return f"{metadata.store_service(stack).name}.{stack.metadata.namespace}.svc:{STORE_PORT}"


def endpoint(stack: MemoryStack) -> str:
    return f"http://{metadata.server_service(stack).name}.{stack.metadata.namespace}.svc:{SERVER_PORT}/mcp"


def server_hosts(stack: MemoryStack) -> tuple[str, ...]:
    """Every name by which a pod can reach the server, from the shortest to the full one."""
    name, namespace = metadata.server_service(stack).name, stack.metadata.namespace
    return (name, f"{name}.{namespace}", f"{name}.{namespace}.svc", f"{name}.{namespace}.svc.cluster.local")


def _service(stack: MemoryStack, child: Child, component: str, port_name: str, port: int) -> Manifest:
    spec: Manifest = {
        "selector": metadata.selector(stack, component),
        "ports": [{"name": port_name, "port": port, "protocol": "TCP", "targetPort": port_name}],
    }
    return metadata.manifest(stack, child, component, "v1") | {"spec": spec}
