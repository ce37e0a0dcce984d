"""The MemoryStack object: what a person asks for, and what the operator answers.

These types are the single source of the object. The CRD is generated from them (`crd.py`), the operator reads and
reports with them, and `memstack up` reads the same file with them where there is no cluster. Defaults live here, hence
in the schema: the API server fills them in, and the operator never writes `spec`.
"""

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from memstack_operator.rules import Rule, is_http_url, is_positive_quantity

GROUP, VERSION, KIND, PLURAL = "memorystack.dev", "v1alpha1", "MemoryStack", "memorystacks"
API_VERSION = f"{GROUP}/{VERSION}"
LOCAL_MODELS = "ollama/"  # the one provider whose models run on the owner's own hardware

# 46: a pod of `NAME-store` carries its revision, `NAME-store-` and ten characters more, in a label of at most 63.
NAME = Rule(
    "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 46",
    "must begin with a letter, hold only a-z, 0-9 and -, end with a letter or a digit, and have at most 46 characters:"
    " a Service and a StatefulSet are named after it",
    lambda name: re.fullmatch("[a-z]([-a-z0-9]*[a-z0-9])?", name) is not None and len(name) <= 46,
)


class InvalidStackError(ValueError):
    """An object that is no valid MemoryStack; its text has one line a mistake, each beginning with the field."""


class StoreType(StrEnum):
    FALKORDB = "FalkorDB"


