"""The options of translating, as the compiled part takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attend._common import given
from attend._errors import ConfigError
from attend._options import TranslationOptions
from attend._texts import checked_text, checked_texts
from attend.quality import QualityScorer


def named_options(options: Mapping[str, object]) -> dict[str, Any]:
    """The options by the names of the command line, without what translations begin with."""
    named = given(**options)
    named.pop("prefix", None)
    named.pop("prefix_ids", None)
    if isinstance(named.get("glossary"), Mapping):
        named["glossary"] = [f"{term}\t{own}" for term, own in named["glossary"].items()]
    for name in {"comet", "rerank"} & named.keys():
        if not isinstance(named[name], QualityScorer):
            kind = type(named[name]).__name__
            raise ConfigError(f"{name}: expected a QualityScorer, as attend.load gives, got {kind}")
        named[name] = named[name]._model
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
