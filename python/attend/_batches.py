"""Batches of tokens, with the arguments and results of CTranslate2's Python package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from attend._errors import ConfigError

Result = TypeVar("Result")

#: What attend does not have, with the values that ask for nothing.
_TRANSLATION_DEFAULTS: dict[str, Any] = {
    "patience": 1,
    "coverage_penalty": 0,
    "repetition_penalty": 1,
    "disable_unk": False,
    "suppress_sequences": None,
    "end_token": None,
    "return_end_token": False,
    "prefix_bias_beta": 0,
    "return_logits_vocab": False,
    "return_alternatives": False,
    "min_alternative_expansion_prob": 0,
    "replace_unknowns": False,
    "callback": None,
}
_GENERATION_DEFAULTS: dict[str, Any] = {
    "patience": 1,
    "no_repeat_ngram_size": 0,
    "disable_unk": False,
    "suppress_sequences": None,
    "end_token": None,
    "min_length": 0,
    "static_prompt": None,
    "return_logits_vocab": False,
    "return_alternatives": False,
    "min_alternative_expansion_prob": 0,
    "callback": None,
}
#: What changes neither results nor, here, the speed.
_IGNORED = {"max_batch_size", "batch_type", "use_vmap", "cache_static_prompt"}


@dataclass
class TranslationResult:
    """The translations of one sentence."""

    hypotheses: list[list[str]]  #: tokens, best first
    scores: list[float] = field(default_factory=list)  #: with return_scores=True
    attention: list[list[list[float]]] = field(default_factory=list)  #: with return_attention=True


@dataclass
class GenerationResult:
    """The continuations of one prompt."""

    sequences: list[list[str]]  #: tokens
    sequences_ids: list[list[int]]
    scores: list[float] = field(default_factory=list)  #: with return_scores=True


class AsyncResult(Generic[Result]):
    """A result that is computed while the program goes on."""

    def __init__(self, future: Future[list[Result]], index: int) -> None:
        self._future = future
        self._index = index

    def done(self) -> bool:
        return self._future.done()

    def result(self) -> Result:
        """Waits for the result, and raises what computing it has raised."""
        return self._future.result()[self._index]


def in_background(count: int, compute: Callable[[], list[Result]]) -> list[AsyncResult[Result]]:
    """The results of a batch of so many, computed in a thread of its own."""
    executor = ThreadPoolExecutor(1, "attend-batch")
    future = executor.submit(compute)
    executor.shutdown(wait=False)
    return [AsyncResult(future, index) for index in range(count)]


def refuse_translation_options(options: Mapping[str, Any]) -> None:
    _refuse(options, _TRANSLATION_DEFAULTS)


def refuse_generation_options(options: Mapping[str, Any]) -> None:
    _refuse(options, _GENERATION_DEFAULTS)


def _refuse(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Raises ConfigError for the first option that asks for what attend does not have."""
    for name, value in options.items():
        if name in _IGNORED:
            continue
        if name not in defaults:
            raise TypeError(f"unexpected keyword argument {name!r}")
        if value != defaults[name]:
            raise ConfigError(f"{name}: expected {defaults[name]!r}, the only value that attend has")


@dataclass
class TokenPair:
    """The tokens of a sentence and those that its translation begins with."""

    source: list[str]
    prefix: list[str]
    language: list[str]  #: the token of the language before the prefix, or nothing
    options: dict[str, str]  #: the languages that the tokens ask for


def pair_of_tokens(source: list[str], prefix: list[str], languages: list[str]) -> TokenPair:
    """Models of several languages have a token for each: it begins the source, and the prefix."""
    by_token = {token: name for name in languages for token in (name, f"__{name}__")}
    options = {}
    if source and source[0] in by_token:
        options["src_lang"] = by_token[source[0]]
    if not prefix or prefix[0] not in by_token:
        return TokenPair(source, prefix, [], options)
    options["tgt_lang"] = by_token[prefix[0]]
    return TokenPair(source, prefix[1:], prefix[:1], options)
