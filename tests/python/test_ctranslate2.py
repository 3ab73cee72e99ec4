"""What CTranslate2 itself makes of the same calls, where it is installed."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from typing import Any

import attend
import attend.ctranslate2
import numpy
import pytest
from attend.ctranslate2 import _options
from conftest import ENGLISH, SOURCE, Models

ctranslate2 = pytest.importorskip("ctranslate2")
for module in ("sentencepiece", "safetensors"):  # of the script that converts the model
    pytest.importorskip(module)

SENTENCES = [*ENGLISH, "the fish", "a dog eats the old cat and the fish sleeps"]


@pytest.fixture(scope="module")
def both(models: Models) -> tuple[attend.ctranslate2.Translator, Any]:
    """The same model for both."""
    script, folder = SOURCE / "bench" / "compare" / "convert_to_ctranslate2.py", "ctranslate2"
    arguments = [sys.executable, script, models.translator, models.folder / folder, "float32"]
    subprocess.run(arguments, check=True)
    return attend.ctranslate2.Translator(models.translator), ctranslate2.Translator(
        str(models.folder / folder), intra_threads=1
    )


def compared(both: tuple[attend.ctranslate2.Translator, Any], **options: Any) -> tuple[list, list]:
    """The results of attend and of CTranslate2."""
    ours, theirs = both
    tokens = [ours.source_tokenizer.pieces(sentence) for sentence in SENTENCES]
    prefixes = options.pop("prefix", None) and [["▁die"]] * len(tokens)
    # A least length of 0: what may not come raises the others in CTranslate2.
    asked = {"max_decoding_length": 24, "min_decoding_length": 0, **options}
    return (
        ours.translate_batch(tokens, prefixes, **asked),
        theirs.translate_batch(tokens, prefixes, **asked),
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"beam_size": 1},
        {"beam_size": 4, "num_hypotheses": 3},
        {"beam_size": 4, "length_penalty": 0.2},
        {"beam_size": 2, "patience": 2.0, "num_hypotheses": 4},
        {"beam_size": 3, "patience": 0.7},
        {"beam_size": 1, "repetition_penalty": 1.5},
        {"beam_size": 3, "num_hypotheses": 2, "repetition_penalty": 1.3},
        {"beam_size": 3, "num_hypotheses": 3, "coverage_penalty": 0.7, "max_batch_size": 1},
        {"beam_size": 2, "prefix": True},
        {"beam_size": 1, "repetition_penalty": 2.0, "prefix": True},
        {"beam_size": 1, "prefix": True, "prefix_bias_beta": 0.4},
        {"beam_size": 1, "prefix": True, "prefix_bias_beta": 0.99},
        {"beam_size": 2, "return_end_token": True},
        {"beam_size": 1, "end_token": "▁die"},
        {"beam_size": 1, "end_token": ["▁die", "</s>"], "return_end_token": True},
    ],
    ids=str,
)
def test_finds_what_ctranslate2_finds(
    both: tuple[attend.ctranslate2.Translator, Any], options: dict[str, Any]
) -> None:
    for ours, theirs in zip(*compared(both, return_scores=True, **options), strict=True):
        assert ours.hypotheses == theirs.hypotheses
        assert ours.scores == pytest.approx(theirs.scores, abs=1e-4)


# Scores differ: CTranslate2 gives the others the probability of what is suppressed.
@pytest.mark.parametrize(
    "options",
    [
        {"num_hypotheses": 3, "return_alternatives": True},
        {"num_hypotheses": 4, "return_alternatives": True, "beam_size": 3, "prefix": True},
        {
            "num_hypotheses": 9,
            "return_alternatives": True,
            "min_alternative_expansion_prob": 0.05,
            "beam_size": 1,
        },
        {"no_repeat_ngram_size": 1},
        {"no_repeat_ngram_size": 2, "min_decoding_length": 20},
        {"min_decoding_length": 12},
        {"min_decoding_length": 12, "repetition_penalty": 1.7},
        {"disable_unk": True},
        {"suppress_sequences": [["▁die"], ["l", "t"]]},
        {"suppress_sequences": [["</s>"]]},
        {"suppress_sequences": [["▁katze"]], "prefix": True, "no_repeat_ngram_size": 3},
    ],
    ids=str,
)
def test_writes_what_ctranslate2_writes(
    both: tuple[attend.ctranslate2.Translator, Any], options: dict[str, Any]
) -> None:
    for ours, theirs in zip(*compared(both, **{"beam_size": 1, **options}), strict=True):
        assert ours.hypotheses == theirs.hypotheses


def test_a_callback_hears_what_ctranslate2_tells(both: tuple[attend.ctranslate2.Translator, Any]) -> None:
    ours, theirs = both
    tokens = [ours.source_tokenizer.pieces(sentence) for sentence in SENTENCES]
    prefixes = [["▁die"], *[None] * (len(tokens) - 1)]

    def heard_from(translator: Any) -> dict[int, list[tuple]]:
        heard: dict[int, list[tuple]] = {}

        def callback(step: Any) -> bool:
            one = (step.step, step.token_id, step.hypothesis_id, step.token, step.is_last)
            heard.setdefault(step.batch_id, []).append((*one, step.log_prob))
            return False

        translator.translate_batch(
            tokens, prefixes, beam_size=1, max_decoding_length=9, min_decoding_length=0,
            return_scores=True, callback=callback,
        )  # fmt: skip
        return heard

    found, expected = heard_from(ours), heard_from(theirs)
    assert found.keys() == expected.keys()
    for number in found:
        assert [one[:5] for one in found[number]] == [one[:5] for one in expected[number]]
        assert [one[5] for one in found[number]] == pytest.approx(
            [one[5] for one in expected[number]], abs=1e-4
        )


@pytest.mark.parametrize("options", [{}, {"prefix": True}], ids=str)
def test_returns_the_logits_of_ctranslate2(
    both: tuple[attend.ctranslate2.Translator, Any], options: dict[str, Any]
) -> None:
    # In CTranslate2 only greedy search has them.
    asked = {"beam_size": 1, "return_logits_vocab": True, "return_end_token": True, **options}
    for ours, theirs in zip(*compared(both, **asked), strict=True):
        assert ours.hypotheses == theirs.hypotheses
        assert_same_logits(ours.logits, theirs.logits)


def assert_same_logits(ours: list, theirs: list) -> None:
    assert [len(one) for one in ours] == [len(one) for one in theirs]
    for found, expected in zip(ours, theirs, strict=True):
        for row, column in zip(found, expected, strict=True):
            numpy.testing.assert_allclose(row, numpy.array(column).ravel(), atol=2e-4)


@pytest.fixture(scope="module")
def both_generators(models: Models) -> tuple[attend.ctranslate2.Generator, Any]:
    pytest.importorskip("transformers")
    folder = models.folder / "gpt2"
    model = SOURCE / "tests" / "interchange" / "data" / "models" / "gpt2"
    ctranslate2.converters.TransformersConverter(str(model)).convert(str(folder))
    config = json.loads((folder / "config.json").read_text())
    config["unk_token"] = config["unk_token"] or config["eos_token"]  # the tokenizer has none
    (folder / "config.json").write_text(json.dumps(config))
    attend.import_model(model, models.folder / "gpt2.safetensors")
    return attend.ctranslate2.Generator(models.folder / "gpt2.safetensors"), ctranslate2.Generator(
        str(folder), intra_threads=1
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"include_prompt_in_result": False},
        {"return_alternatives": True, "num_hypotheses": 3},
    ],
    ids=str,
)
def test_generates_what_ctranslate2_generates(
    both_generators: tuple[attend.ctranslate2.Generator, Any], options: dict[str, Any]
) -> None:
    ours, theirs = both_generators
    prompts = [ours.tokenizer.pieces(text) for text in ("the old", "a cat eats the fish")]
    asked = {"max_length": 12, "return_scores": True, "return_end_token": True, **options}
    for found, expected in zip(
        ours.generate_batch(prompts, **asked), theirs.generate_batch(prompts, **asked), strict=True
    ):
        assert found.sequences == expected.sequences
        assert found.sequences_ids == expected.sequences_ids
        # The GELU of CTranslate2 is another approximation.
        assert found.scores == pytest.approx(expected.scores, rel=0.01)


def test_replaces_unknown_words_by_the_most_attended(both: tuple[attend.ctranslate2.Translator, Any]) -> None:
    unknown = ["<unk>"]
    ours, theirs = both
    tokens = [ours.source_tokenizer.pieces(sentence) for sentence in SENTENCES]
    options: dict[str, Any] = {"beam_size": 1, "replace_unknowns": True, "max_decoding_length": 12}
    # As a prefix, so that it is there.
    found = ours.translate_batch(tokens, [unknown] * len(tokens), **options)
    expected = theirs.translate_batch(tokens, [unknown] * len(tokens), **options)
    assert [one.hypotheses for one in found] == [one.hypotheses for one in expected]
    assert all("<unk>" not in one.hypotheses[0] for one in found)


def arguments_of(method: Any) -> dict[str, object]:
    """The names and defaults of a compiled function, which are in its docstring."""
    (line,) = [one for one in method.__doc__.splitlines() if f"{method.__name__}(self" in one]
    tree = ast.parse(f"def {re.sub(r'ctranslate2[._a-zA-Z]*', 'object', line)}: ...")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    given, named = function.args, {}
    for names, values in (
        ([one.arg for one in given.args][-len(given.defaults) :], given.defaults),
        ([one.arg for one in given.kwonlyargs], given.kw_defaults),
    ):
        named |= dict(zip(names, map(ast.literal_eval, filter(None, values)), strict=False))
    return named


def test_arguments_have_the_names_and_defaults_of_ctranslate2() -> None:
    both = {"asynchronous": False}
    for kind, method, options in (
        ("Translator", "translate_batch", _options.TRANSLATION | {"target_prefix": None}),
        ("Translator", "score_batch", _options.PAIR_SCORING),
        ("Generator", "generate_batch", _options.GENERATION),
        ("Generator", "score_batch", _options.SCORING),
    ):
        assert options | both == arguments_of(getattr(getattr(ctranslate2, kind), method)), method
    for typed, options in (
        (_options.TranslationBatchOptions, _options.TRANSLATION),
        (_options.PairScoringOptions, _options.PAIR_SCORING),
        (_options.GenerationBatchOptions, _options.GENERATION),
        (_options.ScoringOptions, _options.SCORING),
    ):
        assert typed.__optional_keys__ == options.keys()
    for kind in ("Translator", "Generator"):
        ours, theirs = getattr(attend.ctranslate2, kind), getattr(ctranslate2, kind)
        assert defaults_of(ours.__init__) == arguments_of(theirs.__init__)
        for name in vars(ours):
            if hasattr(theirs, name) and name.endswith("_iterable"):
                assert defaults_of(getattr(ours, name)) == defaults_of(getattr(theirs, name))


def defaults_of(function: Any) -> dict[str, object]:
    """The names and defaults of a function of Python."""
    return {
        name: one.default
        for name, one in inspect.signature(function).parameters.items()
        if one.default is not one.empty
    }


@pytest.mark.parametrize("options", [{}, {"max_batch_size": 2}], ids=str)
def test_reads_iterables_as_ctranslate2_does(
    both: tuple[attend.ctranslate2.Translator, Any], options: dict[str, Any]
) -> None:
    ours, theirs = both
    tokens = [ours.source_tokenizer.pieces(sentence) for sentence in SENTENCES]
    prefixes: list[list[str]] = [["▁die"], *[[]] * (len(tokens) - 1)]
    translations = [
        [one.hypotheses for one in model.translate_iterable(iter(tokens), prefixes, **options)]
        for model in both
    ]
    assert translations[0] == translations[1]
    targets = [one[0] for one in translations[0]]
    scores = [list(model.score_iterable(iter(tokens), targets, **options)) for model in both]
    for found, expected in zip(*scores, strict=True):
        assert found.tokens == expected.tokens
        assert found.log_probs == pytest.approx(expected.log_probs, abs=1e-4)


def test_scores_iterables_of_texts_as_ctranslate2_does(
    both_generators: tuple[attend.ctranslate2.Generator, Any]
) -> None:
    ours, theirs = both_generators
    texts = [ours.tokenizer.pieces(text) for text in ("the old", "a cat eats the fish", "a dog")]
    for found, expected in zip(
        ours.score_iterable(iter(texts), max_batch_size=2),
        theirs.score_iterable(iter(texts), max_batch_size=2),
        strict=True,
    ):
        assert found.tokens == expected.tokens
        assert found.log_probs == pytest.approx(expected.log_probs, rel=0.01)
