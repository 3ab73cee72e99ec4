"""What has moved goes on working, and says where to."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from typing import Any

import attend
import attend.ctranslate2
import numpy
import pytest
from attend.sentence_transformers import SentenceTransformer
from conftest import ENGLISH, Models


def test_names_of_results_are_found_in_their_new_module() -> None:
    for name in (
        "AsyncResult", "GenerationResult", "GenerationStepResult", "ScoringResult",
        "TranslationResult",
    ):  # fmt: skip
        with pytest.warns(DeprecationWarning, match=rf"attend.{name} has moved to attend\.ctransla"):
            assert getattr(attend, name) is getattr(attend.ctranslate2, name)
        assert name not in attend.__all__
    with pytest.raises(AttributeError, match="module 'attend' has no attribute 'Encoder'"):
        attend.Encoder  # type: ignore[attr-defined]


def test_a_warning_names_the_line_of_the_caller() -> None:
    script = "from attend import TranslationResult\nprint(TranslationResult([]).scores)"
    run = subprocess.run(
        [sys.executable, "-W", "always", "-c", script], capture_output=True, encoding="utf-8"
    )
    assert run.stdout == "[]\n"
    place = "attend.TranslationResult has moved to attend.ctranslate2.TranslationResult"
    assert f"<string>:1: DeprecationWarning: {place}" in run.stderr


def test_models_have_the_calls_of_ctranslate2(models: Models) -> None:
    old, new = attend.Translator(models.translator), attend.ctranslate2.Translator(models.translator)
    tokens = [old.source_tokenizer.pieces("the dog sleeps")]
    for name, arguments in (("translate_batch", (tokens,)), ("score_batch", (tokens, tokens))):
        place = rf"attend\.Translator\.{name} has moved to attend\.ctranslate2\.Translator\.{name}"
        with pytest.warns(DeprecationWarning, match=place) as warned:
            results = getattr(old, name)(*arguments)
        assert [one.filename for one in warned] == [__file__]
        assert results == getattr(new, name)(*arguments)
    with pytest.warns(DeprecationWarning, match="generate_tokens"):
        steps = list(old.generate_tokens(tokens[0]))  # type: ignore[attr-defined]
    assert steps == list(new.generate_tokens(tokens[0]))


def test_generators_have_the_calls_of_ctranslate2(models: Models) -> None:
    old, new = attend.Generator(models.generator), attend.ctranslate2.Generator(models.generator)
    prompts = [old.tokenizer.pieces("the old")]
    for name in ("generate_batch", "generate_iterable", "score_batch"):
        with pytest.warns(DeprecationWarning, match=rf"attend\.ctranslate2\.Generator\.{name}"):
            results = list(getattr(old, name)(prompts))
        assert results == list(getattr(new, name)(prompts))
    with pytest.warns(DeprecationWarning, match="generate_tokens"):
        steps = list(old.generate_tokens(prompts[0], max_length=5))  # type: ignore[attr-defined]
    assert steps == list(new.generate_tokens(prompts[0], max_length=5))


@pytest.mark.parametrize("kind", ["Translator", "Generator", "Classifier", "Embedder"])
def test_constructors_take_the_arguments_of_ctranslate2(models: Models, kind: str) -> None:
    path = models.classifier if kind == "Classifier" else models.translator
    path = models.generator if kind == "Generator" else path
    make = getattr(attend, kind)
    place = f"device, device_index, intra_threads of attend.{kind} has moved to attend"
    with pytest.warns(DeprecationWarning, match=place) as warned:
        model = make(path, "cpu", device_index=0, intra_threads=2)
    assert [one.filename for one in warned] == [__file__]
    assert type(pickle.loads(pickle.dumps(model))) is make
    with pytest.warns(DeprecationWarning), pytest.raises(attend.ConfigError, match="got 'cuda'"):
        make(path, device="cuda")
    with pytest.warns(DeprecationWarning), pytest.raises(attend.ConfigError, match="compute_type"):
        make(path, compute_type="int8")
    with pytest.raises(TypeError, match="flash_attention"):
        make(path, flash_attention=True)
    with pytest.raises(TypeError):
        make(path, "cpu", 3)


def test_embedders_take_the_arguments_of_sentence_transformers(models: Models) -> None:
    old, new = attend.Embedder(models.translator), SentenceTransformer(models.translator)
    for name in ("encode", "encode_query", "encode_document"):
        encode: Any = getattr(old, name)
        place = rf"attend\.Embedder\.{name} has moved to attend\.sentence_transformers\.Sentence"
        with pytest.warns(DeprecationWarning, match=f"show_progress_bar of {place}") as warned:
            vectors = encode(ENGLISH, batch_size=2, show_progress_bar=False)
        assert [one.filename for one in warned] == [__file__]
        numpy.testing.assert_array_equal(vectors, getattr(new, name)(ENGLISH))
        with pytest.warns(DeprecationWarning, match=f"output_value, device of {place}"):
            tokens = encode("the dog", output_value="token_embeddings", device="cpu")
        numpy.testing.assert_array_equal(tokens, old.forward(["the dog"])[0])
    with pytest.warns(DeprecationWarning, match="a further argument"):
        tokens = old.encode(["the dog"], None, None, 32, False, "token_embeddings")[0]  # type: ignore[misc]
    assert isinstance(tokens, numpy.ndarray) and tokens.shape == (2, 16)
    for name in ("get_embedding_dimension", "get_sentence_embedding_dimension"):
        with pytest.warns(DeprecationWarning, match=rf"SentenceTransformer\.{name}"):
            assert getattr(old, name)() == 16
    with pytest.warns(DeprecationWarning), pytest.raises(attend.ConfigError, match="device"):
        old.encode("a cat", device="cuda")  # type: ignore[call-arg]


def test_nothing_else_is_there(models: Models) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        translator = attend.load(models.translator, threads=1)
        assert not hasattr(translator, "score_file")
        assert not hasattr(attend.load(models.generator), "translate_batch")
        copy.copy(translator)
