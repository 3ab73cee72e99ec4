"""Texts with a lone surrogate, which UTF-8 cannot write: refused with their place, wherever a text goes
in."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Callable
from typing import Any

import attend
import attend.ctranslate2 as ctranslate2
import pytest
from attend.sentence_transformers import SentenceTransformer
from conftest import SOURCE, Models

LONE = "a c\ud83dt"
SMALL = {"d_model": 16, "n_heads": 2, "d_ff": 32, "vocab_size": 14, "max_steps": 1}

# The start of the message, and a call with a model of each kind.
CALLS: dict[str, list[tuple[str, Callable[[Any], object]]]] = {
    "translator": [
        ("texts:1", lambda t: t.translate(LONE)),
        ("texts:2", lambda t: t.translate(["a", LONE])),
        ("texts:3", lambda t: list(t.translate_iterable(["a", "b", LONE], window=2))),
        ("prefix", lambda t: t.translate("a", prefix=LONE)),
        ("prefixes:2", lambda t: t.translate(["a", "b"], prefix=["a", LONE])),
        ("prefix", lambda t: list(t.translate_iterable(["a"], prefix=LONE))),
        ("texts:1", lambda t: list(t.translate_iterable([LONE], prefix=["a"]))),
        ("prefixes:1", lambda t: list(t.translate_iterable(["a"], prefix=[LONE]))),
        ("sources:1", lambda t: t.score(LONE, "a")),
        ("targets:1", lambda t: t.score("a", LONE)),
        ("targets:2", lambda t: t.score(["a", "b"], ["a", LONE])),
        ("source", lambda t: t.attention(LONE, "a")),
        ("target", lambda t: t.attention("a", LONE)),
        ("source", lambda t: t.explain(LONE)),
        ("target", lambda t: t.explain("a", LONE)),
        ("source", lambda t: t.alternatives(LONE, "a")),
        ("target", lambda t: t.alternatives("a", LONE)),
        ("texts:1", lambda t: t.beam_tree(LONE)),
        ("source", lambda t: t.attention_page(LONE)),
        ("target", lambda t: t.attention_page("a", LONE)),
        ("source:1", lambda t: ctranslate2.Translator(t.path).translate_batch([["a", LONE]])),
        (
            "target_prefix:2",
            lambda t: ctranslate2.Translator(t.path).translate_batch(
                [["a"], ["a"]], [None, [LONE]]
            ),
        ),
        ("source:1", lambda t: ctranslate2.Translator(t.path).score_batch([[LONE]], [["a"]])),
        ("target:1", lambda t: ctranslate2.Translator(t.path).score_batch([["a"]], [[LONE]])),
        ("text", lambda t: t.source_tokenizer.encode(LONE)),
        ("texts:2", lambda t: t.source_tokenizer.encode(["a", LONE])),
        ("text", lambda t: t.source_tokenizer.pieces(LONE)),
        ("text", lambda t: t.source_tokenizer.offsets(LONE)),
        ("piece", lambda t: t.source_tokenizer.id(LONE)),
    ],
    "classifier": [
        ("texts:1", lambda c: c.classify(LONE)),
        ("texts:2", lambda c: c.classify(["a", LONE])),
        ("texts:1", lambda c: c.classify([("a", LONE)])),
        ("text", lambda c: c.explain(LONE)),
        ("text", lambda c: c.word_effects(LONE)),
        ("text", lambda c: c.attention_page(LONE)),
    ],
    "generator": [
        ("prompt", lambda g: g.generate(LONE)),
        ("prompt", lambda g: g.generate_best(LONE, n_best=2)),
        ("prompt", lambda g: list(g.stream(LONE))),
        ("lines:1", lambda g: g.score(LONE)),
        ("lines:2", lambda g: g.score(["a", LONE])),
        ("lines:1", lambda g: g.perplexity([LONE])),
        ("text", lambda g: g.explain(LONE)),
        ("text", lambda g: g.attention_page(LONE)),
        ("start_tokens:1", lambda g: ctranslate2.Generator(g.path).generate_batch([[LONE]])),
        ("static_prompt:1", lambda g: ctranslate2.Generator(g.path).generate_batch([["a"]], static_prompt=[LONE])),
        ("prompt:1", lambda g: list(ctranslate2.Generator(g.path).generate_tokens([LONE]))),
        ("tokens:1", lambda g: ctranslate2.Generator(g.path).score_batch([[LONE]])),
    ],
    "embedder": [
        ("texts:1", lambda e: e.encode(LONE)),
        ("texts:2", lambda e: e.encode(["a", LONE])),
        ("prompt", lambda e: e.encode("a", prompt=LONE)),
        (
            "texts:1",
            lambda e: SentenceTransformer(e.path).encode(
                [LONE], output_value="token_embeddings"
            ),
        ),
        ("texts:1", lambda e: e.forward([LONE])),
    ],
    "tagger": [
        ("texts:1", lambda t: t.tag(LONE)),
        ("texts:2", lambda t: t.tag(["a", LONE])),
        ("texts:1", lambda t: t.tag_words([[LONE]])),
    ],
    "metrics": [
        ("hypotheses:1", lambda m: m.bleu([LONE], ["a"])),
        ("references:1", lambda m: m.bleu(["a"], [LONE])),
        ("references:2", lambda m: m.chrf(["a", "b"], [["a", LONE]])),
        ("hypotheses:1", lambda m: m.chrf([LONE], ["a"])),
        ("hypotheses:1", lambda m: m.ter([LONE], ["a"])),
        ("baseline:1", lambda m: m.report(["a"], ["a"], baseline=[LONE])),
        ("gold:1", lambda m: m.confusion_matrix([LONE], ["a"])),
        ("predicted:1", lambda m: m.confusion_matrix(["a"], [LONE])),
    ],
    "folder": [
        ("item 2", lambda out: attend.train_translation(out=out, pairs=[("a", "b"), ("a", LONE)])),
        ("item 1", lambda out: attend.train_lm(out=out, lines=[LONE])),
        ("item 1", lambda out: attend.train_classification(out=out, examples=[("a", LONE)])),
        ("item 1", lambda out: attend.train_classification(out=out, examples=[(LONE, "a")])),
        ("item 1", lambda out: attend.train_tagging(out=out, examples=[([LONE[2:]], ["O"])])),
        ("item 1", lambda out: attend.train_embedding(out=out, examples=[("a", LONE)])),
        ("sentences:1", lambda out: attend.Tokenizer.train([LONE])),
    ],
}


@pytest.fixture(scope="module")
def receivers(models: Models, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("texts")
    tagger = attend.train_tagging(
        out=folder / "tagger", examples=[(["a", "cat"], ["O", "B-X"])] * 4, valid_every=0, **SMALL
    )
    return {
        "translator": attend.Translator(models.translator),
        "classifier": attend.Classifier(models.classifier),
        "generator": attend.Generator(models.generator),
        "embedder": attend.Embedder(models.translator),
        "tagger": tagger,
        "metrics": attend.metrics,
        "folder": folder / "run",
    }


@pytest.mark.parametrize("kind", CALLS)
def test_a_lone_surrogate_is_refused_with_its_place(receivers: dict[str, object], kind: str) -> None:
    for place, call in CALLS[kind]:
        with pytest.raises(attend.DataError) as error:
            call(receivers[kind])
        message = str(error.value)
        assert message.startswith(place + ": "), message
        assert "lone surrogate U+D83D, which UTF-8 cannot write; decode" in message, message


def test_the_place_of_a_lone_surrogate_is_a_file_and_a_line(models: Models) -> None:
    with pytest.raises(attend.LineError, match="character 4 is the lone surrogate") as error:
        attend.Translator(models.translator).translate(["a", LONE])
    assert (error.value.file, error.value.line) == ("texts", 2)


def test_whole_surrogate_pairs_and_other_characters_are_text(models: Models) -> None:
    texts = ["a \U0001f600 cat", "\x00", "\ufffe", "ü", ""]
    assert len(attend.Translator(models.translator).target_tokenizer.encode(texts)) == len(texts)


def test_an_option_with_a_lone_surrogate_is_named(models: Models, tmp_path: pathlib.Path) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="^src_lang: .*found a lone surrogate in '"):
        translator.translate("a", src_lang=LONE)
    with pytest.raises(attend.ConfigError, match="^the name of an option: .*lone surrogate"):
        translator.translate("a", **{LONE: 1})
    with pytest.raises(attend.ConfigError, match="^tokenizer: .*lone surrogate"):
        attend.train_lm(out=tmp_path / "run", lines=["a"], tokenizer=LONE)
    with pytest.raises(attend.ConfigError, match="^prompt_name: .*"):
        attend.Embedder(models.translator).encode("a", LONE)


def test_an_imported_translator_reads_line_breaks_and_marks_as_its_tokenizer_does(
    tmp_path: pathlib.Path,
) -> None:
    # The tokens are those of BartTokenizer of transformers.
    foreign = SOURCE / "tests" / "interchange" / "data" / "models" / "bart"
    translator = attend.Translator(shutil.copytree(foreign, tmp_path / "bart"))
    texts = {
        "A man\nis": ["A", "Ġ", "m", "a", "n", "Ċ", "i", "s"],
        "\ufeffA man": ["ï", "»", "¿", "A", "Ġ", "m", "a", "n"],
        "man\r\n\r\nA": ["m", "a", "n", "č", "Ċ", "č", "Ċ", "A"],
    }
    for text, tokens in texts.items():
        assert translator.source_tokenizer.pieces(text) == tokens
        assert translator.translate(text).source_tokens == tokens
        assert translator.translate([text])[0].source_tokens == tokens
