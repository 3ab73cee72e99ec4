"""The keyword arguments that functions name are the options of the program."""

from __future__ import annotations

import importlib.util
import inspect
import pathlib
import pydoc
import typing

import attend
import pytest
from attend import _attend, _options, metrics
from conftest import ENGLISH, SOURCE, Models
from conftest import attend as program

TRAINING = {
    "translation": attend.train_translation,
    "lm": attend.train_lm,
    "classification": attend.train_classification,
    "tagging": attend.train_tagging,
    "embedding": attend.train_embedding,
}


def options_of(function: typing.Any) -> type:
    """The type of the keyword arguments."""
    (name,) = (
        one.annotation
        for one in inspect.signature(function).parameters.values()
        if one.kind is one.VAR_KEYWORD
    )
    found: type = getattr(_options, name.removeprefix("Unpack[").removesuffix("]"))
    return found


def test_types_are_written_from_the_program() -> None:
    spec = importlib.util.spec_from_file_location("options", SOURCE / "python" / "options.py")
    assert spec and spec.loader
    writer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(writer)
    assert writer.written(_attend) == pathlib.Path(_options.__file__).read_text()


@pytest.mark.parametrize("task", TRAINING)
def test_training_names_every_option_of_the_command_line(task: str) -> None:
    function = TRAINING[task]
    options = options_of(function)
    named = set(typing.get_type_hints(options)) | set(inspect.signature(function).parameters)
    known = {name for name, *_ in _attend.training_options(task)}
    assert known <= named
    page = program("train", task, "--help")
    assert all(f"--{name.replace('_', '-')}" in page.replace("--[no-]", "--") for name in known)
    assert issubclass(options, dict) and options.__doc__
    helped = pydoc.render_doc(options) + pydoc.render_doc(attend.TrainingOptions)
    assert all(f"``{name}``" in helped for name in known & set(typing.get_type_hints(options)))


def test_other_functions_name_options_of_the_command_line(models: Models) -> None:
    for function, described in (
        (attend.Translator.translate, _attend.translation_options()),
        (attend.Generator.generate, _attend.generation_options()),
        (attend.Generator.explain, _attend.explanation_options()),
        (metrics.bleu, _attend.bleu_options()),
        (metrics.chrf, _attend.chrf_options()),
        (metrics.ter, _attend.ter_options()),
        (metrics.report, _attend.report_options()),
    ):
        named = set(typing.get_type_hints(options_of(function)))
        own = f"{function.__name__}_" if function in (metrics.chrf, metrics.ter) else ""
        names = {name.removeprefix(own) for name, *_ in described}
        assert names - named <= {"window", "alignment", "n_best"}
        assert named - names <= {"prefix", "prefix_ids", "alignments", "comet", "rerank"}
    # Each is taken.
    defaults: typing.Any = {
        name: values[0] for name, _, _, values, _ in _attend.generation_options() if values
    }
    for name in ("n_best", "length_penalty", "patience", "min_tokens"):  # of a beam, or of a line
        defaults.pop(name)
    assert attend.Generator(models.generator).generate(ENGLISH[0], **defaults).ids


def test_options_that_are_none_keep_their_defaults(tmp_path: pathlib.Path) -> None:
    model = attend.train_lm(
        out=tmp_path / "run", lines=ENGLISH * 8, max_steps=1, vocab_size=40, d_model=16, d_ff=32,
        n_heads=2, n_layers=None, init_from=None, sequence_length=16, save_every=0,
    )  # fmt: skip
    assert model.generate("the", max_tokens=1).ids
