"""Translating and scoring tokens: the methods of CTranslate2's Translator."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend
from attend._attend import Translation, TranslationCandidate
from attend._batches import (
    AsyncResult,
    GenerationStepResult,
    ScoringResult,
    Stopped,
    TokenPair,
    TranslationBatchOptions,
    TranslationResult,
    batch_score,
    computed,
    most_hypotheses,
    pairs_of_tokens,
    score_of_rest,
    token_limits,
    translation_batch_options,
    truncated,
)
from attend._common import Model, in_background

if TYPE_CHECKING:
    from typing_extensions import Unpack

Batch = Sequence[Sequence[str]]


class TranslationBatches(Model):
    """What Translator does with tokens."""

    _model: _attend.Translator

    @overload
    def translate_batch(
        self,
        source: Batch,
        target_prefix: Sequence[Sequence[str] | None] | None = None,
        *,
        asynchronous: Literal[False] = False,
        **options: Unpack[TranslationBatchOptions],
    ) -> list[TranslationResult]: ...
    @overload
    def translate_batch(
        self,
        source: Batch,
        target_prefix: Sequence[Sequence[str] | None] | None = None,
        *,
        asynchronous: Literal[True],
        **options: Unpack[TranslationBatchOptions],
    ) -> list[AsyncResult[TranslationResult]]: ...

    def translate_batch(
        self,
        source: Batch,
        target_prefix: Sequence[Sequence[str] | None] | None = None,
        *,
        asynchronous: bool = False,
        **options: Unpack[TranslationBatchOptions],
    ) -> list[TranslationResult] | list[AsyncResult[TranslationResult]]:
        """Translates tokens, with the arguments and results of CTranslate2.

        Special tokens around the source may be there or not. ``target_prefix`` has the tokens
        that each translation begins with; for a model of several languages the first one may be
        that of the language.

        Raises ConfigError for arguments that exclude each other, DataError for a token without an
        id and for a sentence or a prefix that is too long.
        """
        all_options = translation_batch_options(options)
        sources = truncated(source, all_options["max_input_length"], "source")
        pairs = pairs_of_tokens(sources, target_prefix or [None] * len(sources), self._languages())

        def compute() -> list[TranslationResult]:
            if all_options["return_alternatives"]:
                return [self._alternatives(pair, all_options) for pair in pairs]
            if all_options["callback"]:
                return [self._heard(pair, n, all_options) for n, pair in enumerate(pairs)]
            translations = self._translate_tokens(pairs, all_options)
            return [
                self._result(pair, translation.candidates, all_options)
                for pair, translation in zip(pairs, translations, strict=True)
            ]

        return computed(len(pairs), asynchronous, compute)

    def generate_tokens(
        self,
        source: Sequence[str],
        target_prefix: Sequence[str] | None = None,
        *,
        return_log_prob: bool = False,
        **options: Unpack[TranslationBatchOptions],
    ) -> Iterator[GenerationStepResult]:
        """The tokens of a translation by greedy search while they are written, as CTranslate2
        yields them.

        The tokens of ``target_prefix`` come first, the end of the sentence last. Closing the
        iterator ends the translation. The options are those of ``translate_batch``.
        """
        all_options: TranslationBatchOptions = {"beam_size": 1, **options}
        all_options["return_scores"] = return_log_prob

        def write(accept: Callable[[GenerationStepResult], None]) -> None:
            def callback(step: GenerationStepResult) -> bool:
                accept(step)
                return False

            all_options["callback"] = callback
            self.translate_batch([source], [target_prefix], **all_options)

        return in_background(write)

    @overload
    def score_batch(
        self,
        source: Batch,
        target: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        asynchronous: Literal[False] = False,
    ) -> list[ScoringResult]: ...
    @overload
    def score_batch(
        self,
        source: Batch,
        target: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        asynchronous: Literal[True],
    ) -> list[AsyncResult[ScoringResult]]: ...

    def score_batch(
        self,
        source: Batch,
        target: Batch,
        *,
        max_batch_size: int = 0,
        batch_type: str = "examples",
        max_input_length: int = 1024,
        offset: int = 0,
        asynchronous: bool = False,
    ) -> list[ScoringResult] | list[AsyncResult[ScoringResult]]:
        """The log-probabilities of target tokens and their end, with the arguments and results of
        CTranslate2.

        ``offset``: so many of the first ones are left out. The token of a language before the
        target is no part of the result. Raises as ``translate_batch`` does.
        """
        pairs = pairs_of_tokens(
            truncated(source, max_input_length, "source"),
            truncated(target, max_input_length, "target"),
            self._languages(),
        )

        def compute() -> list[ScoringResult]:
            results = []
            for pair in pairs:
                tokens, scores = self._model.score_tokens(pair.source, pair.prefix, pair.options)
                results.append(ScoringResult(tokens[offset:], scores[offset:]))
            return results

        return computed(len(pairs), asynchronous, compute)

    def _languages(self) -> list[str]:
        return self._model.languages()

    def _result(
        self,
        pair: TokenPair,
        candidates: Sequence[TranslationCandidate | _Written],
        options: dict[str, Any],
    ) -> TranslationResult:
        found = [self._hypothesis(pair, one, options) for one in candidates]
        found.sort(key=lambda one: -one.score)
        result = TranslationResult([])
        for one in found[: options["num_hypotheses"]]:
            result.hypotheses.append(self._written(one, options))
            if options["return_scores"]:
                result.scores.append(one.score)
            if options["return_attention"]:
                result.attention.append(one.attention[: len(result.hypotheses[-1])])
            if options["return_logits_vocab"]:
                written = one.tokens[len(pair.language) :]
                logits = self._model.logits(pair.source, written, pair.options)
                result.logits.append(list(logits[: len(written) + len(one.end)]))
        return result

    def _alternatives(self, pair: TokenPair, options: dict[str, Any]) -> TranslationResult:
        """The likeliest tokens after the prefix, each with the best translation that it begins."""
        length, count = len(pair.prefix) + 1, options["num_hypotheses"]
        one_token = {
            "beam_size": count, "patience": 1.0, "sampling_topk": 1, "coverage_penalty": 0.0,
            "min_decoding_length": length, "max_decoding_length": length,
        }  # fmt: skip
        (expansion,) = self._translate_tokens([pair], options | one_token)
        least = options["min_alternative_expansion_prob"]
        begun = [one for one in expansion.candidates if math.exp(one.log_probability) >= least]
        ended = [[one] for one in begun]
        if length < options["max_decoding_length"]:
            longer = [replace(pair, prefix=one.tokens) for one in begun]
            all_found = options | {"num_hypotheses": most_hypotheses(options)}
            ended = [one.candidates for one in self._translate_tokens(longer, all_found)]

        def score_after(one: TranslationCandidate) -> float:
            rest = len(one.token_scores) - length
            return score_of_rest(one.log_probability, rest, options["length_penalty"])

        result = TranslationResult([])
        for first, found in zip(begun, ended, strict=True):
            best = max(found, key=score_after)
            one = self._result(pair, [best], options)
            result.hypotheses += one.hypotheses
            result.attention += one.attention
            result.logits += one.logits
            if options["return_scores"]:
                result.scores.append(first.log_probability + score_after(best))
        return result

    def _heard(self, pair: TokenPair, number: int, options: dict[str, Any]) -> TranslationResult:
        """A translation of which a callback hears every token, until it ends the translation."""
        hearer = _Hearer(self._model.target_tokenizer(), pair, number, options)
        try:
            (found,) = self._translate_tokens([pair], options, hearer.accept)
        except Stopped:
            return self._result(pair, [hearer.written], options)
        return self._result(pair, found.candidates, options)

    def _hypothesis(
        self, pair: TokenPair, candidate: TranslationCandidate | _Written, options: dict[str, Any]
    ) -> _Hypothesis:
        tokenizer = self._model.target_tokenizer()
        end = [tokenizer.piece(candidate.end)] if candidate.end >= 0 else []
        one = _Hypothesis(pair.language + candidate.tokens, end)
        length = len(one.tokens) + len(end)
        one.score = batch_score(candidate.log_probability, length, options["length_penalty"])
        if any(options[name] for name in _WITH_ATTENTION) and length > 0:
            layers, one.source = self._model.cross_attention(
                pair.source, one.tokens, pair.options
            )
            one.attention = layers[-1].mean(axis=0)[:length].tolist()
            one.given = set(pair.source)
        if options["coverage_penalty"]:
            one.score += options["coverage_penalty"] * one.coverage()
        return one

    def _written(self, one: _Hypothesis, options: dict[str, Any]) -> list[str]:
        tokens = one.tokens + (one.end if options["return_end_token"] else [])
        if not options["replace_unknowns"]:
            return tokens
        tokenizer = self._model.target_tokenizer()
        unknown = tokenizer.piece(tokenizer.special_ids()["unk"])
        return [
            one.most_attended(place) if token == unknown else token
            for place, token in enumerate(tokens)
        ]

    def _translate_tokens(
        self,
        pairs: list[TokenPair],
        all_options: dict[str, Any],
        listener: Callable[..., None] | None = None,
    ) -> list[Translation]:
        options = _search_options(all_options)
        limits = token_limits(all_options, self._model.target_tokenizer())
        # One call for each pair of languages.
        calls: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for index, pair in enumerate(pairs):
            calls.setdefault(tuple(pair.options.items()), []).append(index)
        found: dict[int, Translation] = {}
        for languages, indices in calls.items():
            sources = [pairs[index].source for index in indices]
            prefixes = [pairs[index].prefix for index in indices]
            answers = self._model.translate_tokens(
                sources, prefixes, limits, options | dict(languages), listener
            )
            found.update(zip(indices, answers, strict=True))
        return [found[index] for index in range(len(pairs))]


@dataclass
class _Written:
    """What there is of a translation that a callback has ended."""

    tokens: list[str] = field(default_factory=list)  #: without that of the language
    log_probability: float = 0
    end: int = -1


class _Hearer:
    """Tells a callback of every token of a search with one hypothesis."""

    def __init__(
        self, tokenizer: _attend.Tokenizer, pair: TokenPair, number: int, options: dict[str, Any]
    ) -> None:
        self.written = _Written()
        self._tokenizer = tokenizer
        self._pair = pair
        self._number = number
        self._callback = options["callback"]
        self._with_scores = options["return_scores"]
        self._steps = 0

    def accept(self, _: int, __: int, candidates: list[tuple[Any, ...]]) -> None:
        """A step of the search: what it chose is the first candidate that was not pruned."""
        if self._steps == 0:
            for token in self._pair.language:
                self._say(self._tokenizer.id(token), token, 0.0, False)
            for token in self._pair.prefix:
                self.written.tokens.append(token)
                self._say(self._tokenizer.id(token), token, 0.0, False)
        chosen = next(one for one in candidates if one[-1] != "pruned")
        _, id, token, score, *_rest, fate = chosen
        self.written.log_probability += score
        if fate == "ended":
            self.written.end = id
        else:
            self.written.tokens.append(token)
        self._say(id, token, score, fate != "kept")

    def _say(self, id: int, token: str, score: float, is_last: bool) -> None:
        log_prob = score if self._with_scores else None
        step = GenerationStepResult(self._steps, self._number, id, 0, token, log_prob, is_last)
        self._steps += 1
        if self._callback(step) and not is_last:
            raise Stopped


@dataclass
class _Hypothesis:
    """A translation with what its score and its tokens depend on."""

    tokens: list[str]
    end: list[str]  #: the token that ended it, or nothing
    score: float = 0
    attention: list[list[float]] = field(default_factory=list)  #: a row for each token, and the end
    source: list[str] = field(default_factory=list)  #: the tokens of the columns
    given: set[str] = field(default_factory=set)  #: the others of the source were added

    def coverage(self) -> float:
        """Logarithms of what the source tokens have of attention, up to 1 (Wu et al. 2016)."""
        covered = [sum(column) for column in zip(*self.attention, strict=True)]
        return sum(math.log(min(share, 1.0)) for share in covered if share > 0)

    def most_attended(self, place: int) -> str:
        weights = self.attention[place]
        columns = [column for column, token in enumerate(self.source) if token in self.given]
        return self.source[max(columns, key=lambda column: weights[column])]


#: Options that need the attention of each translation.
_WITH_ATTENTION = ("return_attention", "coverage_penalty", "replace_unknowns")


def _search_options(options: dict[str, Any]) -> dict[str, Any]:
    """By the names of the command line."""
    named = {
        "max_length": options["max_decoding_length"],
        "min_length": options["min_decoding_length"],
        "no_repeat_ngram": options["no_repeat_ngram_size"],
        "repetition_penalty": options["repetition_penalty"],
        "forbid_unknown": options["disable_unk"],
        "n_best": options["num_hypotheses"],
    }
    if options["prefix_bias_beta"] > 0:
        named["prefix_weight"] = options["prefix_bias_beta"]
    if options["sampling_topk"] == 1:
        if options["coverage_penalty"]:  # it may prefer any of those that are found
            named["n_best"] = max(options["num_hypotheses"], most_hypotheses(options))
        return named | {
            "beam_size": options["beam_size"],
            "patience": options["patience"] if options["beam_size"] > 1 else 1.0,
            "length_penalty": options["length_penalty"],
        }
    return named | {
        "sample": True,
        "top_k": options["sampling_topk"],
        "top_p": options["sampling_topp"],
        "temperature": options["sampling_temperature"],
    }
