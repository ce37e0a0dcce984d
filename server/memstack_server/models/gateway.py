"""Embeddings through the model gateway, by the OpenAI wire format."""

from pydantic import BaseModel, FiniteFloat, ValidationError

from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import EmbedderUnavailable
from memstack_server.models.connection import Connection, Refused, Unanswered

_SECONDS = 30  # a cold model takes many to load


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
        self._gateway = Connection(url, key)

    async def embed(self, text: str) -> Vector:
        return self._vector(await self._ask({"model": self.id.name, "input": [text]}))

    async def aclose(self) -> None:
        await self._gateway.aclose()

    async def _ask(self, body: dict[str, object]) -> bytes:
        try:
            return await self._gateway.post("/v1/embeddings", body, _SECONDS)
        except Refused as error:
            raise EmbedderUnavailable(
                f"the model gateway at {self._gateway.url} refused {self.id.name} with {error}. "
                "Check its key and its list of models, then try again; nothing was changed."
            ) from error
        except Unanswered as error:
            raise EmbedderUnavailable(
                f"the model gateway at {self._gateway.url} cannot be reached ({error}). "
                "Start it or mend its address, then try again; nothing was changed."
            ) from error

    def _vector(self, answer: bytes) -> Vector:
        try:
            data = _Answer.model_validate_json(answer).data
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
            f"the model gateway at {self._gateway.url} answered {self.id.name} with {what}. "
            "Check the model's name and its dimensions in the configuration; nothing was changed."
        )
