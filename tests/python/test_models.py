"""Classifiers, embedders, generators and tokenizers: the values of the command line."""

from __future__ import annotations

import json
import pickle
from typing import Any

import attend
import numpy
import pytest
from conftest import ENGLISH, Models
from conftest import attend as program
from test_translator import as_float32

TEXTS = ["the old dog sleeps", "more bread and fish", "a cat"]


def lines_of_json(printed: str) -> list[dict]:
    return [json.loads(line) for line in printed.splitlines()]


def test_classifies_as_the_command_line_does(models: Models) -> None:
    classifier = attend.load(models.classifier)
    assert isinstance(classifier, attend.Classifier)
    assert classifier.labels == ["animal", "food"]
    expected = lines_of_json(
        program("classify", models.classifier, "--format", "json", text="\n".join(TEXTS) + "\n")
    )
    results = classifier.classify(TEXTS)
    for ours, theirs in zip(results, expected, strict=True):
        assert ours[0]["label"] == theirs["label"]
        assert ours[0]["score"] >= ours[1]["score"]
        for one in ours:
            assert as_float32(one["score"]) == as_float32(theirs["probabilities"][one["label"]])
    assert classifier.classify(TEXTS[1]) == results[1]
    assert results[1][0]["label"] == "food"


def test_a_blank_text_is_named(models: Models) -> None:
    with pytest.raises(attend.DataError, match="^texts:1026: "):
        attend.Classifier(models.classifier).classify(["a cat"] * 1025 + [" "])


