"""Every setting of the memory server, once.

The server reads them from its environment, and whoever starts it renders that environment from the same class, so a
name is written down in one place. Secrets are never settings: a setting names the *file* that holds one, because an
environment is inherited by children and shown by `docker inspect`, `/proc` and crash reports.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field, field_validator

PREFIX = "MEMSTACK_"


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8420, ge=1, le=65535, description="TCP port to listen on.")
    token_file: Path = Field(description="File with the bearer token that every client must send.")
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="Names, comma-separated, under which clients reach this server, beside localhost and addresses.",
    )
    store_url: str = Field(
        default="redis://127.0.0.1:6379",
        pattern=r"^(redis|unix)://.+",
        description="The store: redis://HOST:PORT or unix://SOCKET.",
    )
    store_password_file: Path | None = Field(default=None, description="File with the store's password.")
    gateway_url: AnyHttpUrl | None = Field(default=None, description="Base URL of the model gateway (LiteLLM).")
    gateway_key_file: Path | None = Field(default=None, description="File with the gateway's key.")
    embedding_model: str = Field(
        default="ollama/nomic-embed-text", description="Embedding model, as the gateway knows it."
    )
    embedding_dimensions: int = Field(default=768, ge=1, le=65535, description="Length of its vectors.")
    extraction_model: str | None = Field(
        default=None, description="Model that draws facts from texts, as the gateway knows it; none: texts wait."
    )
    weight_similarity: float = Field(default=0.5, ge=0, le=1, description="Weight of similarity in a result's score.")
    weight_recency: float = Field(default=0.2, ge=0, le=1, description="Weight of recency; the three make 1.")
    weight_importance: float = Field(default=0.3, ge=0, le=1, description="Weight of importance.")
    half_life_days: float = Field(default=365, gt=0, description="Days after which recency has halved.")
    exit_with_parent: bool = Field(
        default=False, description="End, and the store with it, when standard input closes: the starter has gone."
    )

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(filter(None, value.split(","))) if isinstance(value, str) else value

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The settings that the variables `MEMSTACK_…` describe.

        Raises:
            pydantic.ValidationError: a value is missing, wrong, or belongs to no setting.
        """
        values = {
            name.removeprefix(PREFIX).lower(): value for name, value in environment.items() if name.startswith(PREFIX)
        }
        return cls.model_validate(values)

    def environment(self) -> dict[str, str]:
        """These settings as the environment that reproduces them; defaults are left out."""
        return {
            PREFIX + name.upper(): ",".join(value) if isinstance(value, tuple) else str(value)
            for name, value in self
            if value != type(self).model_fields[name].default
        }
