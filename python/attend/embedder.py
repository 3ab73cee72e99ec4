"""Texts as vectors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from attend import _attend
from attend._common import AttentionChanges, Model, given
from attend._deprecated import with_moved_arguments, without_others
from attend._errors import ConfigError
from attend._options import TextPreparation
from attend._texts import checked_text, checked_texts

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["Embedder"]

Similarity = Literal["cosine", "dot", "euclidean", "manhattan"]
_SIMILARITIES = ("cosine", "dot", "euclidean", "manhattan")
Pooling = Literal["mean", "max", "first", "standard"]
Precision = Literal["float32", "int8", "uint8", "binary", "ubinary"]


class Embedder(Model):
    """Any model as an embedder: one trained for it, or the hidden states of another.

    Several threads may use one object at once.
    """

    _compiled = _attend.Embedder
    _model: _attend.Embedder

    #: ``encode`` keeps this many elements of a vector unless its own argument says otherwise.
    truncate_dim: int | None = None
    _similarity_fn_name: Similarity | None = None
    _prompts: dict[str, str] | None = None
    _default_prompt_name: str | None = None

    @without_others
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt_name: str | None = None,
        similarity_fn_name: Similarity | None = None,
        truncate_dim: int | None = None,
        **changes: Unpack[AttentionChanges],
    ) -> None:
        """Reads a model; other arguments and errors are those of Translator.

        - ``prompts``: added to those of the model, in place of those of the same names
        - ``default_prompt_name``: in place of that of the model
        - ``similarity_fn_name``: "cosine", "dot", "euclidean" or "manhattan"; default: as the
          model says
        - ``truncate_dim``: as that of ``encode``
        """
        super().__init__(path, threads=threads, **changes)
        self._prompts = None if prompts is None else dict(prompts)
        if default_prompt_name is not None:
            self._prompt(None, default_prompt_name)
            self._default_prompt_name = default_prompt_name
        if similarity_fn_name is not None:
            self.similarity_fn_name = similarity_fn_name
        self.truncate_dim = truncate_dim

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("truncate_dim", "_similarity_fn_name", "_prompts", "_default_prompt_name")
        return (*super().__reduce__(), {name: getattr(self, name) for name in names})

    @property
    def layers(self) -> int:
        """The number of layers."""
        return self._model.layers()

    @property
    def width(self) -> int:
        """The dimension of the vectors of texts. Those of tokens may have another."""
        return self._model.width()

    @property
    def prompts(self) -> dict[str, str]:
        """The texts that ``prompt_name`` puts before a text, by name. "query" and "document" always
        have one, which is empty unless the model says otherwise."""
        own = {"query": "", "document": ""} | self._model.prompts()
        return own if self._prompts is None else own | self._prompts

    @property
    def default_prompt_name(self) -> str | None:
        """The name of the prompt that ``encode`` uses unless it gets another."""
        name = self._default_prompt_name or self._model.default_prompt_name() or None
        return name if name in self.prompts else None

    @property
    def similarity_fn_name(self) -> Similarity:
        """How ``similarity`` compares vectors: as the model says, unless set."""
        return self._similarity_fn_name or cast(Similarity, self._model.similarity())

    @similarity_fn_name.setter
    def similarity_fn_name(self, name: Similarity) -> None:
        if name not in _SIMILARITIES:
            expected = ", ".join(_SIMILARITIES)
            raise ConfigError(f"similarity_fn_name: expected one of {expected}, got {name!r}")
        self._similarity_fn_name = name

    @with_moved_arguments
    def encode(
        self,
        sentences: str | Iterable[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        *,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        precision: Precision = "float32",
        layer: int | None = None,
        pooling: Pooling | None = None,
        split_special_tokens: bool | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> NDArray[Any]:
        """The vectors of sentences: float32 [n, width], or [width] of one sentence.

        - ``prompt_name``: the prompt of the model that is put before each text
        - ``prompt``: a text that is put before each text in its place; "": none
        - ``batch_size``: texts encoded together; changes the speed, not the result
        - ``truncate_dim``: keep the first dimensions only
        - ``normalize_embeddings``: divide each vector by its length, after truncating it
        - ``precision``: rounds the vectors to int8 or uint8, by the range of each dimension over
          all of them, or to one bit a dimension (``binary``, ``ubinary``)
        - ``layer``: 1 is the first, -1 the last (default), 0 the input of the first
        - ``pooling``: how token vectors become one; default: as the model was trained, else mean
        - ``split_special_tokens``: read "[SEP]" and other special tokens in a text as text; by
          default, an imported model reads them as these tokens
        - ``preparation``: see TextPreparation; prompts stay as they are

        Raises ConfigError for a layer or a prompt that the model does not have.
        """
        options = given(
            prompt_text=self._prompt(prompt, prompt_name),
            batch_size=batch_size,
            layer=layer,
            pooling=pooling,
            split_special_tokens=split_special_tokens,
            **preparation,
        )
        texts = [sentences] if isinstance(sentences, str) else sentences
        vectors = self._model.embed(checked_texts(texts), options)
        truncate_dim = self.truncate_dim if truncate_dim is None else truncate_dim
        if truncate_dim is not None:
            vectors = vectors[:, :truncate_dim]
        if normalize_embeddings:
            vectors = _normalized(vectors)
        rounded = _rounded(vectors, precision)
        return rounded[0] if isinstance(sentences, str) else rounded

    @with_moved_arguments
    def encode_query(
        self, sentences: str | Iterable[str], prompt_name: str | None = None, **arguments: Any
    ) -> Any:
        """``encode`` with the prompt "query", which is empty unless the model has one."""
        return self._encode_as("query", sentences, prompt_name, arguments)

    @with_moved_arguments
    def encode_document(
        self, sentences: str | Iterable[str], prompt_name: str | None = None, **arguments: Any
    ) -> Any:
        """``encode`` with the prompt "document", which is empty unless the model has one, as in
        sentence-transformers; for another one, such as "passage", name it."""
        return self._encode_as("document", sentences, prompt_name, arguments)

    def _encode_as(
        self,
        usual: str,
        sentences: str | Iterable[str],
        prompt_name: str | None,
        arguments: dict[str, Any],
    ) -> Any:
        if prompt_name is None and arguments.get("prompt") is None:
            prompt_name = usual
        return self.encode(sentences, prompt_name, **arguments)

    def _prompt(self, prompt: str | None, prompt_name: str | None) -> str | None:
        """The text to put before each text: ``prompt``, or that of the name."""
        if prompt is not None:
            return checked_text(prompt, "prompt")
        name = self.default_prompt_name if prompt_name is None else prompt_name
        if name is None:
            return None
        if name not in self.prompts:
            known = ", ".join(map(repr, self.prompts)) or "it has none"
            raise ConfigError(f"prompt_name: expected one of the model's ({known}), got {name!r}")
        return checked_text(self.prompts[name], "prompt")

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector of ``embeddings1`` with each of ``embeddings2``: [n, m],
        by ``similarity_fn_name``. Distances (euclidean, manhattan) have a minus.

        A tensor of PyTorch if one of them is, else an array.
        """
        first, second = _rows(embeddings1), _rows(embeddings2)
        kind = self.similarity_fn_name
        if kind == "cosine":
            first, second = _normalized(first), _normalized(second)
        if kind in ("cosine", "dot"):
            return _like((embeddings1, embeddings2), first @ second.T)
        return _like((embeddings1, embeddings2), _distances(kind, first, second))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """That of each vector of ``embeddings1`` with the one at the same place: [n]."""
        first, second = _rows(embeddings1), _rows(embeddings2)
        kind = self.similarity_fn_name
        if kind == "cosine":
            first, second = _normalized(first), _normalized(second)
        if kind in ("cosine", "dot"):
            found = (first * second).sum(axis=1)
        else:
            found = -_lengths(kind, first - second)
        return _like((embeddings1, embeddings2), found)

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
    """One vector is one row."""
    import numpy

    array = numpy.asarray(vectors, dtype=numpy.float32)
    return array.reshape(-1, array.shape[-1])


