"""Model files and metrics: the results of the command line."""

from __future__ import annotations

import json
import pathlib
import shutil

import attend
import numpy as np
import pytest
from conftest import ENGLISH, SOURCE, Models
from conftest import attend as program

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"
HYPOTHESES = ["the old dog sees a cat", "a cat eats fish", "the dog is asleep"]
REFERENCES = ["the old dog sees the cat", "a cat eats the fish", "the dog sleeps"]


def test_describes_and_checks_a_model(models: Models) -> None:
    description = attend.describe(models.translator.parent)
    assert description.path == str(models.translator)
    assert description.parameters > 1000
    assert description.metadata["attend.task"] == "translation"
    assert description.format_problem == ""
    deviation = attend.check(models.translator)
    assert deviation is not None and deviation < 1e-4


def test_quantizes_as_the_command_line_does(models: Models, tmp_path: pathlib.Path) -> None:
    attend.quantize(models.translator, tmp_path / "ours.safetensors")
    program("quantize", models.translator, "--out", tmp_path / "theirs.safetensors")
    ours, theirs = (tmp_path / f"{name}.safetensors" for name in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert attend.load(ours).translate("the dog sleeps").text == "der hund schläft"
    with pytest.raises(attend.DataError, match="ours.safetensors"):
        attend.quantize(ours, tmp_path / "again.safetensors")


def test_optimizes_as_the_command_line_does(models: Models, tmp_path: pathlib.Path) -> None:
    attend.optimize(models.translator, tmp_path / "ours.safetensors")
    program("optimize", models.translator, "--out", tmp_path / "theirs.safetensors")
    ours = tmp_path / "ours.safetensors"
    assert ours.read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()
    assert attend.describe(ours).metadata["attend.layout"] == "panels-16"


def test_quantizes_to_sixteen_bits(models: Models, tmp_path: pathlib.Path) -> None:
    half, small = tmp_path / "half.safetensors", tmp_path / "small.safetensors"
    attend.quantize(models.translator, half, bits=16)
    attend.quantize(models.translator, small)
    assert {tensor.dtype for tensor in attend.describe(half).tensors} >= {"BF16", "F32"}
    assert small.stat().st_size < half.stat().st_size
    with pytest.raises(attend.ConfigError, match="4, 8 or 16"):
        attend.quantize(models.translator, half, bits=6)


def test_quantizes_to_four_bits(models: Models, tmp_path: pathlib.Path) -> None:
    four, small = tmp_path / "four.safetensors", tmp_path / "small.safetensors"
    attend.quantize(models.translator, four, bits=4)
    attend.quantize(models.translator, small)
    assert attend.describe(four).metadata["attend.weights"] == '{"bits":4,"group":16}'
    assert four.stat().st_size < small.stat().st_size
    assert attend.check(four) < 1e-4
    assert attend.load(four).translate("the dog sleeps").text


def test_averages_checkpoints(models: Models, tmp_path: pathlib.Path) -> None:
    attend.average([models.translator, models.translator], tmp_path / "mean.safetensors")
    assert attend.load(tmp_path / "mean.safetensors").translate("a cat").text
    with pytest.raises(attend.ConfigError):
        attend.average([], tmp_path / "none.safetensors")


def test_imports_and_exports_as_the_command_line_does(tmp_path: pathlib.Path) -> None:
    attend.import_model(FOREIGN / "marian", tmp_path / "ours.safetensors")
    program("import", FOREIGN / "marian", "--out", tmp_path / "theirs.safetensors")
    ours, theirs = (tmp_path / f"{name}.safetensors" for name in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()
    assert attend.export(ours, tmp_path / "exported") == "marian"
    assert (tmp_path / "exported" / "config.json").exists()
    with pytest.raises(attend.IoError):
        attend.import_model(tmp_path / "missing", tmp_path / "x.safetensors")


def test_bleu_and_chrf_are_those_of_the_command_line(tmp_path: pathlib.Path) -> None:
    for name, lines in ("hypotheses", HYPOTHESES), ("references", REFERENCES), ("other", ENGLISH[:3]):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    files = ["--hypotheses", tmp_path / "hypotheses", "--references", tmp_path / "references"]
    printed = program("evaluate", *files)
    assert attend.metrics.report(HYPOTHESES, REFERENCES).strip() in printed
    bleu = attend.metrics.bleu(HYPOTHESES, REFERENCES)
    assert float(bleu) == bleu.score and f"= {bleu.score:.2f} " in printed
    assert repr(bleu) in printed
    assert len(bleu.precisions) == 4 and 0 < bleu.brevity_penalty <= 1
    chrf = attend.metrics.chrf(HYPOTHESES, [REFERENCES])
    assert repr(chrf) in printed
    assert attend.metrics.chrf(HYPOTHESES, REFERENCES, word_order=2).signature.count("nw:2") == 1
    compared = program("evaluate", *files, "--baseline", tmp_path / "other", "--bootstrap-samples", 50)
    ours = attend.metrics.report(
        HYPOTHESES, REFERENCES, baseline=ENGLISH[:3], bootstrap_samples=50
    )
    assert ours.strip() in compared
    files[2:2] = [tmp_path / "references"]
    options = {"significance": "randomization", "trials": 100}
    compared = program(
        "evaluate", *files, "--baseline", tmp_path / "other", "--significance", "randomization",
        "--trials", 100,
    )  # fmt: skip
    several = attend.metrics.report(
        [HYPOTHESES, REFERENCES], REFERENCES, baseline=ENGLISH[:3], **options
    )
    assert several.strip() in compared and "system 2" in several
    with pytest.raises(attend.ConfigError, match="baseline"):
        attend.metrics.report([HYPOTHESES, REFERENCES], REFERENCES)


# The values are those of sacreBLEU 2.6.
def test_the_edit_rate_is_that_of_sacrebleu(tmp_path: pathlib.Path) -> None:
    rate = attend.metrics.ter(HYPOTHESES, REFERENCES)
    assert float(rate) == rate.score == pytest.approx(100 * 2 / 7, abs=1e-9)
    assert rate.signature.startswith("nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|")
    for name, lines in ("hypotheses", HYPOTHESES), ("references", REFERENCES):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    printed = program(
        "evaluate", "--hypotheses", tmp_path / "hypotheses", "--references", tmp_path / "references",
        "--ter",
    )  # fmt: skip
    assert repr(rate) in printed
    mixed, references = ["der Hund, 狗 睡觉!"], [["Hund der 睡狗!"], ["der Hund 狗 睡"]]
    ter, first = attend.metrics.ter, references[0]
    assert ter(mixed, first).score == pytest.approx(400 / 3)
    assert ter(mixed, first, normalized=True).score == pytest.approx(100)
    asian = ter(mixed, first, normalized=True, asian_support=True)
    assert asian.score == pytest.approx(80) and "|norm:yes|punct:yes|asian:yes|" in asian.signature
    assert ter(mixed, first, case_sensitive=True, no_punct=True).score == pytest.approx(100)
    both = ter(mixed, references, normalized=True, asian_support=True)
    assert both.score == pytest.approx(200 / 3)


def test_metrics_refuse_what_they_cannot_score() -> None:
    with pytest.raises(attend.ConfigError):
        attend.metrics.bleu([], [])
    with pytest.raises(attend.DataError):
        attend.metrics.bleu(["a", "b"], ["a"])
    with pytest.raises(attend.ConfigError, match="tokenize"):
        attend.metrics.bleu(["a"], ["a"], tokenize="wrong")  # type: ignore[arg-type]


def test_the_calibration_error_is_that_of_numpy() -> None:
    draw = np.random.default_rng(3)
    probabilities = np.concatenate([draw.random(500), [0.0, 0.1, 0.5, 1.0]])
    right = draw.random(504) < probabilities**2
    for bins in 1, 10, 15:
        index = np.ceil(probabilities * bins).astype(int).clip(1, bins) - 1
        error = sum(
            abs(right[index == one].mean() - probabilities[index == one].mean()) * (index == one).mean()
            for one in np.unique(index)
        )
        ours = attend.metrics.calibration_error(probabilities, right, bins=bins)
        assert ours == pytest.approx(error, abs=1e-12)
    assert attend.metrics.calibration_error([], []) == 0
    with pytest.raises(attend.ConfigError):
        attend.metrics.calibration_error([0.5], [])
    with pytest.raises(attend.DataError):
        attend.metrics.calibration_error([1.5], [True])


def test_a_confusion_matrix_counts_labels() -> None:
    matrix = attend.metrics.confusion_matrix(["a", "b", "a", "a"], ["a", "b", "b", "a"])
    assert matrix.accuracy() == 0.75
    assert matrix.count(0, 1) == 1
    assert matrix.of_class(1).precision == 0.5 and matrix.of_class(1).recall == 1
    assert matrix.macro_f1() == pytest.approx((0.8 + 2 / 3) / 2)
    assert "75" in matrix.table()
    with pytest.raises(attend.ConfigError):
        attend.metrics.confusion_matrix([], [])