def test_embeds_as_the_command_line_does(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    expected = lines_of_json(program("embed", models.translator, text="\n".join(TEXTS) + "\n"))
    vectors = embedder.encode(TEXTS)
    assert vectors.dtype == numpy.float32
    assert vectors.shape == (3, embedder.width) == (3, 16)
    numpy.testing.assert_array_equal(vectors, numpy.float32([e["vector"] for e in expected]))
    numpy.testing.assert_array_equal(embedder.encode(TEXTS[1]), vectors[1])
    assert embedder.encode([]).shape == (0, 16)
    layered = program("embed", models.translator, "--layer", 0, "--pooling", "max", text="a cat\n")
    numpy.testing.assert_array_equal(
        embedder.encode("a cat", layer=0, pooling="max"),
        numpy.float32(lines_of_json(layered)[0]["vector"]),
    )


def test_normalizes_after_truncating(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    short = embedder.encode(TEXTS, truncate_dim=4)
    numpy.testing.assert_array_equal(short, embedder.encode(TEXTS)[:, :4])
    normal = embedder.encode(TEXTS, truncate_dim=4, normalize_embeddings=True)
    numpy.testing.assert_allclose((normal**2).sum(axis=1), 1, rtol=1e-6)
    numpy.testing.assert_allclose(normal[0] * numpy.linalg.norm(short[0]), short[0], rtol=1e-5)


def test_gives_a_vector_per_token_without_padding(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    printed = program(
        "embed", models.translator, "--pooling", "none", text="\n".join(TEXTS) + "\n"
    )
    for ours, theirs in zip(embedder.forward(TEXTS), lines_of_json(printed), strict=True):
        numpy.testing.assert_array_equal(ours, numpy.float32(theirs["vectors"]))


def test_a_wrong_layer_or_prompt_is_a_config_error(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    with pytest.raises(attend.ConfigError, match="layer: expected -2 .. 1, got 7"):
        embedder.encode("a cat", layer=7)
    with pytest.raises(attend.ConfigError, match="prompt"):
        embedder.encode("a cat", prompt_name="passage")


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({"seed": 5}, ["--seed", 5]),
        (
            {"temperature": 2.0, "top_k": 7, "top_p": 0.8, "max_tokens": 30},
            ["--temperature", 2.0, "--top-k", 7, "--top-p", 0.8, "--max-tokens", 30],
        ),
        ({"one_line": True, "repetition_penalty": 1.5}, ["--one-line", "--repetition-penalty", 1.5]),
        (
            {"beam_size": 3, "length_penalty": 0.5, "max_tokens": 12, "context": 8},
            ["--beam-size", 3, "--length-penalty", 0.5, "--max-tokens", 12, "--context", 8],
        ),
    ],
)
def test_generates_as_the_command_line_does(models: Models, options: dict, flags: list) -> None:
    generator = attend.Generator(models.generator)
    command = ["generate", models.generator, "--prompt", "the dog", "--format", "json", *flags]
    expected = lines_of_json(program(*command))[0]
    generation = generator.generate("the dog", **options)
    assert generation.text == expected["text"]
    assert generation.complete == expected["complete"]
    assert [generator.tokenizer.piece(token) for token in generation.ids] == expected["tokens"]
    assert list(map(as_float32, generation.token_scores)) == list(
        map(as_float32, expected["token_log_probabilities"])
    )
    if "beam_size" in options:
        assert as_float32(generation.score) == as_float32(expected["score"])


def test_gives_several_continuations(models: Models) -> None:
    generator = attend.Generator(models.generator)
    expected = lines_of_json(
        program("generate", models.generator, "--prompt", "a", "--n-best", 3, "--format", "json")
    )
    samples = generator.generate_best("a", n_best=3)
    assert [sample.text for sample in samples] == [one["text"] for one in expected]
    assert samples[0].text == generator.generate("a").text
    assert len(generator.generate_best("a", n_best=2, beam_size=3)) == 2


def test_streams_the_text_that_it_generates(models: Models) -> None:
    generator = attend.Generator(models.generator)
    parts = list(generator.stream("the dog", seed=4, max_tokens=40))
    assert len(parts) > 3
    assert "".join(parts) == generator.generate("the dog", seed=4, max_tokens=40).text


def test_a_stream_that_is_closed_ends_the_generation(models: Models) -> None:
    stream = attend.Generator(models.generator).stream("the dog", max_tokens=1_000_000_000)
    assert next(stream)
    stream.close()


def test_a_stream_raises_what_generating_raises(models: Models) -> None:
    with pytest.raises(attend.ConfigError, match="top_p"):
        list(attend.Generator(models.generator).stream("a", top_p=2.0))


def test_options_of_sampling_and_searching_exclude_each_other(models: Models) -> None:
    generator = attend.Generator(models.generator)
    with pytest.raises(attend.ConfigError, match="seed: is for sampling"):
        generator.generate("a", beam_size=2, seed=1)
    with pytest.raises(attend.ConfigError, match="length_penalty: needs beam_size"):
        generator.generate("a", length_penalty=1.0)


def test_scores_lines_and_measures_perplexity(models: Models) -> None:
    generator = attend.Generator(models.generator)
    (models.folder / "lines").write_text("\n".join(ENGLISH) + "\n")
    printed = program("score", models.generator, "--text", models.folder / "lines", "--format", "json")
    for ours, theirs in zip(generator.score(ENGLISH), lines_of_json(printed), strict=True):
        assert as_float32(ours.log_probability) == as_float32(theirs["log_probability"])
    evaluated = program("evaluate", models.generator, "--text", models.folder / "lines", "--format", "json")
    assert generator.perplexity(ENGLISH) == pytest.approx(json.loads(evaluated)["perplexity"], rel=1e-6)


def test_tokenizers_train_encode_and_decode() -> None:
    tokenizer = attend.Tokenizer.train(ENGLISH * 4, type="bpe", vocab_size=40)
    assert repr(tokenizer) == "attend.Tokenizer(vocab_size=40)"
    ids = tokenizer.encode("the old dog")
    assert tokenizer.decode(ids) == "the old dog"
    assert tokenizer.encode(["the old dog", "a cat"])[0] == ids
    assert "".join(tokenizer.pieces("the old dog")) == "▁the▁old▁dog"
    assert [tokenizer.id(piece) for piece in tokenizer.pieces("the old dog")] == ids
    assert tokenizer.special_ids == {"bos": 2, "eos": 3, "pad": 0, "unk": 1}
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert copy.to_bytes() == tokenizer.to_bytes()
    with pytest.raises(attend.DataError):
        tokenizer.decode([40])
    with pytest.raises(attend.ConfigError, match="vocab"):
        attend.Tokenizer.train(ENGLISH, vocab_size=100_000)


def test_special_tokens_in_a_text_are_tokens_when_asked() -> None:
    tokenizer = attend.Tokenizer.train(ENGLISH * 4, type="wordpiece", vocab_size=40)
    end = tokenizer.special_ids["eos"]
    text = "a" + tokenizer.piece(end)
    assert end not in tokenizer.encode(text)
    assert tokenizer.encode(text, special=True)[-1] == end
    assert tokenizer.encode([text], special=True) == [tokenizer.encode(text, special=True)]
    assert tokenizer.offsets(text, special=True)[-1] == (1, len(text))
    assert tokenizer.pieces(text, special=True)[-1] == tokenizer.piece(end)


@pytest.mark.parametrize(
    ("type", "vocab_size"),
    [("bpe", 40), ("unigram", 20), ("chars", 28), ("word", 13), ("wordpiece", 40), ("byte_bpe", 288)],
)
def test_offsets_say_which_characters_a_token_stands_for(type: Any, vocab_size: int) -> None:
    tokenizer = attend.Tokenizer.train(ENGLISH * 4, type=type, vocab_size=vocab_size)
    text = "  the old\u3000dog, süß"
    offsets = tokenizer.offsets(text)
    assert len(offsets) == len(tokenizer.encode(text))
    parts = [text[begin:end] for begin, end in offsets]
    # A token may be a space, but none has spaces around other characters.
    assert all(part == part.strip() or part.isspace() for part in parts)
    covered = {i for begin, end in offsets for i in range(begin, end) if not text[i].isspace()}
    assert covered == {i for i, character in enumerate(text) if not character.isspace()}
    if type == "word":
        assert parts == ["the", "old", "dog,", "süß"]


def test_the_tokenizer_of_a_model_encodes_as_the_model_does(models: Models) -> None:
    translator = attend.Translator(models.translator)
    assert (
        translator.source_tokenizer.pieces("the old dog")
        == translator.translate("the old dog").source_tokens
    )
