"""The module as a whole: loading, errors, the program inside, threads."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import attend
import pytest
from conftest import SOURCE, Models
from conftest import attend as program


def test_the_version_is_that_of_the_project() -> None:
    project = re.search(r"project\(attend VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())
    assert project and attend.__version__ == project[1]
    assert "instruction sets: " in attend.build_information()


@pytest.mark.parametrize("kind", ["translator", "classifier", "generator"])
def test_load_finds_the_class_of_a_model(models: Models, kind: str) -> None:
    path = getattr(models, kind)
    assert type(attend.load(path)).__name__.lower() == kind
    assert type(attend.load(str(path.parent), threads=1)).__name__.lower() == kind


def test_errors_have_the_bases_that_python_expects(models: Models, tmp_path: pathlib.Path) -> None:
    with pytest.raises(OSError, match="missing.safetensors") as missing:
        attend.load(tmp_path / "missing.safetensors")
    assert isinstance(missing.value, attend.IoError) and isinstance(missing.value, attend.Error)
    (tmp_path / "damaged.safetensors").write_bytes(models.translator.read_bytes()[:-10])
    with pytest.raises(ValueError, match="damaged.safetensors") as damaged:
        attend.load(tmp_path / "damaged.safetensors")
    assert isinstance(damaged.value, attend.DataError)
    with pytest.raises(attend.DataError, match="for classification, found one for translation"):
        attend.Classifier(models.translator)
    with pytest.raises(attend.ConfigError):
        attend.load(models.translator, threads=-1)


def test_a_data_error_knows_its_file_and_line() -> None:
    error = attend.LineError("corpus/train.en:17: expected UTF-8, got byte 0xff")
    assert (error.file, error.line) == ("corpus/train.en", 17)
    assert (attend.DataError("no place").file, attend.DataError("no place").line) == (None, None)


def run_module(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "attend", *arguments],
        input=text, capture_output=True, encoding="utf-8",
    )  # fmt: skip


def test_the_module_is_the_program(models: Models) -> None:
    text = "the dog sleeps\na cat\n"
    run = run_module("translate", str(models.translator), text=text)
    assert run.stdout == program("translate", models.translator, text=text)
    assert run_module("--help").stdout == program("--help")
    wrong = run_module("translate", "missing", text=text)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr.startswith("attend: ")
    assert run_module("translate").returncode == 2


def test_the_module_takes_names_of_files_that_are_not_utf8(
    models: Models, tmp_path: pathlib.Path
) -> None:
    name = os.fsdecode(bytes(tmp_path / "model") + b"\xff")
    shutil.copy(models.translator, name)
    assert run_module("translate", name, text="a cat\n").stdout == program(
        "translate", models.translator, text="a cat\n"
    )


def test_many_threads_get_the_answers_of_one(models: Models) -> None:
    translator = attend.Translator(models.translator)
    sentences = ["the old dog sees the cat", "a fish sleeps", "the cat eats"]
    expected = [(t.text, t.score, t.token_scores) for t in translator.translate(sentences)]

    def call(number: int) -> bool:
        one = translator.translate(sentences[number % 3])
        return (one.text, one.score, one.token_scores) == expected[number % 3]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(1600)))
