"""sentence-transformers, with models of attend: scripts run with another import.

    from attend.sentence_transformers import CrossEncoder, SentenceTransformer

    model = SentenceTransformer("all-MiniLM-L6-v2")
    embeddings = model.encode(["The old dog sleeps.", "An old dog is sleeping."])
    print(model.similarity(embeddings, embeddings))

Names and defaults of arguments are those of sentence-transformers; paths are those of model files
or of directories of Hugging Face. What it has and this module does not is an AttributeError, and an
argument that attend does not have is refused by its name. Tensors need PyTorch; without it,
``similarity`` and the vectors of tokens are arrays of NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attend._common import given
from attend._deprecated import check_loading
from attend._errors import ConfigError
from attend._options import TextPreparation
from attend.classifier import Classifier
from attend.embedder import Embedder, Pooling, Precision, Similarity, torch_module

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["CrossEncoder", "SentenceTransformer"]

Function = TypeVar("Function", bound=Callable[..., Any])
OutputValue = Literal["sentence_embedding", "token_embeddings"]
Path = str | os.PathLike[str]
#: Both texts of a pair.
Pair = Sequence[str]


def _with_sentences(function: Function) -> Function:
    """A function whose first argument was once called ``sentences``, and still may be."""

    @wraps(function)
    def wrapped(self: Any, *arguments: Any, **options: Any) -> Any:
        if "sentences" in options:
            options["inputs"] = options.pop("sentences")
        return function(self, *arguments, **options)

    return cast(Function, wrapped)


def _with_prompt(usual: str, encode: Function) -> Function:
    """``encode`` with another prompt unless the call names one."""

    @wraps(encode)
    def wrapped(
        self: Any,
        inputs: Any,
        prompt_name: str | None = None,
        prompt: str | None = None,
        *arguments: Any,
        **options: Any,
    ) -> Any:
        if prompt_name is None and prompt is None:
            prompt_name = usual
        return self.encode(inputs, prompt_name, prompt, *arguments, **options)

    wrapped.__name__ = f"encode_{usual}"
    wrapped.__doc__ = f"``encode`` with the prompt {usual!r}, empty unless the model has one."
    return _with_sentences(cast(Function, wrapped))


class SentenceTransformer(Embedder):
    """An embedder of attend, with the calls of sentence-transformers."""

    _package = "attend.sentence_transformers"

    def __init__(
        self,
        model_name_or_path: Path | None = None,
        *,
        modules: None = None,
        device: str | None = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt_name: str | None = None,
        cache_folder: str | None = None,
        trust_remote_code: bool = False,
        revision: str | None = None,
        local_files_only: bool = False,
        token: bool | str | None = None,
        use_auth_token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: object = None,
        backend: str = "torch",
        similarity_fn_name: Similarity | None = None,
        truncate_dim: int | None = None,
    ) -> None:
        """Reads any model of attend, or a directory of Hugging Face: see ``attend.load``.

        - ``prompts``: added to those of the model, in place of those of the same names
        - ``default_prompt_name``: in place of that of the model
        - ``similarity_fn_name``: "cosine", "dot", "euclidean" or "manhattan"; default: as the
          model says
        - ``truncate_dim``: ``encode`` keeps the first dimensions only
        - ``cache_folder``, ``trust_remote_code``, ``local_files_only``, ``token``,
          ``use_auth_token`` and ``model_card_data`` change nothing: attend downloads nothing and
          runs no code of a model

        Of the other arguments attend has only the defaults.
        """
        _refuse_all(modules=modules, revision=revision, model_kwargs=model_kwargs)
        _refuse_all(processor_kwargs=processor_kwargs, config_kwargs=config_kwargs)
        super().__init__(
            _checked_path(model_name_or_path, device, backend),
            prompts=prompts,
            default_prompt_name=default_prompt_name,
            similarity_fn_name=similarity_fn_name,
            truncate_dim=truncate_dim,
        )

    @classmethod
    def _reopened(cls, path: str, threads: int, changes: dict[str, Any]) -> SentenceTransformer:
        return cls(path)

    def get_embedding_dimension(self) -> int:
        """The number of elements of a vector of ``encode``: ``width``, or ``truncate_dim``."""
        return self.width if self.truncate_dim is None else min(self.width, self.truncate_dim)

    get_sentence_embedding_dimension = get_embedding_dimension

    @_with_sentences
    def encode(
        self,
        inputs: str | Iterable[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        output_value: OutputValue = "sentence_embedding",
        precision: Precision = "float32",
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: str | None = None,
        normalize_embeddings: bool = False,
        truncate_dim: int | None = None,
        pool: None = None,
        chunk_size: int | None = None,
        *,
        layer: int | None = None,
        pooling: Pooling | None = None,
        split_special_tokens: bool | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> Any:
        """The vectors of texts: float32 [n, width], or [width] of one text.

        - ``output_value="token_embeddings"``: a list of [tokens, width], special tokens included
        - ``convert_to_tensor``: a tensor of PyTorch that shares the memory;
          ``convert_to_numpy=False``: a list of them
        - ``show_progress_bar``, ``device`` and ``chunk_size`` change nothing: attend computes on
          the CPU, with all cores

        The other arguments are those of ``attend.Embedder.encode``. Raises ConfigError for a layer
        or a prompt that the model does not have.
        """
        check_loading(device)
        _refuse_all(pool=pool)
        single = isinstance(inputs, str)
        if output_value == "token_embeddings":
            options = given(
                prompt_text=self._prompt(prompt, prompt_name),
                batch_size=batch_size,
                layer=layer,
                split_special_tokens=split_special_tokens,
                special_tokens=True,
                **preparation,
            )
            tokens: list[Any] = self._tokens([inputs] if isinstance(inputs, str) else inputs, options)
            if isinstance(self, SentenceTransformer):  # not an Embedder, by its old call
                tokens = [*map(_tensor, tokens)]
            return tokens[0] if single else tokens
        if output_value != "sentence_embedding":
            raise ConfigError(
                "output_value: expected sentence_embedding or token_embeddings, "
                f"got {output_value!r}"
            )
        vectors = Embedder.encode(
            self, inputs, prompt_name, prompt, batch_size,
            normalize_embeddings=normalize_embeddings, truncate_dim=truncate_dim,
            precision=precision, layer=layer, pooling=pooling,
            split_special_tokens=split_special_tokens, **preparation,
        )  # fmt: skip
        return _converted(vectors, convert_to_numpy, convert_to_tensor, single)

    encode_query = _with_prompt("query", encode)  # type: ignore[assignment]
    encode_document = _with_prompt("document", encode)  # type: ignore[assignment]

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """The similarity of each vector of ``embeddings1`` with each of ``embeddings2``: [n, m],
        by ``similarity_fn_name``. Distances (euclidean, manhattan) have a minus."""
        return _tensor(super().similarity(embeddings1, embeddings2))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Any:
        """That of each vector of ``embeddings1`` with the one at the same place: [n]."""
        return _tensor(super().similarity_pairwise(embeddings1, embeddings2))


class CrossEncoder(Classifier):
    """A classifier of pairs of texts, such as a reranker, with the calls of sentence-transformers.
    """

    _package = "attend.sentence_transformers"

    def __init__(
        self,
        model_name_or_path: Path | None = None,
        *,
        modules: None = None,
        device: str | None = None,
        prompts: Mapping[str, str] | None = None,
        default_prompt_name: str | None = None,
        cache_folder: str | None = None,
        trust_remote_code: bool = False,
        revision: str | None = None,
        local_files_only: bool = False,
        token: bool | str | None = None,
        model_kwargs: dict[str, Any] | None = None,
        processor_kwargs: dict[str, Any] | None = None,
        config_kwargs: dict[str, Any] | None = None,
        model_card_data: object = None,
        backend: str = "torch",
        num_labels: int | None = None,
        max_length: int | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        keep_in_fp32_modules: list[str] | None = None,
    ) -> None:
        """Reads a classifier of attend, or a directory of Hugging Face: see ``attend.load``.

        ``activation_fn``: a function of tensors, as that of ``predict``; default: the one that the
        model was saved with. ``num_labels`` must be the number of the model's. Arguments that change nothing are those of SentenceTransformer; of
        the others attend has only the defaults.
        """
        _refuse_all(modules=modules, revision=revision, model_kwargs=model_kwargs)
        _refuse_all(processor_kwargs=processor_kwargs, config_kwargs=config_kwargs)
        _refuse_all(prompts=prompts, default_prompt_name=default_prompt_name)
        _refuse_all(max_length=max_length, keep_in_fp32_modules=keep_in_fp32_modules)
        super().__init__(_checked_path(model_name_or_path, device, backend))
        if num_labels not in (None, self.num_labels):
            raise ConfigError(f"num_labels: the model has {self.num_labels}, got {num_labels}")
        self._activation_fn = activation_fn

    def __reduce__(self) -> tuple[Any, ...]:
        return (*super().__reduce__(), {"_activation_fn": self._activation_fn})

    @classmethod
    def _reopened(cls, path: str, threads: int, changes: dict[str, Any]) -> CrossEncoder:
        return cls(path)

    @property
    def activation_fn(self) -> Callable[[Any], Any]:
        """The function of ``predict``. The model's own is a module of PyTorch."""
        return self._activation_fn or _activation(self._model.activation())

    @activation_fn.setter
    def activation_fn(self, function: Callable[[Any], Any] | None) -> None:
        self._activation_fn = function

    @property
    def num_labels(self) -> int:
        """The number of labels; 1: a score."""
        return len(self.labels)

    @_with_sentences
    def predict(
        self,
        inputs: Pair | Sequence[Pair],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        apply_softmax: bool | None = False,
        convert_to_numpy: bool = True,
        convert_to_tensor: bool = False,
        device: str | None = None,
        pool: None = None,
        chunk_size: int | None = None,
    ) -> Any:
        """The scores of pairs of texts: float32 [n], or [n, labels]; of one pair without [n].

        A model with one label gives the sigmoid of its output, or a number of attend as it is; one
        with several gives its outputs, and with ``apply_softmax`` their softmax. Instead, a model
        may have been saved with another function of PyTorch. ``activation_fn`` is applied to the
        outputs instead of it: a function of tensors.

        ``convert_to_tensor``: a tensor; ``convert_to_numpy=False``: a list of them. ``batch_size``,
        ``show_progress_bar``, ``device`` and ``chunk_size`` change nothing.

        Raises DataError for a blank text and for a pair with a tab.
        """
        import numpy

        check_loading(device)
        _refuse_all(prompt_name=prompt_name, prompt=prompt, pool=pool)
        single = len(inputs) > 0 and isinstance(inputs[0], str)
        pairs = [cast(Pair, inputs)] if single else list(inputs)
        function = activation_fn or self._activation_fn
        if pairs:
            scores = self._scores(pairs, function, bool(apply_softmax))
        else:
            scores = numpy.array([], numpy.float32 if convert_to_tensor else numpy.float64)
        converted = _converted(scores, convert_to_numpy, convert_to_tensor)
        return converted[0] if single else converted

    def _scores(
        self, pairs: list[Pair], activation_fn: Callable[[Any], Any] | None, apply_softmax: bool
    ) -> NDArray[numpy.float32]:
        import numpy

        outputs = self._outputs(pairs, {"function_to_apply": "none"})
        scores = numpy.array(outputs, numpy.float32).reshape(-1, self.num_labels)
        name = self._model.activation()
        if activation_fn is None and name.endswith(".Sigmoid"):  # also without PyTorch
            with numpy.errstate(over="ignore"):
                scores = (1 / (1 + numpy.exp(-scores))).astype(numpy.float32)
        elif activation_fn is not None or not name.endswith(".Identity"):
            function = activation_fn or _activation(name)
            scores = numpy.asarray(function(torch_module().from_numpy(scores)))
        if self.num_labels == 1:
            return scores.reshape(-1)
        if apply_softmax:
            powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
            scores = powers / powers.sum(axis=1, keepdims=True)
        return scores

    def rank(
        self,
        query: str,
        documents: Sequence[str],
        top_k: int | None = None,
        return_documents: bool = False,
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        activation_fn: Callable[[Any], Any] | None = None,
        device: str | None = None,
        pool: None = None,
        chunk_size: int | None = None,
    ) -> list[dict[str, Any]]:
        """The documents by their score with the query, best first: dictionaries with ``corpus_id``,
        the place of a document in the list, ``score`` and, with ``return_documents``, ``text``.

        Raises ConfigError for a model with several labels. See ``predict``.
        """
        if self.num_labels != 1:
            raise ConfigError(f"rank: expected a model with one label, got {self.num_labels}")
        scores = self.predict(
            [(query, document) for document in documents], prompt_name, prompt, batch_size,
            show_progress_bar, activation_fn, device=device, pool=pool,
        ).tolist()  # fmt: skip
        found = [{"corpus_id": place, "score": score} for place, score in enumerate(scores)]
        if return_documents:
            for one, document in zip(found, documents, strict=True):
                one["text"] = document
        return sorted(found, key=lambda one: one["score"], reverse=True)[:top_k]


