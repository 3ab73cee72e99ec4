"""Models in other processes: forked from one that has computed, and spawned."""

from __future__ import annotations

import multiprocessing
from multiprocessing.pool import Pool

import attend
import pytest
from conftest import ENGLISH, Models

translator: attend.Translator | None = None


def translate_with_parents_model(sentence: str) -> str:
    assert translator is not None
    return translator.translate(sentence).text


def translate_with(pair: tuple[attend.Translator, str]) -> str:
    model, sentence = pair
    return model.translate(sentence).text


def test_a_model_works_after_fork(models: Models) -> None:
    global translator
    translator = attend.Translator(models.translator, threads=2)
    expected = [one.text for one in translator.translate(ENGLISH)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        answers = pool.map_async(translate_with_parents_model, ENGLISH)
        assert answers.get(timeout=60) == expected
    assert [one.text for one in translator.translate(ENGLISH)] == expected


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_model_travels_to_workers_as_its_path(models: Models, method: str) -> None:
    model = attend.Translator(models.translator)
    expected = [one.text for one in model.translate(ENGLISH)]
    pool: Pool
    with multiprocessing.get_context(method).Pool(2) as pool:
        answers = pool.map_async(translate_with, [(model, sentence) for sentence in ENGLISH])
        assert answers.get(timeout=60) == expected
