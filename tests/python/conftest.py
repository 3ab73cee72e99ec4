"""Small models of every kind, trained by the program beside the module under test.

ATTEND_PROGRAM names the program, ATTEND_SOURCE the source tree; tests/python/run_tests.sh sets
both.
"""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

PROGRAM = os.environ["ATTEND_PROGRAM"]
SOURCE = pathlib.Path(os.environ["ATTEND_SOURCE"])

#: A model of COMET that reads references, and one that needs none, with random weights.
COMET = SOURCE / "tests/interchange/data/models/comet_regression"
KIWI = COMET.with_name("comet_kiwi")

ENGLISH = ["the old dog sees the cat", "a cat eats the fish", "the dog sleeps", "the cat sees a fish"]
GERMAN = [
    "der alte hund sieht die katze",
    "eine katze frisst den fisch",
    "der hund schläft",
    "die katze sieht einen fisch",
]
LABELED = [
    "animal\tthe old dog sleeps",
    "food\tbread and fish",
    "animal\ta cat sees the dog",
    "food\tfish and more bread",
]
SMALL = ["--d-model", "16", "--n-heads", "2", "--d-ff", "32", "--save-every", "0"]
SMALL += ["--learning-rate", "5e-3", "--warmup-steps", "5"]


def attend(*arguments: object, text: str = "") -> str:
    """What the program prints."""
    run = subprocess.run(
        [PROGRAM, *map(str, arguments)], input=text, capture_output=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


class Models:
    """The folder of the models, and the paths of their files."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.translator = folder / "translation" / "model.safetensors"
        self.classifier = folder / "classification" / "model.safetensors"
        self.generator = folder / "lm" / "model.safetensors"

    def train(self) -> None:
        (self.folder / "train.en").write_text("\n".join(ENGLISH * 8) + "\n")
        (self.folder / "train.de").write_text("\n".join(GERMAN * 8) + "\n")
        (self.folder / "train.tsv").write_text("\n".join(LABELED * 8) + "\n")
        self._train(
            "translation", "--src-train", "train.en", "--tgt-train", "train.de", "--vocab-size", 60,
            "--n-encoder-layers", 1, "--n-decoder-layers", 2, "--max-steps", 150,
            "--batch-tokens", 64, "--valid-every", 0,
        )  # fmt: skip
        self._train(
            "classification", "--train", "train.tsv", "--vocab-size", 40, "--max-steps", 60,
            "--max-epochs", 0,
        )  # fmt: skip
        self._train(
            "lm", "--train", "train.en", "--vocab-size", 40, "--n-layers", 1,
            "--sequence-length", 16, "--max-steps", 60,
        )  # fmt: skip

    def _train(self, task: str, *options: object) -> None:
        out = self.folder / task
        preset = [] if task == "classification" else ["--preset", "base"]
        attend("train", task, "--data", self.folder, "--out", out, *preset, *options, *SMALL)


@pytest.fixture(scope="session", autouse=True)
def imports(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The folder of imported models, also of processes that a test starts."""
    folder = tmp_path_factory.mktemp("imports")
    os.environ["ATTEND_CACHE"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    models = Models(tmp_path_factory.mktemp("models"))
    models.train()
    return models
