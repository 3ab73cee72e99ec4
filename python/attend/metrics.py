"""BLEU and chrF of translations, equal to sacreBLEU; accuracy and F1 of classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from attend import _attend
from attend._attend import Bleu, Chrf, ClassScores, ConfusionMatrix
from attend._common import given

__all__ = [
    "Bleu",
    "Chrf",
    "ClassScores",
    "ConfusionMatrix",
    "bleu",
    "chrf",
    "confusion_matrix",
    "report",
]

References = Sequence[str] | Sequence[Sequence[str]]


def bleu(
    hypotheses: Sequence[str],
    references: References,
    *,
    tokenize: Literal["13a", "none", "intl", "char"] | None = None,
    lowercase: bool | None = None,
    smooth_method: Literal["exp", "floor", "add-k", "none"] | None = None,
    smooth_value: float | None = None,
    max_ngram_order: int | None = None,
    effective_order: bool | None = None,
    allow_subwords: bool | None = None,
) -> Bleu:
    """BLEU of a corpus. ``references``: a list of lines, or several such lists.

    Raises ConfigError without lines or references; DataError if a reference has a different
    number of lines, and for text that still contains subword markers.
    """
    options = given(
        tokenize=tokenize,
        lowercase=lowercase,
        smooth_method=smooth_method,
        smooth_value=smooth_value,
        max_ngram_order=max_ngram_order,
        effective_order=effective_order,
        allow_subwords=allow_subwords,
    )
    return _attend.bleu(list(hypotheses), _lists(references), options)


def chrf(
    hypotheses: Sequence[str],
    references: References,
    *,
    char_order: int | None = None,
    word_order: int | None = None,
    beta: int | None = None,
    lowercase: bool | None = None,
) -> Chrf:
    """chrF of a corpus; chrF++ with ``word_order=2``. Raises as ``bleu`` does."""
    options = given(
        chrf_char_order=char_order,
        chrf_word_order=word_order,
        chrf_beta=beta,
        chrf_lowercase=lowercase,
    )
    return _attend.chrf(list(hypotheses), _lists(references), options)


def report(
    hypotheses: Sequence[str],
    references: References,
    *,
    baseline: Sequence[str] | None = None,
    **options: Any,
) -> str:
    """BLEU and chrF as ``attend evaluate`` prints them, with its options.

    ``confidence=True`` adds 95 % intervals; ``baseline`` compares two systems on the same lines
    and says how likely such a difference is by chance.
    """
    others = None if baseline is None else list(baseline)
    return _attend.report(list(hypotheses), _lists(references), others, given(**options))


def confusion_matrix(gold: Iterable[str], predicted: Iterable[str]) -> ConfusionMatrix:
    """Counts gold and predicted labels: ``accuracy()``, ``macro_f1()``, ``table()``, ...

    The classes are the labels in alphabetical order. Raises ConfigError without examples.
    """
    gold, predicted = list(gold), list(predicted)
    labels = sorted({*gold, *predicted})
    index = {label: number for number, label in enumerate(labels)}
    matrix = ConfusionMatrix(labels)
    matrix.add([index[label] for label in gold], [index[label] for label in predicted])
    return matrix


def _lists(references: References) -> list[list[str]]:
    if all(isinstance(reference, str) for reference in references):
        return [[str(reference) for reference in references]]
    return [list(reference) for reference in references]
