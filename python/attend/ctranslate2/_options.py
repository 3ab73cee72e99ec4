"""The arguments of the calls, with CTranslate2's names and defaults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from attend._errors import ConfigError
from attend._texts import checked_tokens
from attend.ctranslate2._results import GenerationStepResult

if TYPE_CHECKING:
    from attend import _attend

#: Tokens of several texts.
Batch = Sequence[Sequence[str]]
Callback = Callable[[GenerationStepResult], bool]


class BatchOptions(TypedDict, total=False):
    """Keyword arguments of all calls. They change neither results nor, here, the speed."""

    max_batch_size: int
    batch_type: str


class SearchOptions(BatchOptions, total=False):
    """Keyword arguments of ``translate_batch`` and ``generate_batch``."""

    #: 1: greedy search
    beam_size: int
    num_hypotheses: int
    #: scores are log-probabilities divided by length ** length_penalty
    length_penalty: float
    #: other than 1: draw among this many tokens instead of searching; 0: all
    sampling_topk: int
    sampling_topp: float
    sampling_temperature: float
    repetition_penalty: float
    no_repeat_ngram_size: int
    return_scores: bool
    return_end_token: bool
    #: beam search ends when it has found beam_size * patience results
    patience: float
    disable_unk: bool
    #: tokens in a row that are never written
    suppress_sequences: Sequence[Sequence[str]] | None
    #: what ends a result: a token, several, or their ids; None: the end that the model has learned
    end_token: str | Sequence[str] | Sequence[int] | None
    #: num_hypotheses results that differ in the token after the prefix, or after the prompt
    return_alternatives: bool
    #: leaves out those whose token is less likely
    min_alternative_expansion_prob: float
    #: also returns, for each token of a result, the logits of all tokens: float32 [vocabulary]
    return_logits_vocab: bool
    #: receives every token of greedy search and of sampled continuations, those of target_prefix
    #: included; True ends the result
    callback: Callback | None


class TranslationBatchOptions(SearchOptions, total=False):
    """Keyword arguments of ``translate_batch``."""

    #: longer sources are truncated; 0: never
    max_input_length: int
    max_decoding_length: int
    min_decoding_length: int
    return_attention: bool
    #: changes nothing: Translator.translate has the shortlist of a model
    use_vmap: bool
    #: prefers results whose attention covers the source (Wu et al. 2016)
    coverage_penalty: float
    #: writes the most attended source token in place of the token for unknown words
    replace_unknowns: bool
    #: above 0: results are drawn to target_prefix with this weight, instead of beginning with it
    prefix_bias_beta: float


class GenerationBatchOptions(SearchOptions, total=False):
    """Keyword arguments of ``generate_batch``."""

    #: most and fewest tokens of a result; the first one of the prompt does not count
    max_length: int
    min_length: int
    include_prompt_in_result: bool
    #: put before each prompt
    static_prompt: Sequence[str] | None
    #: changes nothing
    cache_static_prompt: bool


class ScoringOptions(BatchOptions, total=False):
    """Keyword arguments of a generator's ``score_batch``."""

    #: longer texts are truncated; 0: never
    max_input_length: int


class PairScoringOptions(ScoringOptions, total=False):
    """Keyword arguments of a translator's ``score_batch``."""

    #: so many of the first target tokens are left out
    offset: int


_SEARCH: dict[str, Any] = {
    "max_batch_size": 0, "batch_type": "examples", "num_hypotheses": 1, "length_penalty": 1.0,
    "sampling_topk": 1, "sampling_topp": 1.0, "sampling_temperature": 1.0,
    "repetition_penalty": 1.0, "no_repeat_ngram_size": 0, "return_scores": False,
    "return_end_token": False, "patience": 1.0, "disable_unk": False, "suppress_sequences": None,
    "end_token": None, "return_logits_vocab": False, "return_alternatives": False,
    "min_alternative_expansion_prob": 0.0, "callback": None,
}  # fmt: skip
TRANSLATION: dict[str, Any] = _SEARCH | {
    "beam_size": 2, "max_input_length": 1024, "max_decoding_length": 256,
    "min_decoding_length": 1, "return_attention": False, "use_vmap": False,
    "coverage_penalty": 0.0, "prefix_bias_beta": 0.0, "replace_unknowns": False,
}  # fmt: skip
GENERATION: dict[str, Any] = _SEARCH | {
    "beam_size": 1, "max_length": 512, "min_length": 0, "include_prompt_in_result": True,
    "static_prompt": None, "cache_static_prompt": True,
}  # fmt: skip
SCORING: dict[str, Any] = {"max_batch_size": 0, "batch_type": "examples", "max_input_length": 1024}
PAIR_SCORING: dict[str, Any] = SCORING | {"offset": 0}


def with_defaults(given: Mapping[str, object], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments of a call. Raises ConfigError for those that exclude each other."""
    for name in given:
        if name not in defaults:
            raise TypeError(f"unexpected keyword argument {name!r}")
    options = {**defaults, **given}
    if options.get("callback") and options["return_alternatives"]:
        raise ConfigError("callback: expected no return_alternatives, which are several searches")
    return options


def most_hypotheses(options: Mapping[str, Any]) -> int:
    """How many a search ends with; 1 of sampling."""
    if options["sampling_topk"] != 1 or options["beam_size"] == 1:
        return 1
    most: int = max(1, round(options["beam_size"] * options["patience"]))
    return most


def named_options(options: Mapping[str, Any], searches: bool) -> dict[str, Any]:
    """Those of a search, or else of samples, by the names of the command line."""
    named = {
        "n_best": options["num_hypotheses"],
        "repetition_penalty": options["repetition_penalty"],
        "no_repeat_ngram": options["no_repeat_ngram_size"],
    }
    if searches:
        return named | {
            "beam_size": options["beam_size"],
            "patience": options["patience"] if options["beam_size"] > 1 else 1.0,
            "length_penalty": options["length_penalty"],
        }
    return named | {
        "top_k": options["sampling_topk"],
        "top_p": options["sampling_topp"],
        "temperature": options["sampling_temperature"],
    }


def token_limits(
    options: Mapping[str, Any], tokenizer: _attend.Tokenizer
) -> tuple[list[list[str]], list[int]]:
    """Sequences of tokens that are never written, and ids that end a result; none: the model's end.

    Raises ConfigError for a token that the vocabulary does not have.
    """
    suppressed = checked_tokens(options["suppress_sequences"] or [], "suppress_sequences")
    given = options["end_token"]
    ends = [] if given is None else [given] if isinstance(given, str) else list(given)
    words = [token for tokens in suppressed for token in tokens]
    for token in words + [end for end in ends if isinstance(end, str)]:
        known = tokenizer.id(token)
        if known < 0 or tokenizer.piece(known) != token:
            raise ConfigError(
                f"suppress_sequences, end_token: expected tokens of the vocabulary, got {token!r}"
            )
    ids = [tokenizer.id(end) if isinstance(end, str) else end for end in ends]
    return [tokens for tokens in suppressed if tokens], ids


def truncated(
    batch: Iterable[Sequence[str]], max_input_length: int, name: str
) -> list[list[str]]:
    """The first tokens of each, checked: ``name`` is what errors call the batch."""
    return [tokens[: max_input_length or None] for tokens in checked_tokens(batch, name)]
