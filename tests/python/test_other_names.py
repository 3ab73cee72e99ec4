"""The names of sentence-transformers."""

from __future__ import annotations

import pathlib
import shutil
import sys

import attend
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


def test_tensors_without_pytorch_say_what_is_missing(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    embedder = attend.Embedder(models.translator)
    for arguments in {"convert_to_tensor": True}, {"convert_to_numpy": False}:
        with pytest.raises(ImportError, match="PyTorch, which is missing: pip install torch"):
            embedder.encode("a cat", **arguments)


def test_encodes_with_the_arguments_of_sentence_transformers(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    vectors = embedder.encode(ENGLISH, batch_size=2, show_progress_bar=False, device="cpu")
    assert embedder.get_sentence_embedding_dimension() == 16
    prompted = embedder.encode("a cat", prompt="the old dog sees ")
    numpy.testing.assert_array_equal(prompted, embedder.encode("the old dog sees a cat"))
    tokens = embedder.encode("the dog", output_value="token_embeddings")
    numpy.testing.assert_array_equal(tokens, embedder.forward(["the dog"])[0])
    small = embedder.encode(ENGLISH, precision="uint8")
    assert small.dtype == numpy.uint8 and (small.min(), small.max()) == (0, 255)
    signed = embedder.encode(ENGLISH, precision="int8")
    # Both are cut toward zero.
    numpy.testing.assert_allclose(signed.astype(int), small.astype(int) - 128, atol=1)
    bits = embedder.encode(ENGLISH, precision="ubinary")
    numpy.testing.assert_array_equal(numpy.unpackbits(bits, axis=1), vectors > 0)
    binary = embedder.encode(ENGLISH, precision="binary")
    numpy.testing.assert_array_equal(binary.astype(int), bits.astype(int) - 128)
    for wrong in ({"precision": "float16"}, {"output_value": "words"}, {"device": "cuda"}):
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            embedder.encode("a cat", **wrong)


def test_a_prompt_of_its_own_replaces_those_of_the_model(tmp_path: pathlib.Path) -> None:
    directory = shutil.copytree(FOREIGN / "bert_sentences", tmp_path / "model")
    settings = directory / "config_sentence_transformers.json"
    plain = attend.Embedder(attend.load(directory).path)
    query = plain.encode("the dog", prompt_name="query")
    numpy.testing.assert_array_equal(plain.encode("the dog", prompt="man: "), query)
    settings.write_text(settings.read_text().replace("null", '"query"'))
    attend.import_model(directory, tmp_path / "query.safetensors")
    usual = attend.Embedder(tmp_path / "query.safetensors")
    numpy.testing.assert_array_equal(usual.encode("the dog"), query)
    numpy.testing.assert_array_equal(usual.encode("the dog", prompt=""), plain.encode("the dog"))
    assert not numpy.array_equal(query, plain.encode("the dog"))
