"""The Kubernetes API, as little of it as the operator needs: read one object, apply one, report a status.

Objects go in and come out as plain manifests. The API server's refusals become one exception of ours; everything else
that goes wrong (network, overload, a restart) is passed on as it is, to be tried again.
"""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from kubernetes.aio import config
from kubernetes.aio.client import ApiClient, ApiException, Configuration

from memstack_operator.api import GROUP, KIND, PLURAL, VERSION
from memstack_operator.desired.metadata import MANAGER
from memstack_operator.seen import Child, Manifest

TIMEOUT_SECONDS = 15

_MANAGER = ("fieldManager", MANAGER)
_STACKS = f"/apis/{GROUP}/{VERSION}"
_RESOURCES = {
    KIND: (_STACKS, PLURAL),
    "ConfigMap": ("/api/v1", "configmaps"),
    "Deployment": ("/apis/apps/v1", "deployments"),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims"),
    "Secret": ("/api/v1", "secrets"),
    "Service": ("/api/v1", "services"),
    "StatefulSet": ("/apis/apps/v1", "statefulsets"),
}
# Bad request, forbidden, unprocessable: the same request will get the same answer until a person changes something.
_REFUSALS = {400, 403, 422}


class RefusedError(Exception):
    """The API server will not take an object as it is; the text is the server's own reason."""


class Cluster:
    def __init__(self, api: ApiClient) -> None:
        self._api = api

    async def get(self, namespace: str, child: Child) -> Manifest | None:
        """The object, or None if there is none."""
        try:
            return await self._request("GET", _path(namespace, child))
        except ApiException as error:
            if error.status == 404:
                return None
            raise

    async def apply(self, manifest: Manifest) -> Manifest:
        """Server-side apply: the fields in the manifest become as it says, whoever set them before.

        Raises:
            RefusedError: the API server does not take it.
        """
        metadata = manifest["metadata"]
        child = Child(manifest["kind"], metadata["name"])
        query = [_MANAGER, ("force", "true")]
        try:
            return await self._request(
                "PATCH", _path(metadata["namespace"], child), manifest, "application/apply-patch+yaml", query
            )
        except ApiException as error:
            if error.status in _REFUSALS:
                raise RefusedError(f"{child}: {_reason(error)}") from error
            raise

    async def report(self, namespace: str, name: str, status: Manifest) -> None:
        """Write the status of a MemoryStack; one that is gone needs none."""
        path = f"{_path(namespace, Child(KIND, name))}/status"
        try:
            await self._request("PATCH", path, {"status": status}, "application/merge-patch+json", [_MANAGER])
        except ApiException as error:
            if error.status != 404:
                raise

    async def serves_stacks(self) -> bool:
        """Whether the CustomResourceDefinition is installed and served."""
        try:
            await self._request("GET", f"{_STACKS}/{PLURAL}", query=[("limit", "1")])
        except ApiException as error:
            if error.status == 404:
                return False
            raise
        return True

    async def _request(
        self,
        method: str,
        path: str,
        body: Manifest | None = None,
        content_type: str = "application/json",
        query: list[tuple[str, str]] | None = None,
    ) -> Manifest:
        request: Any = await self._api.param_serialize(
            method,
            path,
            query_params=query,
            header_params={"Accept": "application/json", "Content-Type": content_type},
            body=body,
            auth_settings=["BearerToken"],
        )
        response = await self._api.call_api(*request, _request_timeout=TIMEOUT_SECONDS)
        text = (await response.read()).decode()
        if not 200 <= response.status <= 299:
            raise ApiException.from_response(http_resp=response, body=text, data=None)
        return json.loads(text)


@asynccontextmanager
async def connected() -> AsyncGenerator[Cluster]:
    """The cluster of this pod's service account, or else of the kubeconfig (`KUBECONFIG`)."""
    configuration = Configuration()
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        config.load_incluster_config(client_configuration=configuration)
    else:
        await config.load_kube_config(os.environ.get("KUBECONFIG"), client_configuration=configuration)
    async with ApiClient(configuration) as api:
        yield Cluster(api)


def _path(namespace: str, child: Child) -> str:
    base, plural = _RESOURCES[child.kind]
    return f"{base}/namespaces/{namespace}/{plural}/{child.name}"


def _reason(error: ApiException) -> str:
    """The message of the API server's Status; plain text may quote a Secret, so nothing else is passed on."""
    try:
        return json.loads(error.body or "")["message"]
    except (ValueError, KeyError):
        return f"{error.status} {error.reason}"
