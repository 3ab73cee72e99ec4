"""What has moved to attend.ctranslate2 and attend.sentence_transformers. Old calls go on working,
with a DeprecationWarning that names the new place."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from attend._errors import ConfigError

Function = TypeVar("Function", bound=Callable[..., Any])

#: Names of the package attend.
_NAMES = {
    name: f"attend.ctranslate2.{name}"
    for name in (
        "AsyncResult",
        "GenerationResult",
        "GenerationStepResult",
        "ScoringResult",
        "TranslationResult",
    )
}
#: Methods of its classes.
_METHODS = {
    ("Translator", name): f"attend.ctranslate2.Translator.{name}"
    for name in ("translate_batch", "generate_tokens", "score_batch")
} | {
    ("Generator", name): f"attend.ctranslate2.Generator.{name}"
    for name in ("generate_batch", "generate_iterable", "generate_tokens", "score_batch")
}
_METHODS |= {
    ("Embedder", name): f"attend.sentence_transformers.SentenceTransformer.{name}"
    for name in ("get_embedding_dimension", "get_sentence_embedding_dimension")
}
#: Arguments of their constructors that change nothing; intra_threads is now ``threads``.
_LOADING = (
    "device",
    "device_index",
    "compute_type",
    "inter_threads",
    "intra_threads",
    "max_queued_batches",
)


#: Arguments of Embedder.encode and its kin.
_ENCODING = (
    "show_progress_bar",
    "output_value",
    "convert_to_numpy",
    "convert_to_tensor",
    "device",
)


def _warn(old: str, place: str, stacklevel: int) -> None:
    warnings.warn(f"{old} has moved to {place}", DeprecationWarning, stacklevel + 1)


def _found(place: str) -> Any:
    """What a dotted name stands for: attend.ctranslate2.Translator.score_batch."""
    package, module, *names = place.split(".")
    one = importlib.import_module(f"{package}.{module}")
    for name in names:
        one = getattr(one, name)
    return one


def moved_name(name: str) -> Any:
    """For the package's ``__getattr__``."""
    if name not in _NAMES:
        raise AttributeError(f"module 'attend' has no attribute {name!r}")
    _warn(f"attend.{name}", _NAMES[name], stacklevel=2)
    return _found(_NAMES[name])


def moved_method(model: object, name: str) -> Any:
    """For the ``__getattr__`` of a class of models."""
    for kind in type(model).__mro__:
        if place := _METHODS.get((kind.__name__, name)):
            _warn(f"attend.{kind.__name__}.{name}", place, stacklevel=3)
            return _found(place).__get__(model)
    raise AttributeError(f"{type(model).__name__!r} object has no attribute {name!r}")


def without_others(init: Function) -> Function:
    """A constructor that also takes those arguments."""

    @wraps(init)
    def wrapped(self: Any, path: Any, *device: Any, **options: Any) -> None:
        if len(device) > 1:
            raise TypeError(f"expected a path and options by name, got {device[1]!r}")
        given = dict(zip(("device",), device, strict=False))
        given |= {name: options.pop(name) for name in _LOADING if name in options}
        if given:
            what = f"{', '.join(given)} of attend.{type(self).__name__}"
            _warn(what, "attend.ctranslate2 and attend.sentence_transformers", stacklevel=2)
            check_loading(given.get("device", "cpu"), given.get("compute_type", "default"))
            options["threads"] = options.get("threads") or given.get("intra_threads")
        init(self, path, **options)

    return cast(Function, wrapped)


def with_moved_arguments(encode: Function) -> Function:
    """Embedder.encode, encode_query or encode_document that also takes those of ``encode`` that
    have moved."""
    usual = {"encode_query": "query", "encode_document": "document"}.get(encode.__name__)

    @wraps(encode)
    def wrapped(self: Any, sentences: Any, *arguments: Any, **options: Any) -> Any:
        moved = [name for name in _ENCODING if name in options]
        if not moved and len(arguments) <= 3:
            return encode(self, sentences, *arguments, **options)
        what = f"{', '.join(moved) or 'a further argument'} of attend.Embedder.{encode.__name__}"
        place = "attend.sentence_transformers.SentenceTransformer"
        _warn(what, place, stacklevel=2)
        if usual and not (arguments or {"prompt", "prompt_name"} & options.keys()):
            options["prompt_name"] = usual
        return _found(f"{place}.encode")(self, sentences, *arguments, **options)

    return cast(Function, wrapped)


def check_loading(device: object, compute_type: object = "default") -> None:
    """Raises ConfigError for a device and a type of computation that are not attend's."""
    if device not in (None, "cpu", "auto"):
        raise ConfigError(f"device: expected cpu, got {device!r}")
    if compute_type not in ("default", "auto", "float32"):
        raise ConfigError(
            "compute_type: expected default; attend.quantize writes models of 4, 8 or 16 bits"
        )
