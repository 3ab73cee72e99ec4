"""Continuing and scoring tokens: the methods of CTranslate2's Generator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

from attend import _attend
from attend._batches import (
    AsyncResult,
    GenerationBatchOptions,
    GenerationResult,
    GenerationStepResult,
    ScoringResult,
    Stopped,
    batch_score,
    computed,
    generation_batch_options,
    in_batches,
    token_limits,
    truncated,
)
from attend._common import Model, in_background
from attend._texts import checked_tokens

if TYPE_CHECKING:
    from typing_extensions import Unpack

Batch = Sequence[Sequence[str]]


#: Prompts that are continued together unless max_batch_size says how many.
TOGETHER = 32


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
        all_tokens = checked_tokens(start_tokens, "start_tokens")
        prompts = [_Prompt(tokens, n, all_options) for n, tokens in enumerate(all_tokens)]
        return computed(
            len(prompts), asynchronous, lambda: self._continuations(prompts, all_options)
        )

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
        (tokens,) = checked_tokens([prompt], "prompt")

        def write(accept: Callable[[GenerationStepResult], None]) -> None:
            def callback(step: GenerationStepResult) -> bool:
                accept(step)
                return False

            options_with_callback = all_options | {"callback": callback}
            only = _Prompt(tokens, 0, options_with_callback)
            self._continuations([only], options_with_callback)

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
        texts = truncated(tokens, max_input_length, "tokens")

        def compute() -> list[ScoringResult]:
            return [ScoringResult(text[1:], self._model.score_tokens(text)) for text in texts]

        return computed(len(texts), asynchronous, compute)

    def _continuations(
        self, prompts: list[_Prompt], options: dict[str, Any]
    ) -> list[GenerationResult]:
        # A callback may end one of them.
        size = options["max_batch_size"] if options["batch_type"] == "examples" else 0
        together = 1 if options["callback"] else size or TOGETHER
        return list(in_batches(prompts, together, lambda part: self._continued(part, options)))

    def _continued(
        self, prompts: list[_Prompt], options: dict[str, Any]
    ) -> list[GenerationResult]:
        named = _search_options(options)
        given = [one.given(options["num_hypotheses"]) for one in prompts if one.longest > 0]
        hearer = None
        if options["callback"]:
            hearer = _Hearer(self._model.tokenizer(), prompts[0], options)
        try:
            answers = self._model.generate_tokens(
                given,
                token_limits(options, self._model.tokenizer()),
                named,
                hearer and hearer.accept,
            )
        except Stopped:
            assert hearer
            found = [[_Found(ids, scores, False) for ids, scores in hearer.written]]
        else:
            found = [
                [_Found(list(one.ids), list(one.token_scores), one.complete) for one in answer]
                for answer in answers
            ]
        continued = iter(found)
        nothing = [_Found([], [], False)] * options["num_hypotheses"]
        return [
            self._result(one, next(continued) if one.longest > 0 else nothing, options)
            for one in prompts
        ]

    def _result(
        self, prompt: _Prompt, found: list[_Found], options: dict[str, Any]
    ) -> GenerationResult:
        result = GenerationResult([], [])
        tokenizer = self._model.tokenizer()
        before = [tokenizer.id(token) for token in prompt.before]
        for one in found:
            ids = one.ids[:-1] if one.complete and not options["return_end_token"] else one.ids
            result.sequences_ids.append(before + ids)
            result.sequences.append(prompt.before + [tokenizer.piece(token) for token in ids])
            if options["return_scores"]:
                length = prompt.steps_before + len(one.scores)
                result.scores.append(
                    batch_score(sum(one.scores), length, options["length_penalty"])
                )
        return result


class _Prompt:
    """Tokens to continue, and what of them is repeated in the result."""

    def __init__(self, tokens: list[str], number: int, options: dict[str, Any]) -> None:
        self.number = number
        (before,) = checked_tokens([options["static_prompt"] or []], "static_prompt")
        self.tokens = before + tokens
        longest: int = options["max_length"]
        self.before = tokens[: longest + 1] if options["include_prompt_in_result"] else []
        self.steps_before = max(len(self.before) - 1, 0)
        self.longest = longest - self.steps_before
        self.shortest = max(options["min_length"] - self.steps_before, 0)

    def given(self, samples: int) -> tuple[list[str], int, int, int]:
        return self.tokens, self.shortest, self.longest, self.number * samples


class _Found(NamedTuple):
    """A continuation."""

    ids: list[int]
    scores: list[float]
    complete: bool  #: the end is among them


class _Hearer:
    """Tells a callback of every token, until it says that they are enough."""

    def __init__(
        self, tokenizer: _attend.Tokenizer, prompt: _Prompt, options: dict[str, Any]
    ) -> None:
        self.written: list[tuple[list[int], list[float]]] = [
            ([], []) for _ in range(options["num_hypotheses"])
        ]
        self._tokenizer = tokenizer
        self._prompt = prompt
        self._callback = options["callback"]
        self._with_scores = options["return_scores"]

    def accept(self, hypothesis: int, id: int, score: float, is_last: bool) -> None:
        ids, scores = self.written[hypothesis]
        step = GenerationStepResult(
            self._prompt.steps_before + len(ids),
            self._prompt.number,
            id,
            hypothesis,
            self._tokenizer.piece(id),
            score if self._with_scores else None,
            is_last,
        )
        ids.append(id)
        scores.append(score)
        if self._callback(step) and not is_last:
            raise Stopped


def _search_options(options: dict[str, Any]) -> dict[str, Any]:
    """By the names of the command line."""
    named = {
        "repetition_penalty": options["repetition_penalty"],
        "no_repeat_ngram": options["no_repeat_ngram_size"],
        "n_best": options["num_hypotheses"],
    }
    if options["beam_size"] > 1:
        return named | {
            "beam_size": options["beam_size"],
            "length_penalty": options["length_penalty"],
            "patience": options["patience"],
        }
    return named | {
        "top_k": options["sampling_topk"],
        "top_p": options["sampling_topp"],
        "temperature": options["sampling_temperature"],
    }
