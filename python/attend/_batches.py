"""Batches of tokens, with the arguments and results of CTranslate2's Python package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from attend._errors import ConfigError
from attend._interruption import Computation
from attend._texts import checked_tokens

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy
    from numpy.typing import NDArray

    from attend import _attend

    Logits = NDArray[numpy.float32]

Result = TypeVar("Result")


def are_equal(one: object, other: object) -> bool:
    """Whether two results are the same, also if they hold arrays."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(are_equal, one, other))
    equal = one == other
    if isinstance(equal, bool):
        return equal
    import numpy

    return bool(numpy.array_equal(numpy.asarray(one), numpy.asarray(other)))


class _Compared:
    """Equal if all attributes are, which may be arrays."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(are_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


@dataclass(eq=False)
class TranslationResult(_Compared):
    """The translations of one sentence."""

    hypotheses: list[list[str]]  #: tokens, best first
    scores: list[float] = field(default_factory=list)  #: with return_scores=True
    attention: list[list[list[float]]] = field(default_factory=list)  #: with return_attention=True
    logits: list[list[Logits]] = field(default_factory=list)  #: with return_logits_vocab=True


@dataclass(eq=False)
class GenerationResult(_Compared):
    """The continuations of one prompt."""

    sequences: list[list[str]]  #: tokens
    sequences_ids: list[list[int]]
    scores: list[float] = field(default_factory=list)  #: with return_scores=True
    logits: list[list[Logits]] = field(default_factory=list)  #: with return_logits_vocab=True


@dataclass
class GenerationStepResult:
    """A token of a continuation that grows."""

    step: int  #: from 0; tokens of the prompt count
    batch_id: int  #: which of the prompts
    token_id: int
    hypothesis_id: int
    token: str
    log_prob: float | None  #: with return_log_prob=True or return_scores=True
    is_last: bool


class Stopped(Exception):
    """A callback has ended a result."""


@dataclass
class ScoringResult:
    """The log-probabilities of given tokens."""

    tokens: list[str]
    log_probs: list[float]


class BatchOptions(TypedDict, total=False):
    """Keyword arguments of ``translate_batch`` and ``generate_batch``, as in CTranslate2."""

    #: change neither results nor, here, the speed
    max_batch_size: int
    batch_type: str
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


class TranslationBatchOptions(BatchOptions, total=False):
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

    #: receives every token of greedy search, those of target_prefix included; True ends the
    #: translation
    callback: Callable[[GenerationStepResult], bool] | None


class GenerationBatchOptions(BatchOptions, total=False):
    """Keyword arguments of ``generate_batch``."""

    #: most tokens of a result; the first one of the prompt does not count
    max_length: int
    include_prompt_in_result: bool
    #: put before each prompt
    static_prompt: Sequence[str] | None
    #: changes nothing
    cache_static_prompt: bool
    #: receives every token of greedy search and sampling; True ends the continuation
    callback: Callable[[GenerationStepResult], bool] | None
    #: fewest tokens of a result; the first one of the prompt does not count
    min_length: int


_DEFAULTS: dict[str, Any] = {
    "max_batch_size": 0,
    "batch_type": "examples",
    "num_hypotheses": 1,
    "length_penalty": 1.0,
    "sampling_topk": 1,
    "sampling_topp": 1.0,
    "sampling_temperature": 1.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "return_scores": False,
    "return_end_token": False,
    "patience": 1.0,
    "disable_unk": False,
    "suppress_sequences": None,
    "end_token": None,
    "return_logits_vocab": False,
    "return_alternatives": False,
    "min_alternative_expansion_prob": 0.0,
    "callback": None,
}
_TRANSLATION_DEFAULTS: dict[str, Any] = _DEFAULTS | {
    "beam_size": 2,
    "max_input_length": 1024,
    "max_decoding_length": 256,
    "min_decoding_length": 1,
    "return_attention": False,
    "use_vmap": False,
    "coverage_penalty": 0.0,
    "prefix_bias_beta": 0.0,
    "replace_unknowns": False,
}
_GENERATION_DEFAULTS: dict[str, Any] = _DEFAULTS | {
    "beam_size": 1,
    "max_length": 512,
    "include_prompt_in_result": True,
    "static_prompt": None,
    "cache_static_prompt": True,
    "min_length": 0,
}


def translation_batch_options(given: Mapping[str, object]) -> dict[str, Any]:
    """All arguments of translate_batch. Raises ConfigError for those that exclude each other."""
    options = _settled(given, _TRANSLATION_DEFAULTS)
    greedy = options["beam_size"] == 1 and options["sampling_topk"] == 1
    if options["callback"] and not (greedy and options["prefix_bias_beta"] == 0):
        raise ConfigError("callback: expected greedy search: beam_size=1, without prefix_bias_beta")
    return options


def generation_batch_options(given: Mapping[str, object]) -> dict[str, Any]:
    """All arguments of generate_batch. Raises ConfigError for those that exclude each other."""
    return _settled(given, _GENERATION_DEFAULTS)


def _settled(given: Mapping[str, object], defaults: Mapping[str, Any]) -> dict[str, Any]:
    for name in given:
        if name not in defaults:
            raise TypeError(f"unexpected keyword argument {name!r}")
    options = {**defaults, **given}
    if options["callback"] and options["return_alternatives"]:
        raise ConfigError("callback: expected no return_alternatives, which are several searches")
    return options


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


def batch_score(log_probability: float, length: int, length_penalty: float) -> float:
    """A score of CTranslate2. The length is that of the result, with its end."""
    divisor: float = max(length, 1) ** length_penalty
    return log_probability / divisor


def score_of_rest(log_probability: float, length: int, length_penalty: float) -> float:
    """The score of the tokens after the first one of an alternative."""
    return batch_score(log_probability, length, length_penalty) if length > 0 else 0.0


def most_hypotheses(options: Mapping[str, Any]) -> int:
    """How many a search ends with; 1 of sampling."""
    if options["sampling_topk"] != 1 or options["beam_size"] == 1:
        return 1
    most: int = max(1, round(options["beam_size"] * options["patience"]))
    return most


def truncated(
    batch: Iterable[Sequence[str]], max_input_length: int, name: str
) -> list[list[str]]:
    """The first tokens of each, checked: ``name`` is what errors call the batch."""
    return [tokens[: max_input_length or None] for tokens in checked_tokens(batch, name)]


class AsyncResult(Generic[Result]):
    """A result that is computed while the program continues."""

    def __init__(self, future: Future[list[Result]], index: int, work: Computation) -> None:
        self._future = future
        self._index = index
        self._work = work

    def done(self) -> bool:
        """Whether the result, or an error, is there."""
        return self._future.done()

    def result(self) -> Result:
        """Waits for the result, and raises what computing it has raised. Ctrl-C also ends the
        computation."""
        try:
            return self._future.result()[self._index]
        except KeyboardInterrupt:
            self._work.interrupt()
            raise


def computed(
    count: int, asynchronous: bool, compute: Callable[[], list[Result]]
) -> list[Result] | list[AsyncResult[Result]]:
    """The results of a batch: at once, or computed in a thread."""
    if not asynchronous:
        return compute()
    from concurrent.futures import Future

    future: Future[list[Result]] = Future()

    def work() -> None:
        try:
            future.set_result(compute())
        except BaseException as error:
            future.set_exception(error)

    computation = Computation(work, "attend-batch")
    return [AsyncResult(future, index, computation) for index in range(count)]


def in_batches(
    examples: Iterable[Any], size: int, compute: Callable[[list[Any]], list[Result]]
) -> Iterator[Result]:
    """The results of an iterable of any length, one batch at a time."""
    iterator = iter(examples)
    while part := list(islice(iterator, size)):
        yield from compute(part)


@dataclass
class TokenPair:
    """The tokens of a sentence and those that its translation begins with."""

    source: list[str]
    prefix: list[str]
    language: list[str]  #: the token of the language before the prefix, or nothing
    options: dict[str, str]  #: the languages that the tokens ask for


def pairs_of_tokens(
    sources: list[list[str]], targets: Sequence[Sequence[str] | None], languages: list[str]
) -> list[TokenPair]:
    """Sources with what their translations begin with.

    Models of several languages have a token for each: it begins the source, and the target.
    """
    if len(targets) != len(sources):
        raise ConfigError(f"target_prefix: expected {len(sources)} prefixes, got {len(targets)}")
    by_token = {token: name for name in languages for token in (name, f"__{name}__")}
    pairs = []
    prefixes = checked_tokens((given or [] for given in targets), "target_prefix")
    for source, prefix in zip(sources, prefixes, strict=True):
        pair = TokenPair(source, prefix, [], {})
        if source and source[0] in by_token:
            pair.options["src_lang"] = by_token[source[0]]
        if pair.prefix and pair.prefix[0] in by_token:
            pair.options["tgt_lang"] = by_token[pair.prefix[0]]
            pair.language, pair.prefix = pair.prefix[:1], pair.prefix[1:]
        pairs.append(pair)
    return pairs
