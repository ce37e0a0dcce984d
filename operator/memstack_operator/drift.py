"""Whether an object still is as it was asked for, and if not, the first difference in words.

Reconciling an object that is as it should be writes nothing. The API server fills in defaults, so an object that holds
*more* than was asked for is fine. What was asked for once and no longer is shows by the stamp: a digest, as an
annotation, of everything that was applied last.
"""

import hashlib
import json
import reprlib
from collections.abc import Iterator

from memstack_operator.api import GROUP
from memstack_operator.seen import Manifest

STAMP = f"{GROUP}/applied"


def stamped(manifest: Manifest) -> Manifest:
    """The manifest with the digest of itself among its annotations."""
    stamp = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()[:16]
    metadata = manifest["metadata"]
    return manifest | {"metadata": metadata | {"annotations": metadata.get("annotations", {}) | {STAMP: stamp}}}


def difference(want: Manifest, have: Manifest) -> str | None:
    """The first place where `have` is not what the stamped manifest `want` asks for, or None."""
    found = list(_differences(want, have, ""))
    telling = [words for words in found if STAMP not in words]
    if telling:
        return telling[0]
    return "something that was applied is no longer asked for" if found else None


def _differences(want: object, have: object, path: str) -> Iterator[str]:
    if isinstance(want, dict) and isinstance(have, dict | None):
        # The API server leaves an empty map out: nothing is the same as none.
        for key, value in want.items():
            yield from _differences(value, (have or {}).get(key), f"{path}.{key}")
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for index, (value, other) in enumerate(zip(want, have, strict=True)):
            yield from _differences(value, other, f"{path}[{index}]")
    elif want != have:
        yield f"{path.lstrip('.')} is {reprlib.repr(have)}, not {reprlib.repr(want)}"
