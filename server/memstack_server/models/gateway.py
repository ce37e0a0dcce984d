"""Embeddings through the model gateway, by the OpenAI wire format."""

from typing import Any

import httpx
from pydantic import BaseModel, FiniteFloat, ValidationError

from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import EmbedderUnavailable

_TIMEOUT = httpx.Timeout(30, connect=3)  # seconds; a cold model takes many to load, a host that is there answers soon


class _Embedding(BaseModel):
    embedding: list[FiniteFloat]


class _Answer(BaseModel):
    data: list[_Embedding]


class GatewayEmbedder:
    """Asks `POST <gateway>/v1/embeddings` and trusts no answer of another shape.

    Args:
        url: Base URL of the gateway, as a person types it.
        key: The gateway's key, if it asks for one.
        embedder: The model as the gateway knows it, and the length its vectors must have.
    """

    def __init__(self, url: str, key: str | None, embedder: EmbedderId) -> None:
        self.id = embedder
        self._url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # No proxy, whatever the environment says: a text goes to the gateway that was named and to nobody on the way.
        direct: dict[str, None] = {"http://": None, "https://": None, "all://": None}
        self._client = httpx.AsyncClient(headers=headers, timeout=_TIMEOUT, mounts=direct)

    async def embed(self, text: str) -> Vector:
        return self._vector(await self._ask({"model": self.id.name, "input": [text]}))

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _ask(self, body: dict[str, Any]) -> httpx.Response:
        try:
            response = await self._client.post(f"{self._url}/v1/embeddings", json=body)
        except httpx.TransportError as error:
            raise EmbedderUnavailable(
                f"the model gateway at {self._url} cannot be reached ({type(error).__name__}). "
                "Start it or mend its address, then try again; nothing was changed."
            ) from error
        if not response.is_success:
            raise EmbedderUnavailable(
                f"the model gateway at {self._url} refused {self.id.name} with status {response.status_code}. "
                "Check its key and its list of models, then try again; nothing was changed."
            )
        return response

    def _vector(self, response: httpx.Response) -> Vector:
        try:
            data = _Answer.model_validate_json(response.content).data
        except ValidationError as error:
            raise self._wrong("something other than embeddings") from error
        if len(data) != 1:
            raise self._wrong(f"{len(data)} vectors for one text")
        vector = data[0].embedding
        if len(vector) != self.id.dimensions:
            raise self._wrong(f"a vector of {len(vector)} numbers where {self.id.dimensions} are configured")
        return vector

    def _wrong(self, what: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"the model gateway at {self._url} answered {self.id.name} with {what}. "
            "Check the model's name and its dimensions in the configuration; nothing was changed."
        )