def _refuse_all(**arguments: object) -> None:
    """Raises ConfigError for an argument that is given."""
    for name, value in arguments.items():
        if value is not None:
            raise ConfigError(f"{name}: attend has no such option")


def _checked_path(path: Path | None, device: object, backend: str) -> Path:
    if path is None:
        raise ConfigError("model_name_or_path: expected the path of a model")
    check_loading(None if device is None else str(device))
    if backend != "torch":
        raise ConfigError(f"backend: attend has its own, got {backend!r}")
    return path


def _tensor(array: Any) -> Any:
    """An array as a tensor, where PyTorch is installed."""
    is_array = type(array).__module__ == "numpy"
    return torch_module().from_numpy(array) if is_array and find_spec("torch") else array


def _activation(name: str) -> Callable[[Any], Any]:
    """The module of PyTorch that a model was saved with."""
    from importlib import import_module

    torch = torch_module()
    module, _, kind = name.rpartition(".")
    try:
        found = getattr(import_module(module), kind) if name.startswith("torch.nn.") else None
    except (ImportError, AttributeError):
        found = None
    if not isinstance(found, type) or not issubclass(found, torch.nn.Module):
        raise ConfigError(f"activation_fn: expected a class of torch.nn in the model, got {name!r}")
    function: Callable[[Any], Any] = found()
    return function


def _converted(
    array: NDArray[Any], convert_to_numpy: bool, convert_to_tensor: bool, single: bool = False
) -> Any:
    """A tensor, an array, or a list of tensors."""
    if convert_to_numpy and not convert_to_tensor:
        return array
    tensor = torch_module().from_numpy(array)
    return tensor if convert_to_tensor or single else list(tensor)
