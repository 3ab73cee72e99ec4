"""The options of translating, as the compiled part takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from attend._common import given
from attend._errors import ConfigError
from attend._texts import checked_text, checked_texts


class TranslationOptions(TypedDict, total=False):
    """Keyword arguments of ``translate``: options of ``attend translate``, in snake_case."""

    #: hypotheses kept at every step; 1: greedy search
    beam_size: int | None
    #: candidates per sentence, at most beam_size * patience
    n_best: int | None
    #: scores are log-probabilities divided by length ** length_penalty
    length_penalty: float | None
    #: tokens of a translation; 0: twice the source plus 50
    max_length: int | None
    #: tokens before a translation may end
    min_length: int | None
    #: never write an n-gram of this many tokens twice
    no_repeat_ngram: int | None
    #: divides the logits of tokens that the translation has; 1: off
    repetition_penalty: float | None
    #: the search ends when it has beam_size * patience translations
    patience: float | None
    #: never write the token for unknown words
    forbid_unknown: bool | None
    #: draw from the model instead of searching for the best
    sample: bool | None
    #: sampling: divides the logits
    temperature: float | None
    #: sampling: draw among this many most likely tokens; 0: all
    top_k: int | None
    #: sampling: draw among the most likely tokens that together have this probability
    top_p: float | None
    #: sampling: the random seed
    seed: int | None
    #: for multilingual models: see Translator.languages
    src_lang: str | None
    tgt_lang: str | None
    #: texts that the translations begin with: one for all sentences, or one for each
    prefix: str | Iterable[str] | None
    #: prefixes as target token ids, instead of ``prefix``; they may end within a word
    prefix_ids: Sequence[int] | Sequence[Sequence[int]] | None
    #: below 1: translations are drawn to the prefix instead of beginning with it
    prefix_weight: float | None
    #: phrases that every translation must contain; the beam size should exceed their tokens
    must_contain: str | Sequence[str] | None
    #: phrases that no translation may contain
    must_not_contain: str | Sequence[str] | None
    #: fill ``alignment``, at the cost of one more pass per candidate
    alignments: bool | None
    #: sentences decoded together
    batch_size: int | None
    #: a longer sentence is an error
    max_source_tokens: int | None
    #: score only the tokens of the model's shortlist: faster
    shortlist: bool | None


def named_options(options: Mapping[str, object]) -> dict[str, Any]:
    """The options by the names of the command line, without what translations begin with."""
    named = given(**options)
    named.pop("prefix", None)
    named.pop("prefix_ids", None)
    if "alignments" in named:
        named["alignment"] = named.pop("alignments")
    return named


class Tokens(list[int]):
    """What all translations begin with, as ids."""


#: None, one for all translations, or one for each.
Beginning = None | str | Tokens | Iterable[str] | Iterable[Sequence[int]]


def beginning_of(options: TranslationOptions) -> Beginning:
    """What the translations begin with. Raises ConfigError if it is given twice."""
    prefix, ids = options.get("prefix"), options.get("prefix_ids")
    if ids is None:
        return prefix
    if prefix is not None:
        raise ConfigError("prefix_ids: expected no prefix with it")
    if all(isinstance(one, int) for one in ids):
        return Tokens(ids)  # type: ignore[arg-type]
    return ids  # type: ignore[return-value]


def is_one(beginning: Beginning) -> bool:
    """Whether it is the same for all sentences."""
    return beginning is None or isinstance(beginning, (str, Tokens))


def checked_beginnings(beginning: Beginning, sentences: int) -> list[str] | list[list[int]]:
    """One for each sentence, one for all, or none. Raises ConfigError for another number."""
    if beginning is None:
        return []
    if isinstance(beginning, str):
        return [checked_text(beginning, "prefix")]
    if isinstance(beginning, Tokens):
        return [list(beginning)]
    several: list[Any] = list(beginning)
    texts = all(isinstance(one, str) for one in several)
    name, what = ("prefix", "texts") if texts else ("prefix_ids", "lists of ids")
    if len(several) != sentences:
        raise ConfigError(f"{name}: expected {sentences} {what}, got {len(several)}")
    return checked_texts(several, "prefixes") if texts else [list(one) for one in several]
