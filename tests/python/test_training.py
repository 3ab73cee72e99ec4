"""Training: the same runs as the command line's, callbacks, interruptions."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import types

import attend
import pytest
from conftest import ENGLISH, GERMAN, LABELED, SOURCE
from conftest import attend as program

SMALL = {"d_model": 16, "n_heads": 2, "d_ff": 32, "save_every": 0, "learning_rate": 5e-3}
SMALL |= {"warmup_steps": 5}
PAIRS = list(zip(ENGLISH, GERMAN, strict=True)) * 8
TRANSLATION = SMALL | {"n_encoder_layers": 1, "n_decoder_layers": 1, "vocab_size": 60}
TRANSLATION |= {"batch_tokens": 64, "valid_every": 0}


def flags(options: dict) -> list[str]:
    return [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def test_trains_the_model_of_the_command_line(tmp_path: pathlib.Path) -> None:
    translator = attend.train_translation(out=tmp_path / "ours", pairs=PAIRS, max_steps=9, **TRANSLATION)
    assert translator.translate("a cat").text is not None
    data = tmp_path / "ours" / "data"
    assert (data / "pairs.train.src_train").read_text().splitlines()[:4] == ENGLISH
    program(
        "train", "translation", "--out", tmp_path / "theirs", "--src-train",
        data / "pairs.train.src_train", "--tgt-train", data / "pairs.train.tgt_train",
        "--max-steps", 9, *flags(TRANSLATION),
    )  # fmt: skip
    ours, theirs = (tmp_path / run / "model.safetensors" for run in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()


def test_learns_from_teachers_as_on_the_command_line(tmp_path: pathlib.Path) -> None:
    options = TRANSLATION | {"max_steps": 5}
    for name, seed in ("one", 1), ("two", 2):
        teachers = {} if name == "one" else {"teachers": [tmp_path / "one"], "distill_weight": 0.5}
        attend.train_translation(
            out=tmp_path / name, pairs=PAIRS, seed=seed, **options, **teachers
        )
    both = [tmp_path / "one", str(tmp_path / "two" / "model.safetensors")]
    ours = attend.train_translation(
        out=tmp_path / "ours", pairs=PAIRS, teachers=both, distill_weight=0.75, **options
    )
    data = tmp_path / "ours" / "data"
    program(
        "train", "translation", "--out", tmp_path / "theirs", "--src-train",
        data / "pairs.train.src_train", "--tgt-train", data / "pairs.train.tgt_train",
        "--teachers", *both, "--distill-weight", 0.75, *flags(options),
    )  # fmt: skip
    weights = pathlib.Path(ours.path).read_bytes()
    assert weights == (tmp_path / "theirs" / "model.safetensors").read_bytes()
    alone = attend.train_translation(
        out=tmp_path / "alone", pairs=PAIRS, teachers=both[:1], distill_weight=0.75, **options
    )
    assert pathlib.Path(alone.path).read_bytes() != weights, "each teacher counts"
    with pytest.raises(attend.ConfigError, match="distill_weight"):
        attend.train_translation(out=tmp_path / "none", pairs=PAIRS, teachers=both, **options)


TAGGED = [
    ("anna lives in new york".split(), "B-NAME O O B-CITY I-CITY".split()),
    ("the old bert sees london".split(), "O O B-NAME O B-CITY".split()),
    ("today anna sees bert".split(), "O B-NAME O B-NAME".split()),
    ("he walks in london today".split(), "O O O B-CITY O".split()),
]


def test_trains_taggers(tmp_path: pathlib.Path) -> None:
    history = attend.History()
    options = SMALL | {"vocab_size": 60, "max_steps": 4, "max_epochs": 0, "valid_every": 2}
    ours = attend.train_tagging(
        out=tmp_path / "ours", examples=iter(TAGGED * 4), valid_examples=TAGGED,
        callbacks=[history], **options,
    )  # fmt: skip
    assert "entity_f1" in history.validations[-1].metrics
    conll = "\n\n".join(
        "\n".join(f"{word} {tag}" for word, tag in zip(*text, strict=True)) for text in TAGGED * 4
    )
    (tmp_path / "train.conll").write_text(conll + "\n")
    theirs = attend.train_tagging(
        out=tmp_path / "theirs", train=tmp_path / "train.conll",
        valid=tmp_path / "ours" / "data" / "examples.valid.jsonl", **options,
    )  # fmt: skip
    assert pathlib.Path(ours.path).read_bytes() == pathlib.Path(theirs.path).read_bytes()


def test_trains_embedding_models(tmp_path: pathlib.Path) -> None:
    history = attend.History()
    options = SMALL | {"vocab_size": 60, "max_steps": 4, "max_epochs": 0, "valid_every": 2}
    ours = attend.train_embedding(
        out=tmp_path / "ours", examples=PAIRS[:4], valid_examples=PAIRS[:4],
        valid_scored_examples=[("the dog", "a dog", 0.9), ("the dog", "a fish", 0.1)],
        callbacks=[history], **options,
    )  # fmt: skip
    assert isinstance(attend.load(tmp_path / "ours"), attend.Embedder)
    assert {"mrr", "spearman"} <= set(history.validations[-1].metrics)
    vectors = ours.encode(ENGLISH)
    assert vectors.shape == (4, 16) and abs((vectors**2).sum() - 4) < 1e-4
    for texts, examples in (
        ("triplets", [(one, other, ENGLISH[0]) for one, other in PAIRS[1:4]]),
        ("labeled", [tuple(line.split("\t")) for line in LABELED]),
    ):
        attend.train_embedding(
            out=tmp_path / texts, examples=examples, texts=texts, **options | {"valid_every": 0}
        )


def classifier_of(folder: pathlib.Path, examples: list, **options: object) -> attend.Classifier:
    return attend.train_classification(
        out=folder, examples=examples * 8, vocab_size=40, max_steps=80, max_epochs=0,
        **SMALL | options,
    )  # fmt: skip


def test_trains_classifiers_of_several_labels(tmp_path: pathlib.Path) -> None:
    examples = [(["old", "dog"], "the old dog sleeps"), (["dog"], "a dog"), ([], "the cat")]
    topics = classifier_of(tmp_path / "run", examples, problem_type="multi_label")
    assert topics.problem_type == "multi_label" and topics.labels == ["dog", "old"]
    found = {one["label"]: one["score"] for one in topics.classify("the old dog sleeps")}
    assert found["dog"] > 0.5 and found["old"] > 0.5
    assert all(one["score"] < 0.5 for one in topics.classify("the cat"))
    with pytest.raises(attend.DataError, match="item 1: expected labels without ','"):
        classifier_of(tmp_path / "b", [(["a,b"], "c")], problem_type="multi_label")


def test_trains_regressions_on_pairs(tmp_path: pathlib.Path) -> None:
    examples = [(1.0, "the dog", "the dog"), (-1, "the cat", "the cat"), (0.5, "a fish", "a dog")]
    model = classifier_of(tmp_path / "run", examples, problem_type="regression")
    assert model.problem_type == "regression" and model.takes_pairs
    first, second = model.classify([("the dog", "the dog"), ("the cat", "the cat")])
    assert first[0]["score"] > second[0]["score"]
    assert model.classify("the dog\tthe dog") == first
    with pytest.raises(attend.LineError, match="^texts:1: "):
        model.classify("the dog")
    with pytest.raises(attend.LineError, match="^texts:2: expected a pair of texts without tabs"):
        model.classify([("a", "b"), ("a\tb", "c")])
    with pytest.raises(attend.DataError, match="item 1: expected a pair of texts without tabs"):
        classifier_of(tmp_path / "b", [("x", "a\tb", "c")])


def test_trains_language_models_and_classifiers(tmp_path: pathlib.Path) -> None:
    (tmp_path / "valid.txt").write_text("\n".join(ENGLISH) + "\n")
    generator = attend.train_lm(
        out=tmp_path / "lm", lines=(line for line in ENGLISH * 8), valid=tmp_path / "valid.txt",
        vocab_size=40, n_layers=1, sequence_length=16, max_steps=5, **SMALL,
    )  # fmt: skip
    assert generator.generate("the", max_tokens=3).text
    classifier = attend.train_classification(
        out=tmp_path / "classes", examples=[tuple(line.split("\t")) for line in LABELED * 8],
        vocab_size=40, max_steps=60, max_epochs=0, **SMALL,
    )  # fmt: skip
    assert classifier.classify("bread and fish")[0]["label"] == "food"


class Recorder(attend.Callback):
    def __init__(self) -> None:
        self.steps: list[int] = []
        self.validations: list[dict[str, float]] = []
        self.notes: list[str] = []

    def on_step(self, report: attend.StepReport) -> None:
        assert report.loss > 0 and report.tokens > 0
        self.steps.append(report.step)

    def on_validation(self, report: attend.ValidationReport) -> None:
        self.validations.append(report.metrics)

    def on_note(self, note: str) -> None:
        self.notes.append(note)


def test_callbacks_hear_of_steps_validations_and_notes(tmp_path: pathlib.Path) -> None:
    recorder, history, losses = Recorder(), attend.History(), []
    attend.train_translation(
        out=tmp_path / "run", pairs=PAIRS, valid_pairs=PAIRS[:4], max_steps=6,
        callbacks=[recorder, history, lambda report: losses.append(report.loss)],
        **TRANSLATION | {"valid_every": 3},
    )  # fmt: skip
    assert recorder.steps == [1, 2, 3, 4, 5, 6]
    assert len(losses) == 6
    assert "bleu" in recorder.validations[-1]
    assert any("32 pairs" in note for note in recorder.notes)
    assert repr(history) == "attend.History(6 steps, 2 validations)"
    curve = history._repr_html_()
    assert curve.startswith("<svg") and "training" in curve and "validation" in curve


def test_an_exception_of_a_callback_ends_the_training(tmp_path: pathlib.Path) -> None:
    def stop(report: attend.StepReport) -> None:
        if report.step == 2:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        attend.train_translation(
            out=tmp_path / "run", pairs=PAIRS, max_steps=6, callbacks=[stop], **TRANSLATION
        )


INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, sys.argv[2])
import attend
from test_training import PAIRS, TRANSLATION

def interrupt(report):
    if report.step == 4:
        os.kill(os.getpid(), signal.SIGINT)

try:
    attend.train_translation(
        out=sys.argv[1], pairs=PAIRS, max_steps=9, callbacks=[interrupt], **TRANSLATION
    )
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c_saves_a_checkpoint_and_resuming_gives_the_same_bytes(
    tmp_path: pathlib.Path,
) -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path / "run"), str(pathlib.Path(__file__).parent)],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert run.stdout == "interrupted\n", run.stderr
    saved = sorted((tmp_path / "run" / "checkpoints").glob("step-*"))
    assert saved and "step-0000000" in saved[-1].name
    steps: list[int] = []
    attend.train_translation(
        out=tmp_path / "run", resume=True, callbacks=[lambda report: steps.append(report.step)]
    )
    assert steps[0] in (5, 6) and steps[-1] == 9
    attend.train_translation(out=tmp_path / "whole", pairs=PAIRS, max_steps=9, **TRANSLATION)
    ours, whole = (attend.describe(tmp_path / name) for name in ("run", "whole"))
    assert ours.metadata["attend.golden"] == whole.metadata["attend.golden"]


def test_an_interruption_in_a_callback_is_one_too(tmp_path: pathlib.Path) -> None:
    def interrupt(report: attend.StepReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attend.train_translation(
            out=tmp_path / "run", pairs=PAIRS, max_steps=6, callbacks=[interrupt], **TRANSLATION
        )
    assert list((tmp_path / "run" / "checkpoints").glob("step-00000001*"))


def test_wrong_options_and_texts_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(attend.ConfigError, match="d_modle.*did you mean d.model"):
        attend.train_translation(out=tmp_path / "a", pairs=PAIRS, d_modle=8)
    with pytest.raises(attend.ConfigError, match="dropout: expected"):
        attend.train_translation(out=tmp_path / "b", pairs=PAIRS, dropout=2)
    with pytest.raises(attend.DataError, match="item 2: expected one line"):
        attend.train_lm(out=tmp_path / "c", lines=["a", "b\nc"])
    with pytest.raises(attend.DataError, match="item 1: expected 2 texts"):
        attend.train_translation(out=tmp_path / "d", pairs=[("a", "b", "c")])
    with pytest.raises(attend.DataError, match="item 2: expected a label and a text, got 'a'"):
        attend.train_classification(out=tmp_path / "e", examples=[("a", "b"), "a"])
    with pytest.raises(attend.DataError, match="item 1: expected as many tags as words"):
        attend.train_tagging(out=tmp_path / "g", examples=[(["a", "b"], ["O"])])
    with pytest.raises(attend.DataError, match="item 1: expected words without spaces, got 'a b'"):
        attend.train_tagging(out=tmp_path / "h", examples=[(["a b"], ["O"])])
    with pytest.raises(attend.DataError, match="item 1: expected words and tags"):
        attend.train_tagging(out=tmp_path / "i", examples=[("a b", "O O")])
    with pytest.raises(attend.DataError, match="item 1: expected anchor and positive, got"):
        attend.train_embedding(out=tmp_path / "j", examples=[("a", "b", "c")])
    with pytest.raises(attend.IoError, match="missing.txt"):
        attend.train_lm(out=tmp_path / "f", train=tmp_path / "missing.txt")


def test_starts_from_a_directory_of_another_program(tmp_path: pathlib.Path) -> None:
    original = SOURCE / "tests" / "interchange" / "data" / "models" / "marian"
    foreign = tmp_path / "marian"
    foreign.mkdir()
    for file in original.iterdir():
        (foreign / file.name).write_bytes(file.read_bytes())
    translator = attend.train_translation(
        out=tmp_path / "run", pairs=PAIRS, init_from=foreign, max_steps=1, batch_tokens=512
    )
    assert isinstance(translator.translate("a").text, str)


def test_shows_its_progress_when_asked(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    attend.train_translation(
        out=tmp_path / "run", pairs=PAIRS, max_steps=3, progress=True, **TRANSLATION
    )
    shown = capsys.readouterr().err
    assert "32 pairs" in shown and "step 3  loss " in shown


class Bar:
    """A progress bar of tqdm that writes down what it is told."""

    def __init__(self, total: int, unit: str) -> None:
        self.n, self.told = 0, [f"{total} {unit}s"]
        BARS.append(self)

    def update(self, steps: int) -> None:
        self.n += steps

    def set_postfix_str(self, text: str, refresh: bool) -> None:
        self.told.append(text)

    def write(self, note: str, file: object) -> None:
        self.told.append(note)

    def close(self) -> None:
        self.told.append("closed")


BARS: list[Bar] = []


def test_shows_a_bar_of_tqdm_where_it_is_installed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tqdm = types.ModuleType("tqdm.auto")
    tqdm.tqdm = Bar  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    attend.train_translation(
        out=tmp_path / "run", pairs=PAIRS, max_steps=3, progress=True, **TRANSLATION
    )
    (bar,) = BARS
    assert bar.n == 3 and bar.told[0] == "3 steps" and bar.told[-1] == "closed"
    assert any("32 pairs" in text for text in bar.told)
    assert any(text.startswith("loss ") for text in bar.told)
