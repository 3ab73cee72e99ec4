"""CrossEncoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from attend._deprecated import check_loading
from attend._errors import ConfigError
from attend.classifier import Classifier
from attend.embedder import torch_module
from attend.sentence_transformers._arguments import (
    Path,
    checked_path,
    converted,
    refuse_all,
    with_sentences,
)

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

#: Both texts of a pair.
Pair = Sequence[str]


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
        model was saved with. ``num_labels`` must be the number of the model's. Arguments that
        change nothing are those of SentenceTransformer; of the others attend has only the defaults.
        """
        refuse_all(modules=modules, revision=revision, model_kwargs=model_kwargs)
        refuse_all(processor_kwargs=processor_kwargs, config_kwargs=config_kwargs)
        refuse_all(prompts=prompts, default_prompt_name=default_prompt_name)
        refuse_all(max_length=max_length, keep_in_fp32_modules=keep_in_fp32_modules)
        super().__init__(checked_path(model_name_or_path, device, backend))
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

    @with_sentences
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
        refuse_all(prompt_name=prompt_name, prompt=prompt, pool=pool)
        single = len(inputs) > 0 and isinstance(inputs[0], str)
        pairs = [cast(Pair, inputs)] if single else list(inputs)
        function = activation_fn or self._activation_fn
        if pairs:
            scores = self._scores(pairs, function, bool(apply_softmax))
        else:
            scores = numpy.array([], numpy.float32 if convert_to_tensor else numpy.float64)
        found = converted(scores, convert_to_numpy, convert_to_tensor)
        return found[0] if single else found

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
