"""Why a word, what else might stand there, and models whose attention is changed: the values of the
command line."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attend
import pytest
from conftest import Models
from conftest import attend as program
from test_translator import as_float32

TEXT = "the old dog sees the cat"


def expect_explained(ours: attend.Explanation, printed: str) -> None:
    """Number by number what ``attend explain --format json`` has printed."""
    theirs = json.loads(printed)
    assert ours.tokens == theirs["tokens"]
    assert ours.position == theirs["position"]
    assert as_float32(ours.difference) == as_float32(theirs["difference"])
    tokens = [(ours.token, theirs["token"])]
    assert (ours.instead is None) == (theirs["instead"] is None)
    if ours.instead is not None:
        tokens.append((ours.instead, theirs["instead"]))
    for layer, expected in zip(ours.lens, theirs["lens"], strict=True):
        tokens += zip(layer, expected, strict=True)
    for token, one in tokens:
        assert token.token == one["token"]
        assert as_float32(token.probability) == as_float32(one["probability"])
    for part, one in zip(ours.parts, theirs["parts"], strict=True):
        assert (part.module, part.head) == (one["module"], one.get("head"))
        assert as_float32(part.value) == as_float32(one["value"])
    for addition, one in zip(ours.additions, theirs["additions"], strict=True):
        assert addition.module == one["module"]
        assert as_float32(addition.length) == as_float32(one["length"])
        assert as_float32(addition.cosine) == as_float32(one["cosine"])


def explained(model: Any, *arguments: object) -> str:
    return program("explain", model, *arguments, "--format", "json")


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"position": 2, "top": 3}, ["--position", 2, "--top", 3]),
        ({"instead": "katze"}, ["--instead", "katze"]),
        ({"alone": True}, ["--alone"]),
    ],
)
def test_translations_are_explained_as_on_the_command_line(
    models: Models, options: dict, flags: list
) -> None:
    translator = attend.Translator(models.translator)
    expect_explained(translator.explain(TEXT, **options), explained(models.translator, TEXT, *flags))
    target = "der hund sieht die katze"
    expect_explained(
        translator.explain(TEXT, target, **options),
        explained(models.translator, TEXT, "--target", target, *flags),
    )


def test_a_translation_is_explained_by_the_tokens_it_was_written_in(models: Models) -> None:
    translator = attend.Translator(models.translator)
    translation = translator.translate(TEXT, n_best=2)
    best = translator.explain(TEXT)
    assert translator.explain(TEXT, translation) == best
    assert translator.explain(TEXT, translation.candidates[0]) == best
    tokenizer = translator.target_tokenizer
    ids = [tokenizer.id(token) for token in translation.tokens]
    assert translator.explain(TEXT, ids) == best
    assert best.tokens == [*translation.tokens, "</s>"]


def test_texts_and_classes_are_explained_as_on_the_command_line(models: Models) -> None:
    generator = attend.Generator(models.generator)
    expect_explained(generator.explain("the old"), explained(models.generator, "the old"))
    expect_explained(
        generator.explain("the old dog", position=1, instead="cat"),
        explained(models.generator, "the old dog", "--position", 1, "--instead", "cat"),
    )
    classifier = attend.Classifier(models.classifier)
    expect_explained(classifier.explain("bread"), explained(models.classifier, "bread"))
    alone = classifier.explain("bread", alone=True)
    expect_explained(alone, explained(models.classifier, "bread", "--alone"))
    assert alone.position is None and alone.instead is None and alone.lens == []


def test_the_parts_add_up_to_the_difference(models: Models) -> None:
    why = attend.Translator(models.translator).explain(TEXT, position=1)
    assert sum(part.value for part in why.parts) == pytest.approx(why.difference, abs=1e-4)
    largest = why.largest_parts(3)
    assert abs(largest[0].value) == max(abs(part.value) for part in why.parts)
    assert len(largest) == 3
    heads = [part for part in why.parts if part.module == "decoder.layers.0.cross_attn"]
    assert [part.head for part in heads] == [0, 1]


def test_an_explanation_says_and_shows_what_it_is(models: Models) -> None:
    translator = attend.Translator(models.translator)
    why = translator.explain(TEXT, "der <b> hund", position=0)
    assert why.instead is not None
    assert repr(why).startswith(f"Explanation(token={why.token.token!r}, instead={why.instead.token!r}")
    page = why._repr_html_()
    assert "<b> hund" not in page and "&lt;" in page
    assert f"{why.difference:+.4f}" in page and "all others" in page and "layer 0" in page
    assert pickle.loads(pickle.dumps(why)) == why
    shown = attend.Classifier(models.classifier).explain("bread")._repr_html_()
    assert "would be written" not in shown, "a class has no lens"


def test_wrong_explanations_are_named(models: Models) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="position"):
        translator.explain("a cat", "eine katze", position=99)
    with pytest.raises(attend.ConfigError, match="nowhere"):
        translator.explain("a cat", instead="nowhere")
    with pytest.raises(attend.ConfigError, match="unknown option .positon.; did you mean position"):
        translator.explain("a cat", positon=1)  # type: ignore[call-arg]
    with pytest.raises(attend.DataError, match="source: character 1 is the lone surrogate"):
        translator.explain("\ud83d", "a")
    with pytest.raises(attend.DataError):
        translator.explain("a cat", [60])
    with pytest.raises(attend.ConfigError, match="dessert"):
        attend.Classifier(models.classifier).explain("bread", instead="dessert")
    with pytest.raises(attend.DataError, match="found none"):
        attend.Classifier(models.classifier).explain(" ")


def test_alternatives_have_the_scores_of_the_translation(models: Models) -> None:
    translator = attend.Translator(models.translator)
    source, target = "the dog sleeps", "der hund schläft"
    found = translator.alternatives(source, target, count=60)
    score = translator.score(source, target)
    assert [one.written.log_probability for one in found] == pytest.approx(score.token_scores, abs=1e-5)
    tokens = translator.target_tokenizer.pieces(target)
    assert [one.written.token for one in found] == [*tokens, "</s>"]
    for one in found:
        assert one.likeliest[one.rank - 1] == one.written
        order = [choice.log_probability for choice in one.likeliest]
        assert order == sorted(order, reverse=True)
    few = translator.alternatives(source, translator.translate(source), count=2)
    assert all(len(one.likeliest) == 2 for one in few)
    with pytest.raises(attend.ConfigError, match="at least 1"):
        translator.alternatives(source, target, count=0)
    with pytest.raises(attend.ConfigError, match="ids of target tokens"):
        translator.alternatives(source, [60])


def test_many_threads_get_the_explanations_of_one(models: Models) -> None:
    translator = attend.Translator(models.translator)
    expected = translator.explain(TEXT), translator.alternatives(TEXT, "der hund")
    with ThreadPoolExecutor(8) as pool:
        calls = [
            pool.submit(lambda: (translator.explain(TEXT), translator.alternatives(TEXT, "der hund")))
            for _ in range(64)
        ]
        assert all(call.result() == expected for call in calls)


CHANGES = [
    ({"heads_off": "decoder.layers.0.cross_attn:0"}, ["--heads-off", "decoder.layers.0.cross_attn:0"]),
    (
        {"heads_off": ["encoder.*", "decoder.layers.1.self_attn:1"], "attention_beta": 3},
        ["--heads-off", "encoder.*", "decoder.layers.1.self_attn:1", "--attention-beta", 3],
    ),
    (
        {"attention_beta": {"decoder.layers.0.cross_attn:1": 0, "encoder.*": 0.5}},
        ["--attention-beta", "decoder.layers.0.cross_attn:1=0", "encoder.*=0.5"],
    ),
    ({"positions_off": True}, ["--positions-off"]),
]


@pytest.mark.parametrize(("changes", "flags"), CHANGES)
def test_changed_attention_gives_the_values_of_the_command_line(
    models: Models, changes: dict, flags: list
) -> None:
    translator = attend.load(models.translator, **changes)
    assert isinstance(translator, attend.Translator)
    printed = program("translate", models.translator, "--format", "json", *flags, text=TEXT + "\n")
    ours, theirs = translator.translate(TEXT), json.loads(printed)["translations"][0]
    assert ours.tokens == theirs["tokens"]
    assert as_float32(ours.score) == as_float32(theirs["score"])
    expect_explained(translator.explain(TEXT), explained(models.translator, TEXT, *flags))
    assert ours.score != attend.load(models.translator).translate(TEXT).score


def test_a_changed_model_says_so_and_travels_with_its_changes(models: Models) -> None:
    changes = {"heads_off": ["encoder.*"], "attention_beta": {"decoder.*": 2.0}}
    translator = attend.Translator(models.translator, **changes)  # type: ignore[arg-type]
    assert repr(translator) == (
        f"attend.Translator({str(models.translator)!r}, heads_off=['encoder.*'], "
        "attention_beta={'decoder.*': 2.0})"
    )
    copy = pickle.loads(pickle.dumps(translator))
    assert repr(copy) == repr(translator)
    assert copy.translate(TEXT).token_scores == translator.translate(TEXT).token_scores
    plain = pickle.loads(pickle.dumps(attend.Translator(models.translator)))
    assert plain.translate(TEXT).token_scores != copy.translate(TEXT).token_scores


def test_other_models_are_changed_too(models: Models) -> None:
    classifier = attend.Classifier(models.classifier, heads_off="encoder.*")
    expect_explained(
        classifier.explain("bread"), explained(models.classifier, "bread", "--heads-off", "encoder.*")
    )
    generator = attend.load(models.generator, attention_beta=0)
    assert isinstance(generator, attend.Generator)
    expect_explained(
        generator.explain("the old"), explained(models.generator, "the old", "--attention-beta", 0)
    )
    vectors = [
        attend.Embedder(models.translator, heads_off=heads).encode("a cat")
        for heads in ("encoder.*", None)
    ]
    assert (vectors[0] != vectors[1]).any()


def test_changes_that_do_not_fit_are_named(models: Models) -> None:
    with pytest.raises(attend.ConfigError, match="encoder.layers.7"):
        attend.load(models.translator, heads_off="encoder.layers.7.self_attn")
    with pytest.raises(attend.ConfigError, match="1e6|1000000"):
        attend.load(models.translator, attention_beta=1e9)
    with pytest.raises(attend.DataError, match="for classification, found one for translation"):
        attend.Classifier(models.translator, heads_off="encoder.*")
    with pytest.raises(TypeError, match="heads_of"):
        attend.Translator(models.translator, heads_of="encoder.*")  # type: ignore[call-arg]
