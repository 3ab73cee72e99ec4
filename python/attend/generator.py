"""Language models."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, overload

from attend import _attend
from attend._attend import Generation, SequenceScore
from attend._batches import (
    AsyncResult,
    GenerationResult,
    in_background,
    refuse_generation_options,
)
from attend._common import Model, given
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["GenerationOptions", "Generator"]


class GenerationOptions(TypedDict, total=False):
    """Keyword arguments of ``generate``: options of ``attend generate``, in snake_case."""

    #: most tokens to write
    max_tokens: int | None
    #: stop at the end of the line
    one_line: bool | None
    #: sampling: divides the logits
    temperature: float | None
    #: sampling: draw among so many tokens; 0: all
    top_k: int | None
    #: sampling: draw among the likeliest tokens that together have this probability
    top_p: float | None
    #: sampling: the random seed
    seed: int | None
    #: search for the most likely text with so many hypotheses, instead of sampling
    beam_size: int | None
    #: search: scores are log-probabilities divided by length ** length_penalty
    length_penalty: float | None
    #: divides the logits of tokens in the context; 1: off
    repetition_penalty: float | None
    #: tokens that the model sees; 0: as in training
    context: int | None


class Generator(Model):
    """A trained language model. Several threads may use one object at once."""

    def __init__(self, path: str | os.PathLike[str], *, threads: int | None = None) -> None:
        """Reads a model file, or the one in the folder of a training run.

        Raises IoError, or DataError for a damaged file or another kind of model.
        """
        super().__init__(path, threads)
        self._model = _attend.Generator(self._path, threads or 0)

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self._model.tokenizer())

    def generate(self, prompt: str = "", **options: Unpack[GenerationOptions]) -> Generation:
        """Continues ``prompt``, whose lines end with a line break, from its last character.

        ``options``: see GenerationOptions. The result is a function of the model, the prompt and
        the options.

        Raises ConfigError for a wrong option, DataError for a prompt that is longer than the
        context.
        """
        return self._model.generate(prompt, given(**options))[0]

    def generate_best(
        self, prompt: str = "", *, n_best: int, **options: Unpack[GenerationOptions]
    ) -> list[Generation]:
        """``n_best`` continuations: different samples or, with ``beam_size``, the best ones found,
        best first."""
        return self._model.generate(prompt, given(n_best=n_best, **options))

    def stream(self, prompt: str = "", **options: Unpack[GenerationOptions]) -> Iterator[str]:
        """The text of ``generate`` while it is written, in whole characters.

        Closing the iterator ends the generation.
        """
        parts: queue.SimpleQueue[str | BaseException | None] = queue.SimpleQueue()
        closed = threading.Event()

        def accept(text: str) -> None:
            if closed.is_set():
                raise GeneratorExit
            parts.put(text)

        def write() -> None:
            try:
                self._model.stream(prompt, given(**options), accept)
                parts.put(None)
            except BaseException as error:
                parts.put(error)

        writer = threading.Thread(target=write, name="attend-stream", daemon=True)
        writer.start()
        try:
            while (part := parts.get()) is not None:
                if isinstance(part, BaseException):
                    raise part
                yield part
        finally:
            closed.set()
            writer.join()

    def generate_batch(
        self,
        start_tokens: Sequence[Sequence[str]],
        *,
        asynchronous: bool = False,
        beam_size: int = 1,
        num_hypotheses: int = 1,
        length_penalty: float = 1,
        repetition_penalty: float = 1,
        max_length: int = 512,
        sampling_topk: int = 1,
        sampling_topp: float = 1,
        sampling_temperature: float = 1,
        include_prompt_in_result: bool = True,
        return_scores: bool = False,
        return_end_token: bool = False,
        **others: Any,
    ) -> list[GenerationResult] | list[AsyncResult[GenerationResult]]:
        """Continues tokens to the end of the line, with the arguments and results of CTranslate2.

        Other arguments of CTranslate2 are accepted with the values that ask for nothing;
        ConfigError names the others.
        """
        refuse_generation_options(others)
        options: dict[str, Any] = {
            "max_tokens": max_length,
            "repetition_penalty": repetition_penalty,
            "n_best": num_hypotheses,
            "one_line": True,
        }
        if beam_size > 1:
            options |= {"beam_size": beam_size, "length_penalty": length_penalty}
        else:
            options |= {
                "top_k": sampling_topk,
                "top_p": sampling_topp,
                "temperature": sampling_temperature,
            }
        tokenizer = self.tokenizer
        special = {id for name, id in tokenizer.special_ids.items() if name != "unk"}

        def continuation(tokens: Sequence[str]) -> GenerationResult:
            prompt = [token for token in map(tokenizer.id, tokens) if token not in special]
            result = GenerationResult([], [])
            for one in self._model.generate(tokenizer.decode(prompt), options):
                ids, scores = list(one.ids), one.token_scores
                if one.complete and not return_end_token:
                    ids.pop()
                if include_prompt_in_result:
                    ids = prompt + ids
                result.sequences_ids.append(ids)
                result.sequences.append([tokenizer.piece(token) for token in ids])
                if return_scores:
                    result.scores.append(sum(scores) / max(len(scores), 1) ** length_penalty)
            return result

        def compute() -> list[GenerationResult]:
            return [continuation(tokens) for tokens in start_tokens]

        return in_background(len(start_tokens), compute) if asynchronous else compute()

    @overload
    def score(self, lines: str) -> SequenceScore: ...  # type: ignore[overload-overlap]
    @overload
    def score(self, lines: Iterable[str]) -> list[SequenceScore]: ...

    def score(self, lines: str | Iterable[str]) -> SequenceScore | list[SequenceScore]:
        """The log-probability of a line on its own, or of several."""
        if isinstance(lines, str):
            return self._model.score([lines])[0]
        return self._model.score(list(lines))

    def perplexity(self, lines: Sequence[str]) -> float:
        """The perplexity per token of lines that are read as one text."""
        return self._model.perplexity(list(lines))
