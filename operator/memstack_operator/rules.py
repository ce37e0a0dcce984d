"""Rules of the object that hold in two places: in CEL for the API server, in Python where there is none.

`kubectl apply` and `memstack up` take the same file, so they must refuse the same things with the same words. A rule is
therefore written once, with both expressions side by side, and annotates the field that it guards.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, LiteralString
from urllib.parse import urlsplit

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

VALIDATIONS = "x-kubernetes-validations"

_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(m|k|[MGTP]|[KMGTP]i)?")
_FACTORS = {
    None: Decimal(1),
    "m": Decimal("0.001"),
    **{unit: Decimal(1000) ** power for power, unit in enumerate("kMGTP", start=1)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTP", start=1)},
}


@dataclass(frozen=True)
class Rule:
    """What a field must satisfy: `cel` says it to the API server, `holds` to Pydantic, `message` to people.

    A rule about a change (its CEL names `oldSelf`) has no `holds`: without an API server there is no old object.
    """

    cel: str
    message: LiteralString
    holds: Callable[[Any], bool] | None = None

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._verify, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        rendered = handler.resolve_ref_schema(handler(schema))
        rendered.setdefault(VALIDATIONS, []).append(self.schema())
        return rendered

    def schema(self) -> dict[str, str]:
        return {"rule": self.cel, "message": self.message}

    def _verify(self, value: object) -> object:
        if self.holds is not None and not self.holds(value):
            raise PydanticCustomError("rule", self.message)
        return value


def amount(quantity: str) -> Decimal:
    """The number that a Kubernetes quantity stands for: bytes for `2Gi`, cores for `100m`.

    Raises:
        ValueError: the text is no quantity.
    """
    match = _QUANTITY.fullmatch(quantity)
    if match is None:
        raise ValueError(f"{quantity!r} is not a quantity; write a number and a unit, such as 2Gi or 100m")
    number, unit = match.groups()
    return Decimal(number) * _FACTORS[unit]


def is_positive_quantity(text: str) -> bool:
    try:
        return amount(text) > 0
    except ValueError:
        return False


def is_http_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
