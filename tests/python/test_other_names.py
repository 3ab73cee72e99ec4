"""The names of sentence-transformers."""

from __future__ import annotations

import json
import pathlib
import pickle
import shutil
import sys
from typing import Any

import attend
import numpy
import pytest
from attend.sentence_transformers import SentenceTransformer
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


def test_tensors_without_pytorch_say_what_is_missing(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    embedder = SentenceTransformer(models.translator)
    for arguments in {"convert_to_tensor": True}, {"convert_to_numpy": False}:
        with pytest.raises(ImportError, match="PyTorch, which is missing: pip install torch"):
            embedder.encode("a cat", **arguments)


def test_encodes_with_the_arguments_of_sentence_transformers(models: Models) -> None:
    embedder = SentenceTransformer(models.translator)
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


def changed_sentences(folder: pathlib.Path, **settings: object) -> SentenceTransformer:
    """The fixture with other settings in config_sentence_transformers.json."""
    directory = shutil.copytree(FOREIGN / "bert_sentences", folder / "directory")
    file = directory / "config_sentence_transformers.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))
    attend.import_model(directory, folder / "model.safetensors")
    return SentenceTransformer(folder / "model.safetensors")


@pytest.mark.parametrize(
    ("name", "compare"),
    [
        ("dot", lambda a, b: (a * b).sum()),
        ("euclidean", lambda a, b: -numpy.sqrt(((a - b) ** 2).sum())),
        ("manhattan", lambda a, b: -numpy.abs(a - b).sum()),
    ],
)
def test_vectors_are_compared_as_the_model_says(
    name: str, compare: Any, tmp_path: pathlib.Path
) -> None:
    embedder = changed_sentences(tmp_path, similarity_fn_name=name)
    assert embedder.similarity_fn_name == name
    vectors = 3 * embedder.encode(ENGLISH[:3])
    expected = [[compare(a, b) for b in vectors] for a in vectors]
    numpy.testing.assert_allclose(embedder.similarity(vectors, vectors), expected, atol=1e-5)
    pairs = embedder.similarity_pairwise(vectors, vectors[::-1])
    numpy.testing.assert_allclose(pairs, [row[-1 - i] for i, row in enumerate(expected)], atol=1e-5)
    embedder.similarity_fn_name = "cosine"
    numpy.testing.assert_allclose(embedder.similarity(vectors[0], vectors[0]), [[1]], rtol=1e-5)
    with pytest.raises(attend.ConfigError, match="similarity_fn_name"):
        embedder.similarity_fn_name = "maxsim"  # type: ignore[assignment]


def test_a_similarity_that_is_not_known_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(attend.DataError, match='"similarity_fn_name" is "maxsim"'):
        changed_sentences(tmp_path, similarity_fn_name="maxsim")


def test_settings_of_the_constructor_replace_those_of_the_model(tmp_path: pathlib.Path) -> None:
    model = changed_sentences(tmp_path, default_prompt_name="query")
    assert model.default_prompt_name == "query"
    other = SentenceTransformer(
        model.path, prompts={"own": "the "}, default_prompt_name="own", truncate_dim=5
    )
    width = model.get_sentence_embedding_dimension()
    assert (other.get_sentence_embedding_dimension(), other.width) == (5, width)
    assert model.encode([]).shape == (0, width)
    for same in other, pickle.loads(pickle.dumps(other)):
        assert same.prompts == model.prompts | {"own": "the "}
        numpy.testing.assert_array_equal(
            same.encode("dog"), model.encode("dog", prompt="the ", prompt_name="unknown")[:5]
        )
    with pytest.raises(attend.ConfigError, match="'nothing'"):
        other.encode("dog", prompt_name="nothing")
    with pytest.raises(attend.ConfigError, match="int8 needs several texts"):
        model.encode("dog", precision="int8")


def test_special_tokens_in_a_text_are_tokens_unless_split(tmp_path: pathlib.Path) -> None:
    model = changed_sentences(tmp_path)
    pieces = model._model.embed_tokens(["man [SEP] dog"], {})[0][0]
    assert "[SEP]" in pieces
    split = model._model.embed_tokens(["man [SEP] dog"], {"split_special_tokens": True})[0][0]
    assert "[SEP]" not in split
    tokens = model.encode("man [SEP] dog", output_value="token_embeddings")
    assert len(tokens) == len(pieces) + 2
