"""Scores of translations: those of COMET, which tests/interchange compares with the original."""

from __future__ import annotations

import json
import pathlib
import pickle
import statistics

import attend
import pytest
from attend import metrics
from conftest import COMET, KIWI, Models


@pytest.mark.parametrize("directory", [COMET, KIWI])
def test_gives_the_scores_of_the_original(directory: pathlib.Path) -> None:
    record = json.loads((directory / "record.json").read_text())
    lines = record["texts"]
    scorer = attend.load(directory)
    assert isinstance(scorer, attend.QualityScorer)
    sources, translations, references = (
        [line[name] for line in lines] for name in ("source", "translation", "reference")
    )
    found = metrics.comet(scorer, sources, translations, references)
    for score, line in zip(found.scores, lines, strict=True):
        assert score == pytest.approx(line["score"], abs=2e-5)
    assert found.system_score == pytest.approx(record["system_score"], abs=2e-5)
    assert found.system_score == statistics.fmean(found.scores) == float(found)
    own = scorer.score(iter(translations), sources=iter(sources), references=iter(references))
    assert own == found == metrics.comet(directory, sources, translations, references)
    assert pickle.loads(pickle.dumps(scorer)).score(
        translations[:1], sources=sources[:1], references=references[:1]
    ).scores == found.scores[:1]


def test_needs_the_texts_that_the_model_reads() -> None:
    comet, kiwi = attend.load(COMET), attend.load(KIWI, threads=1)
    assert (comet.reads_source, comet.reads_reference, comet.needs_reference) == (True, True, True)
    assert (kiwi.reads_source, kiwi.reads_reference, kiwi.needs_reference) == (True, False, False)
    assert metrics.comet(kiwi, ["a"], ["b"]) == metrics.comet(kiwi, ["a"], ["b"], ["c"])
    for model, texts, message in (
        (comet, (["a"], ["b"]), "a reference for each of 1 translations, got 0"),
        (kiwi, (None, ["b"]), "a source for each of 1 translations, got 0"),
        (kiwi, (["a", "c"], ["b"]), "a source for each of 1 translations, got 2"),
        (kiwi, ([], []), "at least one translation"),
    ):
        with pytest.raises(attend.ConfigError, match=message):
            metrics.comet(model, *texts)


def test_is_no_other_model(models: Models) -> None:
    with pytest.raises(attend.DataError, match="expected a model for quality, found one"):
        attend.QualityScorer(models.translator)
    with pytest.raises(attend.DataError, match="expected a model for translation"):
        attend.Translator(KIWI)
    with pytest.raises(attend.ConfigError, match="heads_off: a model that scores translations"):
        attend.load(KIWI, heads_off="*")
