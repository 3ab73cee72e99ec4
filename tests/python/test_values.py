"""Results are values: they can be compared, copied and pickled."""

from __future__ import annotations

import copy
import dataclasses
import pathlib
import pickle
import typing
from typing import Any

import pytest
from conftest import KIWI, Models

import attend
import attend.ctranslate2 as ctranslate2

PAIRS = [("the dog sleeps", "der hund schläft"), ("a cat eats the fish", "eine katze frisst")]


def results_of(models: Models, folder: pathlib.Path) -> list[Any]:
    """An object of every class of results, as programs get them."""
    translator = ctranslate2.Translator(models.translator)
    generator = ctranslate2.Generator(models.generator)
    classifier = attend.Classifier(models.classifier)
    history = attend.History()
    attend.train_translation(
        out=folder / "run", pairs=PAIRS, valid_pairs=PAIRS, max_steps=2, valid_every=1,
        vocab_size=60, d_model=16, n_heads=2, d_ff=32, callbacks=[history],
    )  # fmt: skip
    attend.train_tagging(
        out=folder / "tags", examples=[(["the", "dog"], ["O", "B-animal"])] * 8, max_steps=2,
        d_model=16, n_heads=2, d_ff=32, vocab_size=20,
    )  # fmt: skip
    tags = attend.Tagger(folder / "tags").tag(["the dog sleeps"])[0]
    translation = translator.translate("the dog sleeps", n_best=2)
    tokens = translation.source_tokens
    prompt = generator.tokenizer.pieces("the dog")
    why = translator.explain("the dog sleeps")
    description = attend.describe(models.translator)
    matrix = attend.metrics.confusion_matrix(["a", "b", "a"], ["a", "b", "b"])
    steps: list[Any] = []
    generator.generate_batch([prompt], max_length=3, callback=lambda step: bool(steps.append(step)))
    tree = translator.beam_tree("the dog sleeps")
    choices = translator.alternatives("the dog sleeps", "der hund")
    continued = generator.generate("the dog", max_tokens=4)
    trust = translator.translate("in 1984 the dog sleeps", trust=True).trust
    return [
        translation, translation.candidates[0], trust, trust.flags[0],
        description, description.tensors[0],
        continued, generator.score(["the dog"])[0], attend.metrics.bleu(["a b c d"], ["a b c e"]),
        attend.metrics.chrf(["a b"], ["a c"]), attend.metrics.ter(["a b"], ["a c"]), matrix, matrix.of_class(0),
        history.steps[0], history.validations[0], tags, tree, tree.steps[0],
        tree.steps[0].candidates[0], choices, why, classifier.word_effects("the old dog"),
        translator.translate_batch([tokens], return_scores=True, return_logits_vocab=True)[0],
        generator.generate_batch([prompt], max_length=3, return_logits_vocab=True)[0],
        steps[0], generator.score_batch([prompt])[0], translator.attention_page("the dog"),
        translator.tokenizer if hasattr(translator, "tokenizer") else generator.tokenizer,
        attend.metrics.comet(KIWI, ["a cat"], ["eine katze"]),
        generator.explain("the dog sleeps"), attend.Entity("animal", 0, 1, "dog"),
    ]  # fmt: skip


def parts_of(value: Any) -> list[Any]:
    """The value and what it is made of."""
    if isinstance(value, (list, tuple)):
        return [value, *(part for one in value for part in parts_of(one))]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [value, *parts_of([getattr(value, field.name) for field in dataclasses.fields(value)])]
    return [value]


NO_RESULTS = {
    "AsyncGenerationResult", "AsyncResult", "AsyncScoringResult", "AsyncTranslationResult",
    "BaseModel", "Callback", "Classifier", "Embedder", "Generator", "History", "QualityScorer",
    "Tagger", "Translator",
}  # fmt: skip


def test_results_can_be_compared_copied_and_pickled(
    models: Models, tmp_path: pathlib.Path
) -> None:
    seen = set()
    for value in parts_of(results_of(models, tmp_path)):
        seen.add(type(value).__name__)
        for other in (
            copy.copy(value),
            copy.deepcopy(value),
            pickle.loads(pickle.dumps(value)),
            pickle.loads(pickle.dumps(value, protocol=2)),
        ):
            assert type(other) is type(value)
            if type(value).__module__.startswith("attend"):
                assert other == value and not other != value
                assert repr(other) == repr(value)
                assert value != "another" and value is not None
    missing = {
        name
        for module in (attend, attend.metrics, ctranslate2)
        for name in module.__all__
        for one in [getattr(module, name)]
        if isinstance(one, type)
        and not issubclass(one, Exception)
        and not typing.is_typeddict(one)
        and name not in NO_RESULTS | seen
    }
    assert not missing, "each public class of results is tried"


ERRORS = [
    one for one in vars(attend).values() if isinstance(one, type) and issubclass(one, attend.Error)
]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_can_be_pickled(error: type[attend.Error]) -> None:
    one = error("corpus.txt:3: expected text")
    other = pickle.loads(pickle.dumps(one))
    assert type(other) is error and str(other) == str(one)


def test_different_results_differ(models: Models) -> None:
    generator = attend.Generator(models.generator)
    one, other = generator.generate("the dog", max_tokens=4), generator.generate("a", max_tokens=4)
    assert one != other and not one == other
    first, second = generator.score(["the dog", "the cat"])
    assert first != second
    with pytest.raises(TypeError):
        hash(first)


def test_a_pickled_history_still_shows_its_curve(tmp_path: pathlib.Path) -> None:
    history = attend.History()
    attend.train_translation(
        out=tmp_path / "run", pairs=PAIRS, max_steps=2, vocab_size=60, d_model=16, n_heads=2,
        d_ff=32, callbacks=[history],
    )  # fmt: skip
    other = pickle.loads(pickle.dumps(history))
    assert other.steps == history.steps and other._repr_html_() == history._repr_html_()
