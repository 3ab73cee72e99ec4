"""Continuing and scoring tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend, generator
from attend._texts import checked_tokens
from attend.ctranslate2._loaded import LoadedModel
from attend.ctranslate2._options import (
    GENERATION,
    SCORING,
    Batch,
    GenerationBatchOptions,
    ScoringOptions,
    named_options,
    token_limits,
    truncated,
    with_defaults,
)
from attend.ctranslate2._results import (
    AsyncResult,
    GenerationResult,
    GenerationStepResult,
    ScoringResult,
    computed,
)
from attend.ctranslate2._search import Found, Hearer, Search, in_batches, steps_of

if TYPE_CHECKING:
    from attend.ctranslate2._results import Logits
    from typing_extensions import Unpack

#: Prompts that are continued together unless max_batch_size says how many.
TOGETHER = 32


class Generator(LoadedModel, generator.Generator):
    """A language model of attend, with the calls of CTranslate2's Generator."""

    @overload
    def generate_batch(
        self, start_tokens: Batch, *,
        asynchronous: Literal[False] = False, **options: Unpack[GenerationBatchOptions],
    ) -> list[GenerationResult]: ...  # fmt: skip
    @overload
    def generate_batch(
        self, start_tokens: Batch, *,
        asynchronous: Literal[True], **options: Unpack[GenerationBatchOptions],
    ) -> list[AsyncResult[GenerationResult]]: ...  # fmt: skip

    def generate_batch(
        self,
        start_tokens: Batch,
        *,
        asynchronous: bool = False,
        **options: Unpack[GenerationBatchOptions],
    ) -> list[GenerationResult] | list[AsyncResult[GenerationResult]]:
        """Continues tokens to an end.

        For a model of lines, the token that begins a text is put before the tokens unless it is
        there. Those of a document stay as they are.

        Raises ConfigError for arguments that exclude each other, DataError for a token without an
        id and for a prompt that is longer than the context.
        """
        search = _Continuations(self._model, options)
        prompts = search.prompts(start_tokens, "start_tokens")
        return computed(len(prompts), asynchronous, lambda: search.answers(prompts))

    def generate_iterable(
        self,
        start_tokens: Iterable[Sequence[str]],
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[GenerationResult]:
        """``generate_batch`` of an iterable of any length, in bounded memory."""

        def compute(part: list[Sequence[str]]) -> list[GenerationResult]:
            search = _Continuations(self._model, options)
            return search.answers(search.prompts(part, "start_tokens"))

        return in_batches(start_tokens, max_batch_size, compute)

    def generate_tokens(
        self,
        prompt: Sequence[str],
        *,
        return_log_prob: bool = False,
        **options: Unpack[GenerationBatchOptions],
    ) -> Iterator[GenerationStepResult]:
        """The tokens of a continuation while they are written.

        The prompt is not repeated; the end of the line comes last. Closing the iterator ends the
        continuation. The options are those of ``generate_batch`` without beam search.
        """
        alone = {**options, "include_prompt_in_result": False, "return_scores": return_log_prob}
        prompts = _Continuations(self._model, alone).prompts([prompt], "prompt")
        return steps_of(
            lambda callback: _Continuations(
                self._model, alone | {"callback": callback}
            ).answers(prompts)
        )

    @overload
    def score_batch(
        self, tokens: Batch, *,
        asynchronous: Literal[False] = False, **options: Unpack[ScoringOptions],
    ) -> list[ScoringResult]: ...  # fmt: skip
    @overload
    def score_batch(
        self, tokens: Batch, *, asynchronous: Literal[True], **options: Unpack[ScoringOptions]
    ) -> list[AsyncResult[ScoringResult]]: ...

    def score_batch(
        self, tokens: Batch, *, asynchronous: bool = False, **options: Unpack[ScoringOptions]
    ) -> list[ScoringResult] | list[AsyncResult[ScoringResult]]:
        """The log-probability of each token but the first, given those before it.

        No special tokens are added. Raises DataError for a token without an id.
        """
        texts = truncated(tokens, with_defaults(options, SCORING)["max_input_length"], "tokens")

        def compute() -> list[ScoringResult]:
            return [ScoringResult(text[1:], self._model.score_tokens(text)) for text in texts]

        return computed(len(texts), asynchronous, compute)

    def score_iterable(
        self,
        tokens: Iterable[Sequence[str]],
        max_batch_size: int = 64,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[ScoringResult]:
        """``score_batch`` of an iterable of any length, in bounded memory."""

        def compute(part: list[Sequence[str]]) -> list[ScoringResult]:
            return self.score_batch(part, **options)

        return in_batches(tokens, max_batch_size, compute)


@dataclass
class _Prompt:
    """Tokens to continue, and what of them is repeated in the result."""

    number: int
    tokens: list[str]
    before: list[str]
    longest: int
    shortest: int
    begun: Found = field(default_factory=Found)  #: what the continuation begins with

    @property
    def first_step(self) -> int:
        return max(len(self.before) - 1, 0)


class _Continuations(Search[_Prompt, GenerationResult]):
    def __init__(self, model: _attend.Generator, given: Mapping[str, object]) -> None:
        super().__init__(model.tokenizer(), with_defaults(given, GENERATION))
        self._model = model
        size = self.options["max_batch_size"] if self.options["batch_type"] == "examples" else 0
        self.together = size or TOGETHER

    def prompts(self, batch: Iterable[Sequence[str]], name: str) -> list[_Prompt]:
        """``name`` is what errors call the batch."""
        texts = checked_tokens(batch, name)
        (static,) = checked_tokens([self.options["static_prompt"] or []], "static_prompt")
        longest, shortest = self.options["max_length"], self.options["min_length"]
        prompts = []
        for number, tokens in enumerate(texts):
            repeats = self.options["include_prompt_in_result"]
            before = tokens[: longest + 1] if repeats else []
            prompt = _Prompt(number, static + tokens, before, longest, shortest)
            prompt.longest -= prompt.first_step
            prompt.shortest = max(shortest - prompt.first_step, 0)
            prompts.append(prompt)
        return prompts

    def found(
        self, prompts: list[_Prompt], options: dict[str, Any], hearer: Hearer | None = None
    ) -> list[list[Found]]:
        count = options["num_hypotheses"]
        continued = iter(
            self._model.generate_tokens(
                [
                    (one.tokens, one.shortest, one.longest, one.number * count)
                    for one in prompts
                    if one.longest > 0
                ],
                token_limits(options, self.tokenizer),
                named_options(options, searches=options["beam_size"] > 1),
                hearer and self._listener(hearer),
            )
        )
        return [
            [self._found(one.begun, text) for text in next(continued)]
            if one.longest > 0
            else [Found()] * count  # there is no room
            for one in prompts
        ]

    def _found(self, begun: Found, text: _attend.Generation) -> Found:
        ids, scores = list(text.ids), list(text.token_scores)
        end = ids.pop() if text.complete else -1
        tokens = begun.tokens + [self.tokenizer.piece(id) for id in ids]
        return Found(tokens, begun.ids + ids, sum(scores), len(scores), end)

    def _listener(self, hearer: Hearer) -> Any:
        return lambda hypothesis, id, score, is_last: hearer.say(
            hypothesis, id, self.tokenizer.piece(id), score, is_last
        )

    def answer(self, prompt: _Prompt, found: list[Found]) -> GenerationResult:
        result = GenerationResult([], [])
        for one in found:
            end = [one.end] if one.end >= 0 and self.options["return_end_token"] else []
            before = [self.tokenizer.id(token) for token in prompt.before]
            result.sequences_ids.append(before + one.ids + end)
            ended = [self.tokenizer.piece(id) for id in end]
            result.sequences.append(prompt.before + one.tokens + ended)
            if self.options["return_scores"]:
                length = prompt.first_step + one.steps
                result.scores.append(self.score(one.log_probability, length))
            self.add_logits(result, prompt, one.tokens, one)
        return result

    def logits(self, prompt: _Prompt, tokens: list[str]) -> list[Logits]:
        return list(self._model.logits(prompt.tokens, tokens))

    def of_one_token(self, prompt: _Prompt) -> tuple[_Prompt, dict[str, Any]]:
        longest = min(prompt.longest, 1)
        return replace(prompt, longest=longest, shortest=min(prompt.shortest, longest)), {}

    def followed_by(self, prompt: _Prompt, found: Found) -> _Prompt | None:
        if found.end >= 0 or prompt.longest <= 1:
            return None
        return replace(
            prompt,
            tokens=prompt.tokens + found.tokens,
            longest=prompt.longest - len(found.tokens),
            shortest=max(prompt.shortest - len(found.tokens), 0),
            begun=found,
        )
