"""What translating and continuing tokens have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from attend._common import in_background
from attend.ctranslate2._options import Callback, most_hypotheses
from attend.ctranslate2._results import GenerationResult, GenerationStepResult, TranslationResult

if TYPE_CHECKING:
    from attend import _attend
    from attend.ctranslate2._results import Logits

Result = TypeVar("Result")
Prompt = TypeVar("Prompt", bound="AnyPrompt")
Answer = TypeVar("Answer", TranslationResult, GenerationResult)


class AnyPrompt(Protocol):
    number: int  #: in the batch

    @property
    def first_step(self) -> int:
        """The number of the first token that a callback hears of."""


@dataclass
class Found:
    """A translation or a continuation."""

    tokens: list[str] = field(default_factory=list)  #: with those it begins with, without its end
    ids: list[int] = field(default_factory=list)  #: of the tokens of a continuation
    log_probability: float = 0.0
    steps: int = 0  #: tokens that the search has written, with the end
    end: int = -1  #: the token that ended it; -1: none


class Stopped(Exception):
    """A callback has ended a result."""


class Hearer:
    """Tells a callback of every token, until it says that they are enough."""

    def __init__(self, options: dict[str, Any], prompt: AnyPrompt) -> None:
        self.written: list[list[GenerationStepResult]] = [
            [] for _ in range(options["num_hypotheses"])
        ]
        self._scores: list[list[float]] = [[] for _ in self.written]
        self._prompt = prompt
        self._callback = options["callback"]
        self._with_scores = options["return_scores"]

    def say(self, hypothesis: int, id: int, token: str, score: float, is_last: bool) -> None:
        written = self.written[hypothesis]
        number = self._prompt.first_step + len(written)
        log_prob = score if self._with_scores else None
        step = GenerationStepResult(
            number, self._prompt.number, id, hypothesis, token, log_prob, is_last
        )
        written.append(step)
        self._scores[hypothesis].append(score)
        if self._callback(step) and not is_last:
            raise Stopped

    def found(self) -> list[Found]:
        """What there is of a result that the callback has ended."""
        return [
            Found(
                [one.token for one in steps],
                [one.token_id for one in steps],
                sum(scores),
                len(steps),
            )
            for steps, scores in zip(self.written, self._scores, strict=True)
        ]


class Search(Generic[Prompt, Answer]):
    """A call of ``translate_batch`` or ``generate_batch``."""

    #: Prompts that the model is given together.
    together = 1 << 30

    def __init__(self, tokenizer: _attend.Tokenizer, options: dict[str, Any]) -> None:
        self.tokenizer = tokenizer
        self.options = options

    def answers(self, prompts: list[Prompt]) -> list[Answer]:
        """The result of each prompt."""
        if self.options["return_alternatives"]:
            return [self._alternatives(prompt) for prompt in prompts]
        if self.options["callback"]:
            return [self.answer(prompt, self._heard(prompt)) for prompt in prompts]

        def together(part: list[Prompt]) -> list[Answer]:
            return [self.answer(*one) for one in zip(part, self.found(part, self.options))]

        return list(in_batches(prompts, self.together, together))

    def found(
        self, prompts: list[Prompt], options: dict[str, Any], hearer: Hearer | None = None
    ) -> list[list[Found]]:
        """What the model writes after each prompt, best first."""
        raise NotImplementedError

    def answer(self, prompt: Prompt, found: list[Found]) -> Answer:
        raise NotImplementedError

    def of_one_token(self, prompt: Prompt) -> tuple[Prompt, dict[str, Any]]:
        """A prompt and options for a single token more."""
        raise NotImplementedError

    def followed_by(self, prompt: Prompt, found: Found) -> Prompt | None:
        """A prompt for the rest of what has been found; None: it has ended, or must end."""
        raise NotImplementedError

    def logits(self, prompt: Prompt, tokens: list[str]) -> list[Logits]:
        """Those of the tokens after a prompt, and of the one after them."""
        raise NotImplementedError

    def score(self, log_probability: float, length: int) -> float:
        """As CTranslate2 has it. The length is that of the result, with its end."""
        divisor: float = max(length, 1) ** self.options["length_penalty"]
        return log_probability / divisor

    def add_logits(self, answer: Answer, prompt: Prompt, tokens: list[str], found: Found) -> None:
        """Those of these tokens and the end, if they are asked for."""
        if self.options["return_logits_vocab"]:
            length = len(tokens) + (found.end >= 0)
            answer.logits.append(self.logits(prompt, tokens)[:length] if length else [])

    def _heard(self, prompt: Prompt) -> list[Found]:
        hearer = Hearer(self.options, prompt)
        try:
            return self.found([prompt], self.options, hearer)[0]
        except Stopped:
            return hearer.found()

    def _alternatives(self, prompt: Prompt) -> Answer:
        """The likeliest tokens after the prompt, each with the best result that it begins."""
        options, least = self.options, self.options["min_alternative_expansion_prob"]
        single, limits = self.of_one_token(prompt)
        beam = {"beam_size": options["num_hypotheses"], "patience": 1.0, "sampling_topk": 1}
        (expansion,) = self.found([single], options | beam | limits)
        begun = [one for one in expansion if math.exp(one.log_probability) >= least]
        longer = [self.followed_by(prompt, one) for one in begun]
        to_end = [one for one in longer if one is not None]
        rests = iter(self.found(to_end, options | {"num_hypotheses": most_hypotheses(options)}))

        def score_of_rest(one: Found) -> float:
            return self.score(one.log_probability, one.steps) if one.steps > 0 else 0.0

        answers, scores = [], []
        for first, rest in zip(begun, longer, strict=True):
            whole, score = first, first.log_probability
            if rest is not None:
                whole = max(next(rests), key=score_of_rest)
                score += score_of_rest(whole)
            answers.append(self.answer(prompt, [whole]))
            scores.append(score)
        joined = self.answer(prompt, [])
        for name, values in vars(joined).items():
            values += [value for one in answers for value in getattr(one, name)]
        if options["return_scores"]:
            joined.scores = scores
        return joined


def steps_of(answer: Callable[[Callback], object]) -> Iterator[GenerationStepResult]:
    """What a callback hears while a thread answers."""

    def write(accept: Callable[[GenerationStepResult], None]) -> None:
        def callback(step: GenerationStepResult) -> bool:
            accept(step)
            return False

        answer(callback)

    return in_background(write)


def in_batches(
    examples: Iterable[Any], size: int, compute: Callable[[list[Any]], list[Result]]
) -> Iterator[Result]:
    """The results of an iterable of any length, one batch at a time."""
    iterator = iter(examples)
    while part := list(islice(iterator, size)):
        yield from compute(part)
