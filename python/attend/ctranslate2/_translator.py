"""Translating and scoring tokens."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend, translator
from attend._errors import ConfigError
from attend._texts import checked_tokens
from attend.ctranslate2._loaded import LoadedModel
from attend.ctranslate2._options import (
    PAIR_SCORING,
    TRANSLATION,
    Batch,
    PairScoringOptions,
    TranslationBatchOptions,
    most_hypotheses,
    named_options,
    token_limits,
    truncated,
    with_defaults,
)
from attend.ctranslate2._results import (
    AsyncResult,
    GenerationStepResult,
    ScoringResult,
    TranslationResult,
    computed,
)
from attend.ctranslate2._search import Found, Hearer, Search, in_batches, steps_of

if TYPE_CHECKING:
    from attend.ctranslate2._results import Logits
    from typing_extensions import Unpack

Prefix = Sequence[str] | None
Prefixes = Sequence[Prefix] | None


class Translator(LoadedModel, translator.Translator):
    """A translator of attend, with the calls of CTranslate2's Translator."""

    @overload
    def translate_batch(
        self, source: Batch, target_prefix: Prefixes = None, *,
        asynchronous: Literal[False] = False, **options: Unpack[TranslationBatchOptions],
    ) -> list[TranslationResult]: ...  # fmt: skip
    @overload
    def translate_batch(
        self, source: Batch, target_prefix: Prefixes = None, *,
        asynchronous: Literal[True], **options: Unpack[TranslationBatchOptions],
    ) -> list[AsyncResult[TranslationResult]]: ...  # fmt: skip

    def translate_batch(
        self,
        source: Batch,
        target_prefix: Prefixes = None,
        *,
        asynchronous: bool = False,
        **options: Unpack[TranslationBatchOptions],
    ) -> list[TranslationResult] | list[AsyncResult[TranslationResult]]:
        """Translates tokens.

        Special tokens around the source may be there or not. ``target_prefix`` has the tokens
        that each translation begins with; for a model of several languages the first one may be
        that of the language.

        Raises ConfigError for arguments that exclude each other, DataError for a token without an
        id and for a sentence or a prefix that is too long.
        """
        search = _Translations(self._model, options)
        pairs = search.pairs(source, target_prefix)
        return computed(len(pairs), asynchronous, lambda: search.answers(pairs))

    def translate_iterable(  # type: ignore[override]
        self,
        source: Iterable[Sequence[str]],
        target_prefix: Iterable[Prefix] | None = None,
        max_batch_size: int = 32,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[TranslationResult]:
        """``translate_batch`` of an iterable of any length, in bounded memory."""

        def compute(part: list[tuple[Sequence[str], Prefix]]) -> list[TranslationResult]:
            sources, prefixes = zip(*part)
            return self.translate_batch(sources, prefixes, **options)

        prefixes: Iterable[Prefix] = repeat(None) if target_prefix is None else target_prefix
        pairs = zip(source, prefixes, strict=target_prefix is not None)
        return in_batches(pairs, max_batch_size, compute)

    def generate_tokens(
        self,
        source: Sequence[str],
        target_prefix: Prefix = None,
        *,
        return_log_prob: bool = False,
        **options: Unpack[TranslationBatchOptions],
    ) -> Iterator[GenerationStepResult]:
        """The tokens of a translation by greedy search while they are written.

        The tokens of ``target_prefix`` come first, the end of the sentence last. Closing the
        iterator ends the translation. The options are those of ``translate_batch``.
        """
        greedy = {"beam_size": 1, **options, "return_scores": return_log_prob}
        pairs = _Translations(self._model, greedy).pairs([source], [target_prefix])
        return steps_of(
            lambda callback: _Translations(
                self._model, greedy | {"callback": callback}
            ).answers(pairs)
        )

    @overload
    def score_batch(
        self, source: Batch, target: Batch, *,
        asynchronous: Literal[False] = False, **options: Unpack[PairScoringOptions],
    ) -> list[ScoringResult]: ...  # fmt: skip
    @overload
    def score_batch(
        self, source: Batch, target: Batch, *,
        asynchronous: Literal[True], **options: Unpack[PairScoringOptions],
    ) -> list[AsyncResult[ScoringResult]]: ...  # fmt: skip

    def score_batch(
        self,
        source: Batch,
        target: Batch,
        *,
        asynchronous: bool = False,
        **options: Unpack[PairScoringOptions],
    ) -> list[ScoringResult] | list[AsyncResult[ScoringResult]]:
        """The log-probabilities of target tokens and their end.

        ``offset``: so many of the first ones are left out. The token of a language before the
        target is no part of the result. Raises as ``translate_batch`` does.
        """
        all_options = with_defaults(options, PAIR_SCORING)
        longest, offset = all_options["max_input_length"], all_options["offset"]
        pairs = _pairs(
            truncated(source, longest, "source"),
            truncated(target, longest, "target"),
            self._model.languages(),
        )

        def compute() -> list[ScoringResult]:
            results = []
            for pair in pairs:
                tokens, scores = self._model.score_tokens(pair.source, pair.prefix, pair.options)
                results.append(ScoringResult(tokens[offset:], scores[offset:]))
            return results

        return computed(len(pairs), asynchronous, compute)

    def score_iterable(
        self,
        source: Iterable[Sequence[str]],
        target: Iterable[Sequence[str]],
        max_batch_size: int = 64,
        batch_type: str = "examples",
        **options: Any,
    ) -> Iterator[ScoringResult]:
        """``score_batch`` of iterables of any length, in bounded memory."""

        def compute(part: list[tuple[Sequence[str], Sequence[str]]]) -> list[ScoringResult]:
            sources, targets = zip(*part)
            return self.score_batch(sources, targets, **options)

        return in_batches(zip(source, target, strict=True), max_batch_size, compute)


@dataclass
class _Pair:
    """The tokens of a sentence and those that its translation begins with."""

    number: int
    source: list[str]
    prefix: list[str]
    language: list[str]  #: the token of the language before the prefix, or nothing
    options: dict[str, str]  #: the languages that the tokens ask for
    @property
    def first_step(self) -> int:
        return 0


def _pairs(
    sources: list[list[str]], targets: Sequence[Prefix], languages: list[str]
) -> list[_Pair]:
    """Sources with what their translations begin with.

    Models of several languages have a token for each: it begins the source, and the target.
    """
    if len(targets) != len(sources):
        raise ConfigError(f"target_prefix: expected {len(sources)} prefixes, got {len(targets)}")
    by_token = {token: name for name in languages for token in (name, f"__{name}__")}
    pairs: list[_Pair] = []
    prefixes = checked_tokens((given or [] for given in targets), "target_prefix")
    for source, prefix in zip(sources, prefixes, strict=True):
        pair = _Pair(len(pairs), source, prefix, [], {})
        if source and source[0] in by_token:
            pair.options["src_lang"] = by_token[source[0]]
        if pair.prefix and pair.prefix[0] in by_token:
            pair.options["tgt_lang"] = by_token[pair.prefix[0]]
            pair.language, pair.prefix = pair.prefix[:1], pair.prefix[1:]
        pairs.append(pair)
    return pairs


@dataclass
class _Hypothesis:
    """A translation with what its score and its tokens depend on."""

    found: Found
    score: float
    attention: list[list[float]] = field(default_factory=list)  #: a row for each token, and the end
    source: list[str] = field(default_factory=list)  #: the tokens of the columns

    def coverage(self) -> float:
        """Logarithms of what the source tokens have of attention, up to 1 (Wu et al. 2016)."""
        covered = [sum(column) for column in zip(*self.attention, strict=True)]
        return sum(math.log(min(share, 1.0)) for share in covered if share > 0)

    def most_attended(self, place: int, given: list[str]) -> str:
        """Of the given tokens: others of the source were added."""
        weights = self.attention[place]
        columns = [column for column, token in enumerate(self.source) if token in given]
        return self.source[max(columns, key=lambda column: weights[column])]


#: Options that need the attention of each translation.
_WITH_ATTENTION = ("return_attention", "coverage_penalty", "replace_unknowns")


class _Translations(Search[_Pair, TranslationResult]):
    def __init__(self, model: _attend.Translator, given: Mapping[str, object]) -> None:
        super().__init__(model.target_tokenizer(), with_defaults(given, TRANSLATION))
        self._model = model
        greedy = self.options["beam_size"] == 1 and self.options["sampling_topk"] == 1
        if self.options["callback"] and not (greedy and self.options["prefix_bias_beta"] == 0):
            raise ConfigError(
                "callback: expected greedy search: beam_size=1, without prefix_bias_beta"
            )

    def pairs(self, source: Batch, target_prefix: Prefixes) -> list[_Pair]:
        sources = truncated(source, self.options["max_input_length"], "source")
        return _pairs(sources, target_prefix or [None] * len(sources), self._model.languages())

    def found(
        self, prompts: list[_Pair], options: dict[str, Any], hearer: Hearer | None = None
    ) -> list[list[Found]]:
        named = _named(options)
        limits = token_limits(options, self.tokenizer)
        # One call for each pair of languages.
        calls: dict[tuple[tuple[str, str], ...], list[int]] = {}
        for index, pair in enumerate(prompts):
            calls.setdefault(tuple(pair.options.items()), []).append(index)
        found: dict[int, list[Found]] = {}
        for languages, indices in calls.items():
            pairs = [prompts[index] for index in indices]
            translations = self._model.translate_tokens(
                [pair.source for pair in pairs],
                [pair.prefix for pair in pairs],
                limits,
                named | dict(languages),
                hearer and self._listener(pairs[0], hearer),
            )
            for index, pair, one in zip(indices, pairs, translations, strict=True):
                found[index] = [_found(pair, candidate) for candidate in one.candidates]
        return [found[index] for index in range(len(prompts))]

    def _listener(self, pair: _Pair, hearer: Hearer) -> Any:
        """Hears of the steps of a search: what it chose is the first candidate that it kept."""

        def listen(_: int, __: int, candidates: list[tuple[Any, ...]]) -> None:
            if not hearer.written[0]:
                for token in pair.language + pair.prefix:
                    hearer.say(0, self.tokenizer.id(token), token, 0.0, False)
            chosen = next(one for one in candidates if one[-1] != "pruned")
            _, id, token, score, *_rest, fate = chosen
            hearer.say(0, id, token, score, fate != "kept")

        return listen

    def answer(self, prompt: _Pair, found: list[Found]) -> TranslationResult:
        ranked = sorted(
            (self._hypothesis(prompt, one) for one in found), key=lambda one: -one.score
        )
        result = TranslationResult([])
        for one in ranked[: self.options["num_hypotheses"]]:
            result.hypotheses.append(self._written(prompt, one))
            if self.options["return_scores"]:
                result.scores.append(one.score)
            if self.options["return_attention"]:
                result.attention.append(one.attention[: len(result.hypotheses[-1])])
            tokens = one.found.tokens[len(prompt.language) :]
            self.add_logits(result, prompt, tokens, one.found)
        return result

    def _hypothesis(self, pair: _Pair, found: Found) -> _Hypothesis:
        length = len(found.tokens) + (found.end >= 0)
        one = _Hypothesis(found, self.score(found.log_probability, length))
        if any(self.options[name] for name in _WITH_ATTENTION) and length > 0:
            layers, one.source = self._model.cross_attention(
                pair.source, found.tokens, pair.options
            )
            one.attention = layers[-1].mean(axis=0)[:length].tolist()
        if self.options["coverage_penalty"]:
            one.score += self.options["coverage_penalty"] * one.coverage()
        return one

    def _written(self, pair: _Pair, one: _Hypothesis) -> list[str]:
        tokens = one.found.tokens
        if self.options["return_end_token"] and one.found.end >= 0:
            tokens = [*tokens, self.tokenizer.piece(one.found.end)]
        if not self.options["replace_unknowns"]:
            return tokens
        unknown = self.tokenizer.piece(self.tokenizer.special_ids()["unk"])
        return [
            one.most_attended(place, pair.source) if token == unknown else token
            for place, token in enumerate(tokens)
        ]

    def logits(self, prompt: _Pair, tokens: list[str]) -> list[Logits]:
        return list(self._model.logits(prompt.source, tokens, prompt.options))

    def of_one_token(self, prompt: _Pair) -> tuple[_Pair, dict[str, Any]]:
        length = len(prompt.prefix) + 1
        limits = {"min_decoding_length": length, "max_decoding_length": length}
        return prompt, limits | {"coverage_penalty": 0.0}

    def followed_by(self, prompt: _Pair, found: Found) -> _Pair | None:
        if len(prompt.prefix) + 1 >= self.options["max_decoding_length"]:
            return None
        return replace(prompt, prefix=found.tokens[len(prompt.language) :])


def _found(pair: _Pair, candidate: _attend.TranslationCandidate) -> Found:
    return Found(
        pair.language + candidate.tokens,
        log_probability=candidate.log_probability,
        steps=len(candidate.token_scores) - len(pair.prefix),
        end=candidate.end,
    )


def _named(options: dict[str, Any]) -> dict[str, Any]:
    """By the names of the command line."""
    searches = options["sampling_topk"] == 1
    named = named_options(options, searches) | {
        "max_length": options["max_decoding_length"],
        "min_length": options["min_decoding_length"],
        "forbid_unknown": options["disable_unk"],
    }
    if not searches:
        named["sample"] = True
    elif options["coverage_penalty"]:  # it may prefer any of those that are found
        named["n_best"] = max(options["num_hypotheses"], most_hypotheses(options))
    if options["prefix_bias_beta"] > 0:
        named["prefix_weight"] = options["prefix_bias_beta"]
    return named
