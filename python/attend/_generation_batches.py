"""Continuing and scoring tokens: the methods of CTranslate2's Generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend
from attend._batches import (
    AsyncResult,
    GenerationBatchOptions,
    GenerationResult,
    GenerationStepResult,
    ScoringResult,
    batch_score,
    computed,
    generation_batch_options,
    in_batches,
    truncated,
)
from attend._common import Model, in_background

if TYPE_CHECKING:
    from typing_extensions import Unpack

Batch = Sequence[Sequence[str]]


class _Stopped(Exception):
    """A callback has ended the continuation."""


class GenerationBatches(Model):
    """What Generator does with tokens."""

    _model: _attend.Generator

    @overload
    def generate_batch(
        self,
        start_tokens: Batch,
        *,
        asynchronous: Literal[False] = False,
        **options: Unpack[GenerationBatchOptions],
    ) -> list[GenerationResult]: ...
    @overload
    def generate_batch(
        self,
        start_tokens: Batch,
        *,
        asynchronous: Literal[True],
        **options: Unpack[GenerationBatchOptions],
    ) -> list[AsyncResult[GenerationResult]]: ...

    def generate_batch(
        self,
        start_tokens: Batch,
        *,
        asynchronous: bool = False,
        **options: Unpack[GenerationBatchOptions],
    ) -> list[GenerationResult] | list[AsyncResult[GenerationResult]]:
        """Continues tokens to the end of the line, with the arguments and results of CTranslate2.

        The token that a text of the model begins with is put before the tokens unless it is there.

        Raises ConfigError for arguments that attend does not have, DataError for a token without
        an id and for a prompt that is longer than the context.
        """
        all_options = generation_batch_options(options)
        static = list(all_options["static_prompt"] or [])

        def compute() -> list[GenerationResult]:
            return [
                self._continuation(static, list(prompt), all_options, number)
                for number, prompt in enumerate(start_tokens)
            ]

        return computed(len(start_tokens), asynchronous, compute)

    def generate_iterable(
        self,
        start_tokens: Iterable[Sequence[str]],
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[GenerationResult]:
        """``generate_batch`` of an iterable of any length, in bounded memory."""

        def compute(part: list[Sequence[str]]) -> list[GenerationResult]:
            return self.generate_batch(part, **options)

        return in_batches(start_tokens, max_batch_size, compute)

    def generate_tokens(
        self,
        prompt: Sequence[str],
        *,
        return_log_prob: bool = False,
        **options: Unpack[GenerationBatchOptions],
    ) -> Iterator[GenerationStepResult]:
        """The tokens of a continuation while they are written, as CTranslate2 yields them.

        The prompt is not repeated; the end of the line comes last. Closing the iterator ends the
        continuation. The options are those of ``generate_batch`` without beam search.
        """
        all_options = generation_batch_options(
            {**options, "include_prompt_in_result": False, "return_scores": return_log_prob}
        )

        def write(accept: Callable[[GenerationStepResult], None]) -> None:
            def callback(step: GenerationStepResult) -> bool:
                accept(step)
                return False

            static = list(all_options["static_prompt"] or [])
            self._continuation(static, list(prompt), all_options | {"callback": callback}, 0)

        return in_background(write)

    @overload
    def score_batch(
        self,
        tokens: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        asynchronous: Literal[False] = False,
    ) -> list[ScoringResult]: ...
    @overload
    def score_batch(
        self,
        tokens: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        asynchronous: Literal[True],
    ) -> list[AsyncResult[ScoringResult]]: ...

    def score_batch(
        self,
        tokens: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        asynchronous: bool = False,
    ) -> list[ScoringResult] | list[AsyncResult[ScoringResult]]:
        """The log-probability of each token but the first, given those before it, with the
        arguments and results of CTranslate2.

        No special tokens are added. Raises DataError for a token without an id.
        """
        texts = truncated(tokens, max_input_length)

        def compute() -> list[ScoringResult]:
            return [ScoringResult(text[1:], self._model.score_tokens(text)) for text in texts]

        return computed(len(texts), asynchronous, compute)

    def _continuation(
        self, static: list[str], prompt: list[str], options: dict[str, Any], number: int
    ) -> GenerationResult:
        with_prompt = options["include_prompt_in_result"]
        before = prompt[: options["max_length"] + 1] if with_prompt else []
        steps_before = max(len(before) - 1, 0)
        found = self._found(static + prompt, steps_before, options, number)
        result = GenerationResult([], [])
        tokenizer = self._model.tokenizer()
        for ids, scores, complete in found:
            if complete and not options["return_end_token"]:
                ids = ids[:-1]
            result.sequences_ids.append([tokenizer.id(token) for token in before] + ids)
            result.sequences.append(before + [tokenizer.piece(token) for token in ids])
            if options["return_scores"]:
                length = steps_before + len(scores)
                result.scores.append(batch_score(sum(scores), length, options["length_penalty"]))
        return result

    def _found(
        self, prompt: list[str], steps_before: int, options: dict[str, Any], number: int
    ) -> list[tuple[list[int], list[float], bool]]:
        """The tokens of each continuation, their scores, and whether the end is among them."""
        longest = options["max_length"] - steps_before
        if longest <= 0:
            return [([], [], False)] * options["num_hypotheses"]
        named = _search_options(options) | {"max_tokens": longest}
        if options["callback"] is None:
            found = self._model.generate_tokens(prompt, named, None)
            return [(list(one.ids), list(one.token_scores), one.complete) for one in found]
        hearer = _Hearer(self._model.tokenizer(), options, number, steps_before)
        try:
            found = self._model.generate_tokens(prompt, named, hearer.accept)
        except _Stopped:
            return [(ids, scores, False) for ids, scores in hearer.written]
        return [(list(one.ids), list(one.token_scores), one.complete) for one in found]


class _Hearer:
    """Tells a callback of every token, until it says that they are enough."""

    def __init__(
        self,
        tokenizer: _attend.Tokenizer,
        options: dict[str, Any],
        number: int,
        steps_before: int,
    ) -> None:
        self.written: list[tuple[list[int], list[float]]] = [
            ([], []) for _ in range(options["num_hypotheses"])
        ]
        self._tokenizer = tokenizer
        self._callback = options["callback"]
        self._with_scores = options["return_scores"]
        self._number = number
        self._steps_before = steps_before

    def accept(self, hypothesis: int, id: int, score: float, is_last: bool) -> None:
        ids, scores = self.written[hypothesis]
        step = GenerationStepResult(
            self._steps_before + len(ids),
            self._number,
            id,
            hypothesis,
            self._tokenizer.piece(id),
            score if self._with_scores else None,
            is_last,
        )
        ids.append(id)
        scores.append(score)
        if self._callback(step) and not is_last:
            raise _Stopped


def _search_options(options: dict[str, Any]) -> dict[str, Any]:
    """By the names of the command line."""
    named = {
        "repetition_penalty": options["repetition_penalty"],
        "n_best": options["num_hypotheses"],
    }
    if options["beam_size"] > 1:
        return named | {
            "beam_size": options["beam_size"],
            "length_penalty": options["length_penalty"],
        }
    return named | {
        "top_k": options["sampling_topk"],
        "top_p": options["sampling_topp"],
        "temperature": options["sampling_temperature"],
    }
