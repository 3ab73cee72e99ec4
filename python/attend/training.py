"""Training."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attend import _attend
from attend._attend import StepReport, ValidationReport
from attend._callbacks import Callback, History
from attend._common import given
from attend._imports import imported
from attend._options import (
    ClassificationTrainingOptions,
    EmbeddingTrainingOptions,
    LanguageTrainingOptions,
    TaggingTrainingOptions,
    TranslationTrainingOptions,
    TrainingOptions,
)
from attend._progress import progress_of
from attend._training_data import RELATED, Data, example_of, numbered, row_of, tagged_of
from attend.classifier import Classifier
from attend.embedder import Embedder
from attend.generator import Generator
from attend.tagger import Tagger
from attend.translator import Translator

__all__ = [
    "Callback",
    "ClassificationTrainingOptions",
    "EmbeddingTrainingOptions",
    "History",
    "LanguageTrainingOptions",
    "StepReport",
    "TaggingTrainingOptions",
    "TrainingOptions",
    "TranslationTrainingOptions",
    "ValidationReport",
    "train_classification",
    "train_embedding",
    "train_lm",
    "train_tagging",
    "train_translation",
]

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = str | os.PathLike[str]
Files = Path | list[Path]


Callbacks = Iterable[Callback | Callable[[StepReport], None]]


def train_translation(
    config: Path | None = None,
    *,
    out: Path,
    pairs: Iterable[tuple[str, str]] | None = None,
    valid_pairs: Iterable[tuple[str, str]] | None = None,
    src_train: Files | None = None,
    tgt_train: Files | None = None,
    src_valid: Files | None = None,
    tgt_valid: Files | None = None,
    resume: bool = False,
    callbacks: Callbacks = (),
    progress: bool | None = None,
    **options: Unpack[TranslationTrainingOptions],
) -> Translator:
    """Trains a translator in the folder ``out`` and returns it.

    The text is ``pairs`` of (source, target), any iterable, or the files ``src_train`` and
    ``tgt_train``, line by line; the same holds for the text to validate with.

    - ``config``: a TOML file of options, such as a recipe
    - ``options``: see TranslationTrainingOptions and TrainingOptions; they override the file.
      With ``init_from``, a model or a directory of Hugging Face to start from, ``lora_rank`` trains
      an adapter; the result is the model with it, and ``out`` holds the adapter alone
    - ``resume=True``: continue from the newest checkpoint in ``out``; without one, start
    - ``callbacks``: Callback objects, or functions that receive each StepReport
    - ``progress``: show it; by default if standard error is a terminal

    Ctrl-C saves a checkpoint and raises KeyboardInterrupt; ``resume=True`` then ends with the
    same bytes as an uninterrupted run.

    Raises ConfigError for a wrong option, naming the nearest one, and for a folder that holds
    another run; DataError and IoError for text; DivergedError.
    """
    named = given(
        **options,
        src_train=src_train,
        tgt_train=tgt_train,
        src_valid=src_valid,
        tgt_valid=tgt_valid,
    )
    data = Data(out)
    for part, text in ("train", pairs), ("valid", valid_pairs):
        if text is not None:
            named |= data.columns(text, f"pairs.{part}", (f"src_{part}", f"tgt_{part}"))
    return Translator(_train("translation", config, out, resume, named, callbacks, progress))


def train_lm(
    config: Path | None = None,
    *,
    out: Path,
    lines: Iterable[str] | None = None,
    valid_lines: Iterable[str] | None = None,
    train: Files | None = None,
    valid: Files | None = None,
    resume: bool = False,
    callbacks: Callbacks = (),
    progress: bool | None = None,
    **options: Unpack[LanguageTrainingOptions],
) -> Generator:
    """Trains a language model in the folder ``out`` and returns it.

    The text is ``lines``, any iterable, or the files ``train``. The other arguments are those of
    ``train_translation``; ``options``: see LanguageTrainingOptions and TrainingOptions.
    """
    named = given(**options, train=train, valid=valid)
    data = Data(out)
    for part, text in ("train", lines), ("valid", valid_lines):
        if text is not None:
            named |= data.columns(((line,) for line in text), f"lines.{part}", (part,))
    return Generator(_train("lm", config, out, resume, named, callbacks, progress))


#: A label, several labels or a number; and a text, or both texts of a pair.
Example = tuple[str | float | Sequence[str], str] | tuple[str | float | Sequence[str], str, str]


def train_classification(
    config: Path | None = None,
    *,
    out: Path,
    examples: Iterable[Example] | None = None,
    valid_examples: Iterable[Example] | None = None,
    train: Files | None = None,
    valid: Files | None = None,
    resume: bool = False,
    callbacks: Callbacks = (),
    progress: bool | None = None,
    **options: Unpack[ClassificationTrainingOptions],
) -> Classifier:
    """Trains a classifier in the folder ``out`` and returns it.

    The texts are ``examples``, any iterable, or the files ``train``: label, tab, text. An example
    is (label, text), or (label, text, text) for pairs of texts. With
    ``problem_type="multi_label"`` the label is a list of labels, with "regression" a number.

    The other arguments are those of ``train_translation``; ``options``: see
    ClassificationTrainingOptions and TrainingOptions.
    """
    named = given(**options, train=train, valid=valid)
    data = Data(out)
    separator = named.get("label_separator", ",")
    for part, rows in ("train", examples), ("valid", valid_examples):
        if rows is not None:
            named |= data.table(part, (example_of(row, n, separator) for n, row in numbered(rows)))
            if data.has_pairs:
                named["second_column"] = "second"
    return Classifier(_train("classification", config, out, resume, named, callbacks, progress))


def train_tagging(
    config: Path | None = None,
    *,
    out: Path,
    examples: Iterable[tuple[Sequence[str], Sequence[str]]] | None = None,
    valid_examples: Iterable[tuple[Sequence[str], Sequence[str]]] | None = None,
    train: Files | None = None,
    valid: Files | None = None,
    resume: bool = False,
    callbacks: Callbacks = (),
    progress: bool | None = None,
    **options: Unpack[TaggingTrainingOptions],
) -> Tagger:
    """Trains a tagger of words in the folder ``out`` and returns it.

    The texts are ``examples`` of (words, tags), any iterable, or the files ``train`` in the format
    of CoNLL. The other arguments are those of ``train_translation``; ``options``: see
    TaggingTrainingOptions and TrainingOptions.
    """
    named = given(**options, train=train, valid=valid)
    data = Data(out)
    for part, rows in ("train", examples), ("valid", valid_examples):
        if rows is not None:
            named |= data.table(part, (tagged_of(row, n) for n, row in numbered(rows)))
    return Tagger(_train("tagging", config, out, resume, named, callbacks, progress))


def train_embedding(
    config: Path | None = None,
    *,
    out: Path,
    examples: Iterable[tuple[str, ...]] | None = None,
    valid_examples: Iterable[tuple[str, ...]] | None = None,
    valid_scored_examples: Iterable[tuple[str, str, float]] | None = None,
    train: Files | None = None,
    valid: Files | None = None,
    valid_scored: Files | None = None,
    resume: bool = False,
    callbacks: Callbacks = (),
    progress: bool | None = None,
    **options: Unpack[EmbeddingTrainingOptions],
) -> Embedder:
    """Trains a model that turns texts into vectors in the folder ``out``, and returns it.

    The texts are ``examples``, any iterable, or the files ``train``, with a tab between the parts
    of a line. An example is a pair of texts that belong together; with ``texts="triplets"`` also a
    third text that does not; with ``texts="labeled"`` a label and a text, and texts with the same
    label belong together. ``valid_scored_examples`` are pairs of texts with their similarity.

    The other arguments are those of ``train_translation``; ``options``: see
    EmbeddingTrainingOptions and TrainingOptions.
    """
    named = given(**options, train=train, valid=valid, valid_scored=valid_scored)
    data = Data(out)
    names = RELATED.get(named.get("texts", "pairs"), RELATED["pairs"])
    scored = ("anchor", "positive", "score")
    for part, rows, columns in (
        ("train", examples, names),
        ("valid", valid_examples, names),
        ("valid_scored", valid_scored_examples, scored),
    ):
        if rows is not None:
            named |= data.table(part, (row_of(row, n, columns) for n, row in numbered(rows)))
    return Embedder(_train("embedding", config, out, resume, named, callbacks, progress))


def _train(
    task: str,
    config: Path | None,
    out: Path,
    resume: bool,
    options: dict[str, Any],
    callbacks: Callbacks,
    progress: bool | None,
) -> str:
    """Returns the path of the model."""
    hearers = [one if isinstance(one, Callback) else _OnStep(one) for one in callbacks]
    with progress_of(progress, options.get("max_steps")) as shown:
        hearers += shown

        def listener(report: StepReport | ValidationReport | str) -> None:
            for hearer in hearers:
                if isinstance(report, StepReport):
                    hearer.on_step(report)
                elif isinstance(report, ValidationReport):
                    hearer.on_validation(report)
                else:
                    hearer.on_note(report)

        return os.fspath(
            _attend.train(task, out, config or "", resume, _with_models(options, out), listener)
        )


class _OnStep(Callback):
    """A function as a callback."""

    def __init__(self, function: Callable[[StepReport], None]) -> None:
        self._function = function

    def on_step(self, report: StepReport) -> None:
        self._function(report)


def _with_models(options: dict[str, Any], out: str | os.PathLike[str]) -> dict[str, Any]:
    """A directory of another program to start from is imported first. The run keeps the import: an
    adapter needs its base for as long as it lives."""
    given_model = options.get("init_from")
    if not given_model:
        return options
    model = os.path.abspath(imported(given_model))
    if model != os.path.abspath(given_model):
        model = _kept(model, os.path.join(os.path.abspath(out), "initial.safetensors"))
    return options | {"init_from": model}


def _kept(model: str, place: str) -> str:
    if os.path.exists(place) and os.path.isdir(os.path.join(os.path.dirname(place), "checkpoints")):
        return place  # of the run to resume
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with suppress(FileNotFoundError):
        os.unlink(place)
    try:
        os.link(model, place)
    except OSError:  # such as another disk
        shutil.copyfile(model, place)
    return place
