"""Texts as vectors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from attend import _attend
from attend._common import LoadOptions, Model, given, typed_changes
from attend._errors import ConfigError
from attend._texts import checked_text, checked_texts

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["Embedder"]

Pooling = Literal["mean", "max", "first", "standard"]
Precision = Literal["float32", "int8", "uint8", "binary", "ubinary"]


class Embedder(Model):
    """Any model as an embedder: one trained for it, or the hidden states of another.

    Several threads may use one object at once.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        device: str = "cpu",
        *,
        threads: int | None = None,
        **others: Unpack[LoadOptions],
    ) -> None:
        """Reads a model; arguments and errors are those of Translator."""
        super().__init__(path, device, threads, others)
        self._model = _attend.Embedder(self._path, self._pool_size, typed_changes(self._changes))

    @property
    def layers(self) -> int:
        """The number of layers."""
        return self._model.layers()

    @property
    def width(self) -> int:
        """The dimension of the vectors."""
        return self._model.width()

    @property
    def prompts(self) -> dict[str, str]:
        """The texts that ``prompt_name`` puts before a text, by name."""
        return self._model.prompts()

    def get_sentence_embedding_dimension(self) -> int:
        """``width``, as sentence-transformers names it."""
        return self.width

    def encode(
        self,
        sentences: str | Iterable[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: Literal["sentence_embedding", "token_embeddings"] = "sentence_embedding",
        precision: Precision = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        *,
        layer: int | None = None,
        pooling: Pooling | None = None,
    ) -> Any:
        """The vectors of sentences: float32 [n, width], or [width] of one sentence.

        The arguments are those of sentence-transformers:

        - ``prompt_name``: the prompt of the model that is put before each text
        - ``prompt``: a text that is put before each text in its place
        - ``batch_size``: texts encoded together; changes the speed, not the result
        - ``output_value="token_embeddings"``: a list of [tokens, width], as ``forward``
        - ``precision``: rounds the vectors to int8 or uint8, by the range of each dimension, or to
          one bit a dimension (``binary``, ``ubinary``)
        - ``convert_to_tensor``: a tensor of PyTorch that shares the memory;
          ``convert_to_numpy=False``: a list of them
        - ``truncate_dim``: keep the first dimensions only
        - ``normalize_embeddings``: divide each vector by its length, after truncating it
        - ``show_progress_bar`` and ``device`` change nothing: attend computes on the CPU

        and of the models of attend:

        - ``layer``: 1 is the first, -1 the last (default), 0 the input of the first
        - ``pooling``: how token vectors become one; default: as the model was trained, else mean

        Raises ConfigError for a layer or a prompt that the model does not have.
        """
        if device not in (None, "cpu"):
            raise ConfigError(f"device: expected cpu, got {device!r}")
        options = given(
            prompt=prompt_name,
            prompt_text=None if prompt is None else checked_text(prompt, "prompt"),
            batch_size=batch_size,
            layer=layer,
            pooling=pooling,
        )
        single = isinstance(sentences, str)
        texts = [sentences] if isinstance(sentences, str) else sentences
        if output_value == "token_embeddings":
            options.pop("pooling", None)
            tokens = self._tokens(texts, options)
            return tokens[0] if single else tokens
        if output_value != "sentence_embedding":
            raise ConfigError(
                "output_value: expected sentence_embedding or token_embeddings, "
                f"got {output_value!r}"
            )
        vectors = self._model.embed(checked_texts(texts), options)
        if truncate_dim is not None:
            vectors = vectors[:, :truncate_dim]
        if normalize_embeddings:
            vectors = _normalized(vectors)
        converted: Any = _rounded(vectors, precision)
        if convert_to_tensor or not convert_to_numpy:
            converted = _torch().from_numpy(converted)
            if not convert_to_tensor:
                converted = list(converted)
        return converted[0] if single else converted

    def encode_query(
        self, sentences: str | Iterable[str], prompt_name: str | None = None, **arguments: Any
    ) -> Any:
        """``encode`` with the prompt "query", if the model has one."""
        return self._encode_as(("query",), sentences, prompt_name, arguments)

    def encode_document(
        self, sentences: str | Iterable[str], prompt_name: str | None = None, **arguments: Any
    ) -> Any:
        """``encode`` with the prompt "document", "passage" or "corpus", if the model has one."""
        names = ("document", "passage", "corpus")
        return self._encode_as(names, sentences, prompt_name, arguments)

    def _encode_as(
        self,
        names: Iterable[str],
        sentences: str | Iterable[str],
        prompt_name: str | None,
        arguments: dict[str, Any],
    ) -> Any:
        if prompt_name is None and "prompt" not in arguments:
            prompt_name = next((name for name in names if name in self.prompts), None)
        return self.encode(sentences, prompt_name, **arguments)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The cosine of each vector of ``embeddings1`` with each of ``embeddings2``: [n, m].

        A tensor of PyTorch if one of them is, else an array.
        """
        return _like((embeddings1, embeddings2), _rows(embeddings1) @ _rows(embeddings2).T)

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The cosine of each vector of ``embeddings1`` with the one at the same place: [n]."""
        products = (_rows(embeddings1) * _rows(embeddings2)).sum(axis=1)
        return _like((embeddings1, embeddings2), products)

    def forward(
        self, sentences: Iterable[str], *, layer: int | None = None, batch_size: int = 32
    ) -> list[NDArray[numpy.float32]]:
        """A vector for every token: float32 [tokens, width] for each text, without padding.

        Special tokens are encoded but have no vectors.
        """
        return self._tokens(sentences, given(layer=layer, batch_size=batch_size))

    def _tokens(
        self, texts: Iterable[str], options: dict[str, Any]
    ) -> list[NDArray[numpy.float32]]:
        return [vectors for _, vectors in self._model.embed_tokens(checked_texts(texts), options)]


def _normalized(vectors: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    import numpy

    lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    result: NDArray[numpy.float32] = vectors / numpy.maximum(lengths, 1e-12)
    return result


def _rows(vectors: Any) -> NDArray[numpy.float32]:
    """Of length 1; one vector is one row."""
    import numpy

    array = numpy.asarray(vectors, dtype=numpy.float32)
    return _normalized(array.reshape(-1, array.shape[-1]))


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("tensors need PyTorch, which is missing: pip install torch") from None
    return torch


def _like(given: tuple[Any, ...], result: NDArray[numpy.float32]) -> Any:
    """The result as a tensor of PyTorch if something given is one."""
    if not any(type(one).__module__.startswith("torch") for one in given):
        return result
    return _torch().from_numpy(result)


def _rounded(vectors: NDArray[numpy.float32], precision: Precision) -> NDArray[Any]:
    """As quantize_embeddings() of sentence-transformers does without calibration."""
    import numpy

    if precision == "float32":
        return vectors
    if precision in ("int8", "uint8"):
        if not len(vectors):
            return vectors.astype(precision)
        lowest = vectors.min(axis=0)
        steps = (vectors.max(axis=0) - lowest) / 255
        levels: NDArray[Any] = (vectors - lowest) / numpy.where(steps > 0, steps, 1)
        return levels.astype("uint8") if precision == "uint8" else (levels - 128).astype("int8")
    if precision in ("binary", "ubinary"):
        bits = numpy.packbits(vectors > 0, axis=1)
        return bits if precision == "ubinary" else (bits.astype("int16") - 128).astype("int8")
    raise ConfigError(
        f"precision: expected float32, int8, uint8, binary or ubinary, got {precision!r}"
    )