class Model(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


Part = TypeVar("Part", bound=Model)


def section(model: type[Part], description: str) -> Part:
    """A part of the object that may be left out: the API server then fills in the defaults of the fields inside."""
    return Field(default_factory=model, description=description, json_schema_extra={"default": {}})


Quantity = Annotated[
    str,
    Field(max_length=32),
    Rule(
        r"self.matches('^[0-9]+(\\.[0-9]+)?(m|k|[MGTP]|[KMGTP]i)?$') && quantity(self).isGreaterThan(quantity('0'))",
        "must be a quantity greater than 0, such as 2Gi or 100m",
        is_positive_quantity,
    ),
]
LocalModel = Annotated[
    str,
    Field(max_length=253),
    Rule(
        f"self.startsWith('{LOCAL_MODELS}') && size(self) > {len(LOCAL_MODELS)}",
        "must begin with ollama/ and name a model, such as ollama/nomic-embed-text or ollama/*:"
        " a memory never leaves your own hardware",
        lambda name: name.startswith(LOCAL_MODELS) and name != LOCAL_MODELS,
    ),
]
OneLocalModel = Annotated[
    LocalModel,
    Rule("!self.contains('*')", "must be one model, not a pattern", lambda name: "*" not in name),
]
HttpUrl = Annotated[
    str,
    Field(max_length=2048),
    Rule(
        "isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != ''",
        "must be a URL that begins with http:// or https://, such as http://litellm.litellm.svc:4000",
        is_http_url,
    ),
]
Image = Annotated[str, Field(min_length=1, max_length=512)]


class Amounts(Model):
    cpu: Quantity | None = Field(default=None, description="Processor time in cores, such as 500m for half a core.")
    memory: Quantity | None = Field(default=None, description="Memory in bytes, such as 512Mi.")


class Resources(Model):
    requests: Amounts = section(Amounts, "What the node sets aside for the container.")
    limits: Amounts = section(Amounts, "What the container may use at most.")


def resources(requests: Amounts, limits: Amounts, description: str) -> Resources:
    default = Resources(requests=requests, limits=limits)
    return Field(default, description=description, json_schema_extra={"default": default.model_dump(exclude_none=True)})


class Storage(Model):
    size: Annotated[
        Quantity,
        Rule("quantity(self).compareTo(quantity(oldSelf)) >= 0", "cannot shrink: a volume only ever grows"),
    ] = Field(default="2Gi", description="Size of the volume that holds the memory. It can grow later, never shrink.")
    storage_class_name: Annotated[str, Field(min_length=1, max_length=253)] | None = Field(
        default=None,
        description="StorageClass of the volume; the cluster's default when left out. It cannot be changed later.",
    )


class Store(Model):
    type: Annotated[
        StoreType,
        Rule("self == oldSelf", "cannot be changed: make a second MemoryStack and move the memory with an export"),
    ] = Field(description="The database that holds the memory. It cannot be changed later.")
    storage: Annotated[
        Storage,
        Rule(
            "has(self.storageClassName) == has(oldSelf.storageClassName)"
            " && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)",
            "storageClassName cannot be changed: a volume stays where it was made",
        ),
    ] = section(Storage, "The volume behind the store.")
    image: Image | None = Field(
        default=None, description="Image of the store; the one that this operator was tested with when left out."
    )
    resources: Resources = resources(
        Amounts(cpu="100m", memory="256Mi"),
        Amounts(memory="1Gi"),
        "Compute resources of the store. What you write replaces the defaults as a whole.",
    )


class Gateway(Model):
    url: HttpUrl = Field(description="Base URL of the LiteLLM gateway, as the server's pod reaches it.")


class Embedding(Model):
    name: OneLocalModel = Field(
        default="ollama/nomic-embed-text", description="Embedding model, as the gateway knows it."
    )
    dimensions: int = Field(
        default=768,
        strict=True,
        ge=1,
        le=65535,
        description="Length of its vectors. Recorded in the store at the first write.",
    )


class Models(Model):
    gateway: Gateway | None = Field(
        default=None,
        description="Where models are reached. Left out, the server uses the embedding model inside it.",
    )
    extraction: OneLocalModel | None = Field(
        default=None,
        description="Model that draws facts from texts, such as ollama/qwen2.5:14b. Left out, texts wait for one.",
    )
    embedding: Embedding = section(Embedding, "The model that turns text into vectors.")


class VirtualKey(Model):
    allow: tuple[LocalModel, ...] = Field(
        default=(f"{LOCAL_MODELS}*",),
        min_length=1,
        max_length=64,
        description="Models that the stack's own key may reach. Never empty: to LiteLLM that means every model.",
    )


Share = Annotated[float, Field(ge=0, le=1)]


class Scoring(Model):
    similarity: Share = Field(default=0.5, description="Weight of how well a memory answers.")
    recency: Share = Field(default=0.2, description="Weight of how new it is.")
    importance: Share = Field(default=0.3, description="Weight of how much it matters.")
    half_life_days: float = Field(
        default=365, ge=0.01, le=36500, description="After how many days the recency of a memory has halved."
    )


class Server(Model):
    image: Image | None = Field(
        default=None, description="Image of the memory server; the operator's own when left out."
    )
    resources: Resources = resources(
        Amounts(cpu="50m", memory="128Mi"),
        Amounts(memory="512Mi"),
        "Compute resources of the server. What you write replaces the defaults as a whole.",
    )


class Spec(Model):
    store: Store = Field(description="Where the memory is kept.")
    models: Models = section(Models, "The models that work on the memory.")
    scoring: Annotated[
        Scoring,
        Rule(
            "self.similarity + self.recency + self.importance > 0.999"
            " && self.similarity + self.recency + self.importance < 1.001",
            "similarity, recency and importance must add up to 1",
            lambda scoring: abs(scoring.similarity + scoring.recency + scoring.importance - 1) < 0.001,
        ),
    ] = Field(
        Scoring(),
        description="What search results are ranked by.",
        # Written out, for the rule is asked before the defaults inside are filled in.
        json_schema_extra={"default": Scoring().model_dump(by_alias=True)},
    )
    virtual_key: VirtualKey = section(VirtualKey, "What the stack's own key to the gateway may reach.")
    server: Server = section(Server, "The memory server, which agents connect to.")


class Reported(Model):
    """What the operator wrote; a newer operator may have written more."""

    model_config = ConfigDict(extra="ignore")


class Condition(Reported):
    type: str = Field(description="What the condition is about: StoreReady, ServerReady or Ready.")
    status: Literal["True", "False", "Unknown"] = Field(description="Whether it holds.")
    reason: str = Field(description="The cause in one word, for programs and for the troubleshooting page.")
    message: str = Field(description="The cause in a sentence, and where to look.")
    last_transition_time: datetime = Field(description="When the status last changed.")
    observed_generation: int = Field(description="The generation of the object that this was said about.")


class Status(Reported):
    phase: str | None = Field(default=None, description="The whole state in one short sentence.")
    conditions: tuple[Condition, ...] = Field(
        default=(),
        description="The state in detail.",
        json_schema_extra={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]},
    )
    endpoint: str | None = Field(
        default=None, description="URL of the memory server inside the cluster, for MCP clients."
    )
    store: str | None = Field(default=None, description="Host and port of the store inside the cluster.")
    observed_generation: int | None = Field(
        default=None, description="The generation of the object that this status is about."
    )


class Metadata(Reported):
    name: Annotated[str, NAME]
    namespace: str = "default"
    uid: str = ""
    generation: int = 0
    deletion_timestamp: datetime | None = None


class MemoryStack(Model):
    api_version: Literal["memorystack.dev/v1alpha1"]
    kind: Literal["MemoryStack"]
    metadata: Metadata
    spec: Spec
    status: Status = Status()


def parse(document: object) -> MemoryStack:
    """The MemoryStack that a decoded YAML or JSON document describes.

    Raises:
        InvalidStackError: it is none, or breaks a rule; one line a mistake, each naming the field.
    """
    try:
        return MemoryStack.model_validate(document)
    except ValidationError as error:
        raise InvalidStackError("\n".join(_line(mistake) for mistake in error.errors())) from None


def _line(mistake: ErrorDetails) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in mistake["loc"]).lstrip(".")
    return f"{path or 'the document'}: {mistake['msg']}"