def _lengths(kind: Similarity, vectors: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    import numpy

    lengths: NDArray[numpy.float32] = numpy.linalg.norm(
        vectors, ord=2 if kind == "euclidean" else 1, axis=-1
    )
    return lengths


def _distances(
    kind: Similarity, first: NDArray[numpy.float32], second: NDArray[numpy.float32]
) -> NDArray[numpy.float32]:
    """Each row with each, with a minus; row by row, in little memory."""
    import numpy

    result = numpy.empty((len(first), len(second)), numpy.float32)
    for row, vector in zip(result, first):
        row[:] = -_lengths(kind, vector - second)
    return result


def torch_module() -> Any:
    try:
        import torch
    except ImportError:
        raise ImportError("tensors need PyTorch, which is missing: pip install torch") from None
    return torch


def _like(given: tuple[Any, ...], result: NDArray[numpy.float32]) -> Any:
    """The result as a tensor of PyTorch if something given is one."""
    if not any(type(one).__module__.startswith("torch") for one in given):
        return result
    return torch_module().from_numpy(result)


def _rounded(vectors: NDArray[numpy.float32], precision: Precision) -> NDArray[Any]:
    """As quantize_embeddings() of sentence-transformers does without calibration."""
    import numpy

    if precision == "float32":
        return vectors
    if precision in ("int8", "uint8"):
        if not len(vectors):
            return vectors.astype(precision)
        if len(vectors) == 1:
            raise ConfigError(
                f"precision: {precision} needs several texts, whose vectors say the range of each "
                "dimension; got one"
            )
        lowest = vectors.min(axis=0)
        steps = (vectors.max(axis=0) - lowest) / 255
        scaled = (vectors - lowest) / numpy.where(steps > 0, steps, 1)
        levels: NDArray[Any] = numpy.clip(numpy.floor(scaled), 0, 255)
        return levels.astype("uint8") if precision == "uint8" else (levels - 128).astype("int8")
    if precision in ("binary", "ubinary"):
        bits = numpy.packbits(vectors > 0, axis=1)
        return bits if precision == "ubinary" else (bits.astype("int16") - 128).astype("int8")
    raise ConfigError(
        f"precision: expected float32, int8, uint8, binary or ubinary, got {precision!r}"
    )
