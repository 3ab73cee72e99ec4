"""Continuing and scoring tokens: the methods of CTranslate2's Generator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
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
    most_hypotheses,
    score_of_rest,
    token_limits,
    truncated,
)
from attend._common import Model, in_background
from attend._texts import checked_tokens

if TYPE_CHECKING:
    from attend._batches import Logits
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
        """Continues tokens to an end, with the arguments and results of CTranslate2.

        For a model of lines, the token that begins a text is put before the tokens unless it is
        there. Those of a document stay as they are.

        Raises ConfigError for arguments that exclude each other, DataError for a token without an
        id and for a prompt that is longer than the context.
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
        if options["return_alternatives"]:
            return [self._alternatives(prompt, options) for prompt in prompts]
        # A callback may end one of them.
        size = options["max_batch_size"] if options["batch_type"] == "examples" else 0
        together = 1 if options["callback"] else size or TOGETHER

        def results(part: list[_Prompt]) -> list[GenerationResult]:
            found = self._found(part, options)
            return [self._result(*one, options) for one in zip(part, found, strict=True)]

        return list(in_batches(prompts, together, results))

    def _found(self, prompts: list[_Prompt], options: dict[str, Any]) -> list[list[_Found]]:
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
            return [[_Found(ids, scores, False) for ids, scores in hearer.written]]
        continued = iter(
            [_Found(list(one.ids), list(one.token_scores), one.complete) for one in answer]
            for answer in answers
        )
        nothing = [_Found([], [], False)] * options["num_hypotheses"]  # there is no room
        return [next(continued) if one.longest > 0 else nothing for one in prompts]

    def _alternatives(self, prompt: _Prompt, options: dict[str, Any]) -> GenerationResult:
        """The likeliest tokens after the prompt, each with the best continuation that it begins."""
        count, penalty = options["num_hypotheses"], options["length_penalty"]
        search = options | {"beam_size": count, "patience": 1.0, "sampling_topk": 1}
        tokenizer = self._model.tokenizer()
        (expansion,) = self._found([prompt.with_longest(1)], search)
        least = options["min_alternative_expansion_prob"]

        def score_after(one: _Found) -> float:
            return score_of_rest(sum(one.scores), len(one.scores), penalty)

        result = GenerationResult([], [])
        for begun in expansion:
            if begun.ids and math.exp(begun.scores[0]) < least:
                continue
            rest = _Found([], [], begun.complete)
            if not begun.complete and prompt.longest > 1:
                pieces = [tokenizer.piece(token) for token in begun.ids]
                most = options | {"num_hypotheses": most_hypotheses(options)}
                (found,) = self._found([prompt.followed_by(pieces)], most)
                rest = max(found, key=score_after)
            ids, scores = begun.ids + rest.ids, begun.scores + rest.scores
            self._add(result, prompt, _Found(ids, scores, rest.complete), options)
            if options["return_scores"]:
                result.scores[-1] = sum(begun.scores) + score_after(rest)
        return result

    def _result(
        self, prompt: _Prompt, found: list[_Found], options: dict[str, Any]
    ) -> GenerationResult:
        result = GenerationResult([], [])
        for one in found:
            self._add(result, prompt, one, options)
        return result

    def _add(
        self, result: GenerationResult, prompt: _Prompt, one: _Found, options: dict[str, Any]
    ) -> None:
        tokenizer = self._model.tokenizer()
        before = [tokenizer.id(token) for token in prompt.before]
        ids = one.ids[:-1] if one.complete and not options["return_end_token"] else one.ids
        result.sequences_ids.append(before + ids)
        result.sequences.append(prompt.before + [tokenizer.piece(token) for token in ids])
        if options["return_scores"]:
            length = prompt.steps_before + len(one.scores)
            result.scores.append(batch_score(sum(one.scores), length, options["length_penalty"]))
        if options["return_logits_vocab"]:
            result.logits.append(self._logits(prompt, one) if one.ids else [])

    def _logits(self, prompt: _Prompt, one: _Found) -> list[Logits]:
        tokenizer = self._model.tokenizer()
        written = [tokenizer.piece(token) for token in one.ids[: len(one.ids) - one.complete]]
        return list(self._model.logits(prompt.tokens, written)[: len(one.ids)])


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

    def with_longest(self, longest: int) -> _Prompt:
        """For continuations of so many tokens."""
        changed = copy(self)
        changed.longest = min(self.longest, longest)
        changed.shortest = min(self.shortest, changed.longest)
        return changed

    def followed_by(self, tokens: list[str]) -> _Prompt:
        """For the rest of a continuation that begins with these tokens."""
        changed = copy(self)
        changed.tokens = self.tokens + tokens
        changed.longest = self.longest - len(tokens)
        changed.shortest = max(self.shortest - len(tokens), 0)
        return changed

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
