"""Scores of translations by trained models of their quality."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from attend import _attend
from attend._common import Model
from attend._texts import checked_texts

__all__ = ["QualityScorer", "QualityScores"]


class QualityScores(NamedTuple):
    """The scores of translations, as ``predict`` of unbabel-comet gives them."""

    scores: list[float]  #: of each translation, in order: higher is better
    system_score: float  #: their mean

    def __float__(self) -> float:
        return self.system_score


class QualityScorer(Model):
    """A model that scores translations, such as those of COMET and CometKiwi. Several threads may
    use one object at once."""

    @staticmethod
    def _compiled(path: str, threads: int, _: object) -> _attend.QualityScorer:
        return _attend.QualityScorer(path, threads)

    _model: _attend.QualityScorer

    def __init__(self, path: str | os.PathLike[str], *, threads: int | None = None) -> None:
        """Reads a model: see ``attend.load``. ``threads``: of a pool of its own, as for
        Translator. Raises IoError, or DataError for a damaged file or another kind of model."""
        super().__init__(path, threads=threads)

    @property
    def reads_source(self) -> bool:
        """Whether a score depends on the source."""
        return self._model.reads_source()

    @property
    def reads_reference(self) -> bool:
        """Whether it reads a reference, if there is one."""
        return self._model.reads_reference()

    @property
    def needs_reference(self) -> bool:
        """Whether it cannot score without references, as COMET; CometKiwi can."""
        return self._model.needs_reference()

    def score(
        self,
        translations: Iterable[str],
        *,
        sources: Iterable[str] | None = None,
        references: Iterable[str] | None = None,
    ) -> QualityScores:
        """The score of each translation, and their mean: those of ``predict`` of unbabel-comet.

        ``sources`` and ``references``: one for each translation, or None for what the model does
        not need. Texts are read as they are: ``comet-score`` and ``attend score`` strip lines.

        Raises ConfigError without translations, and for missing texts or another number of them.
        """
        scores, system_score = self._model.score(
            checked_texts(translations, "translations"),
            checked_texts([] if sources is None else sources, "sources"),
            checked_texts([] if references is None else references, "references"),
        )
        return QualityScores(scores, system_score)
