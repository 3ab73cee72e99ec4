"""BLEU, chrF and TER of translations, equal to sacreBLEU; COMET; accuracy and F1 of classifiers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attend import _attend
from attend._attend import Bleu, Chrf, ClassScores, ConfusionMatrix, Ter
from attend._common import given
from attend._options import BleuOptions, ChrfOptions, ReportOptions, TerOptions
from attend._texts import checked_texts
from attend.quality import QualityScorer, QualityScores

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Bleu",
    "BleuOptions",
    "Chrf",
    "ChrfOptions",
    "ClassScores",
    "ConfusionMatrix",
    "QualityScores",
    "ReportOptions",
    "Ter",
    "TerOptions",
    "bleu",
    "breakdown",
    "calibration_error",
    "chrf",
    "comet",
    "confusion_matrix",
    "report",
    "ter",
]

References = Sequence[str] | Sequence[Sequence[str]]


def bleu(
    hypotheses: Sequence[str], references: References, **options: Unpack[BleuOptions]
) -> Bleu:
    """BLEU of a corpus. ``references``: a list of lines, or several such lists.

    Raises ConfigError without lines or references; DataError if a reference has a different
    number of lines, and for text that still contains subword markers.
    """
    return _attend.bleu(_hypotheses(hypotheses), _lists(references), given(**options))


def chrf(
    hypotheses: Sequence[str], references: References, **options: Unpack[ChrfOptions]
) -> Chrf:
    """chrF of a corpus; chrF++ with ``word_order=2``. Raises as ``bleu`` does."""
    named = {f"chrf_{name}": value for name, value in given(**options).items()}
    return _attend.chrf(_hypotheses(hypotheses), _lists(references), named)


def ter(
    hypotheses: Sequence[str], references: References, **options: Unpack[TerOptions]
) -> Ter:
    """The translation edit rate of a corpus; 0 is best. Raises as ``bleu`` does."""
    named = {f"ter_{name}": value for name, value in given(**options).items()}
    return _attend.ter(_hypotheses(hypotheses), _lists(references), named)


def comet(
    model: QualityScorer | str | os.PathLike[str],
    sources: Iterable[str] | None,
    translations: Iterable[str],
    references: Iterable[str] | None = None,
) -> QualityScores:
    """The scores that a model of COMET gives to translations, and their mean (``system_score``).

    ``model``: from ``attend.load``, or a path, which is read at every call. ``references`` may be
    None for a model that needs none, such as CometKiwi. Raises as ``QualityScorer.score`` does.
    """
    scorer = model if isinstance(model, QualityScorer) else QualityScorer(model)
    return scorer.score(translations, sources=sources, references=references)


def report(
    hypotheses: Sequence[str] | Sequence[Sequence[str]],
    references: References,
    *,
    baseline: Sequence[str] | None = None,
    **options: Unpack[ReportOptions],
) -> str:
    """BLEU and chrF as ``attend evaluate`` prints them, with its options.

    ``confidence=True`` adds 95 % intervals; ``baseline`` compares the lines of a system, or of
    each of several, with those of another one and says how likely such a difference is by chance.
    """
    others = None if baseline is None else checked_texts(baseline, "baseline")
    systems = _lists(hypotheses, "hypotheses")
    return _attend.report(systems, _lists(references), others, given(**options))


def breakdown(
    sources: Sequence[str],
    hypotheses: Sequence[str],
    references: References,
    *,
    training_text: Iterable[str] | None = None,
    src_lang: str = "",
    tgt_lang: str = "",
) -> dict[str, Any]:
    """Where translations fail: what ``attend evaluate --breakdown --format json`` has of a system.

    ``training_text``: lines in the target language that the translator was trained on. Lost
    negation is looked for if there is a list of words for both languages, such as "de" and "en".
    Raises as ``bleu`` does, also for another number of sources.
    """
    seen = None if training_text is None else checked_texts(training_text, "training_text")
    found: dict[str, Any] = json.loads(
        _attend.breakdown(
            checked_texts(sources, "sources"), _hypotheses(hypotheses), _lists(references), seen,
            src_lang, tgt_lang,
        )
    )  # fmt: skip
    return found


def calibration_error(
    probabilities: Iterable[float], right: Iterable[bool], *, bins: int = 10
) -> float:
    """The expected calibration error (Guo et al. 2017) of predictions: 0 .. 1, 0 is best.

    ``probabilities[i]`` is what prediction i was given, ``right[i]`` whether it is right. The mean
    distance of probability and accuracy in ``bins`` of equal width. Raises ConfigError if their
    numbers differ, DataError for a probability outside 0 .. 1.
    """
    return _attend.calibration_error(
        [float(one) for one in probabilities], [bool(one) for one in right], bins
    )


def confusion_matrix(gold: Iterable[str], predicted: Iterable[str]) -> ConfusionMatrix:
    """Counts gold and predicted labels: ``accuracy()``, ``macro_f1()``, ``table()``, ...

    The classes are the labels in alphabetical order. Raises ConfigError without examples.
    """
    gold, predicted = checked_texts(gold, "gold"), checked_texts(predicted, "predicted")
    labels = sorted({*gold, *predicted})
    index = {label: number for number, label in enumerate(labels)}
    matrix = ConfusionMatrix(labels)
    matrix.add([index[label] for label in gold], [index[label] for label in predicted])
    return matrix


def _hypotheses(lines: Iterable[str]) -> list[str]:
    return checked_texts(lines, "hypotheses")


def _lists(lines: References, name: str = "references") -> list[list[str]]:
    if all(isinstance(line, str) for line in lines):
        lines = [[str(line) for line in lines]]
    return [checked_texts(some, name) for some in lines]
