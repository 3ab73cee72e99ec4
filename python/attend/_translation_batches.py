"""Translating and scoring tokens: the methods of CTranslate2's Translator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend
from attend._attend import Translation
from attend._batches import (
    AsyncResult,
    ScoringResult,
    TokenPair,
    TranslationBatchOptions,
    TranslationResult,
    batch_score,
    computed,
    pairs_of_tokens,
    translation_batch_options,
    truncated,
)
from attend._common import Model

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

        Raises ConfigError for arguments that attend does not have, DataError for a token without
        an id and for a sentence or a prefix that is too long.
        """
        all_options = translation_batch_options(options)
        sources = truncated(source, all_options["max_input_length"], "source")
        pairs = pairs_of_tokens(sources, target_prefix or [None] * len(sources), self._languages())

        def compute() -> list[TranslationResult]:
            translations = self._translate_tokens(pairs, _search_options(all_options))
            return [
                self._result(pair, translation, all_options)
                for pair, translation in zip(pairs, translations, strict=True)
            ]

        return computed(len(pairs), asynchronous, compute)

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
        self, pair: TokenPair, translation: Translation, options: dict[str, Any]
    ) -> TranslationResult:
        result = TranslationResult([])
        end = [self._end_token()] if options["return_end_token"] else []
        for candidate in translation.candidates:
            length = len(pair.language) + len(candidate.token_scores)
            has_ended = len(candidate.token_scores) > len(candidate.tokens)
            result.hypotheses.append(
                pair.language + candidate.tokens + (end if has_ended else [])
            )
            result.scores.append(
                batch_score(candidate.log_probability, length, options["length_penalty"])
            )
        order = sorted(range(len(result.scores)), key=lambda index: -result.scores[index])
        result.hypotheses = [result.hypotheses[index] for index in order]
        result.scores = [result.scores[index] for index in order]
        if not options["return_scores"]:
            result.scores = []
        if options["return_attention"]:
            result.attention = [self._attention(pair, tokens) for tokens in result.hypotheses]
        return result

    def _end_token(self) -> str:
        tokenizer = self._model.target_tokenizer()
        return tokenizer.piece(tokenizer.special_ids()["eos"])

    def _attention(self, pair: TokenPair, target: list[str]) -> list[list[float]]:
        """The mean over the heads of the last layer: a row for each token."""
        if not target:
            return []
        tokens = target[:-1] if target[-1] == self._end_token() else target
        layers = self._model.cross_attention(pair.source, tokens, pair.options)
        weights: list[list[float]] = layers[-1].mean(axis=0)[: len(target)].tolist()
        return weights

    def _translate_tokens(
        self, pairs: list[TokenPair], options: dict[str, Any]
    ) -> list[Translation]:
        # One call for each pair of languages.
        calls: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for index, pair in enumerate(pairs):
            calls.setdefault(tuple(pair.options.items()), []).append(index)
        found: dict[int, Translation] = {}
        for languages, indices in calls.items():
            sources = [pairs[index].source for index in indices]
            prefixes = [pairs[index].prefix for index in indices]
            answers = self._model.translate_tokens(sources, prefixes, options | dict(languages))
            found.update(zip(indices, answers, strict=True))
        return [found[index] for index in range(len(pairs))]


def _search_options(options: dict[str, Any]) -> dict[str, Any]:
    """By the names of the command line."""
    named = {"max_length": options["max_decoding_length"], "n_best": options["num_hypotheses"]}
    if options["sampling_topk"] == 1:
        return named | {
            "beam_size": options["beam_size"],
            "length_penalty": options["length_penalty"],
            "no_repeat_ngram": options["no_repeat_ngram_size"],
            "min_length": options["min_decoding_length"],
        }
    return named | {
        "sample": True,
        "top_k": options["sampling_topk"],
        "top_p": options["sampling_topp"],
        "temperature": options["sampling_temperature"],
    }
