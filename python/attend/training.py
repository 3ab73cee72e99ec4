"""Training."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from attend import _attend
from attend._attend import StepReport, ValidationReport
from attend._callbacks import Callback, History
from attend._common import given
from attend._errors import DataError
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
from attend._texts import checked_text
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
    data = _Data(out)
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
    data = _Data(out)
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
    data = _Data(out)
    separator = named.get("label_separator", ",")
    for part, rows in ("train", examples), ("valid", valid_examples):
        if rows is not None:
            named |= data.table(part, (_example(row, n, separator) for n, row in _numbered(rows)))
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
    data = _Data(out)
    for part, rows in ("train", examples), ("valid", valid_examples):
        if rows is not None:
            named |= data.table(part, (_tagged(row, n) for n, row in _numbered(rows)))
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
    data = _Data(out)
    names = _RELATED.get(named.get("texts", "pairs"), _RELATED["pairs"])
    scored = ("anchor", "positive", "score")
    for part, rows, columns in (
        ("train", examples, names),
        ("valid", valid_examples, names),
        ("valid_scored", valid_scored_examples, scored),
    ):
        if rows is not None:
            named |= data.table(part, (_row(row, n, columns) for n, row in _numbered(rows)))
    return Embedder(_train("embedding", config, out, resume, named, callbacks, progress))


#: The columns of an example, by the option ``texts``.
_RELATED = {
    "pairs": ("anchor", "positive"),
    "triplets": ("anchor", "positive", "negative"),
    "labeled": ("label", "text"),
}


def _numbered(rows: Iterable[Any]) -> Iterable[tuple[int, Any]]:
    return enumerate(rows, 1)


def _row(row: Any, number: int, names: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(row, str) or len(row) != len(names):
        raise DataError(f"item {number}: expected {' and '.join(names)}, got {row!r}")
    return {
        name: float(value) if name == "score" else _one_line(value, number)
        for name, value in zip(names, row, strict=True)
    }


def _example(row: Any, number: int, separator: str) -> dict[str, Any]:
    if isinstance(row, str) or len(row) not in (2, 3):
        raise DataError(f"item {number}: expected a label and a text, got {row!r}")
    texts = [_one_line(text, number) for text in row[1:]]
    if len(texts) == 2 and any("\t" in text for text in texts):
        raise DataError(f"item {number}: expected a pair of texts without tabs, got {texts!r}")
    label = _label(row[0], number, separator)
    return {"label": label} | dict(zip(("text", "second"), texts, strict=False))


def _label(label: Any, number: int, separator: str) -> str | float | list[str]:
    if isinstance(label, Integral):
        return int(label)
    if isinstance(label, Real):
        return float(label)
    if isinstance(label, str):
        return _one_line(label, number)
    labels = [_one_line(one, number) for one in label]
    if any(separator in one for one in labels):
        raise DataError(
            f"item {number}: expected labels without {separator!r}, got {labels!r}: choose another "
            "label_separator"
        )
    return labels


def _tagged(row: Any, number: int) -> dict[str, Any]:
    if isinstance(row, str) or len(row) != 2 or any(isinstance(part, str) for part in row):
        raise DataError(f"item {number}: expected words and tags, got {row!r}")
    words, tags = row
    for word in [*words, *tags]:
        if not isinstance(word, str) or len(word.split()) != 1:
            raise DataError(f"item {number}: expected words without spaces, got {word!r}")
        checked_text(word, f"item {number}")
    if len(words) != len(tags):
        raise DataError(
            f"item {number}: expected as many tags as words, got {len(words)} and {len(tags)}"
        )
    return {"label": list(tags), "text": list(words)}


class _Data:
    """Text from Python as files in the folder of a run, where resuming finds it again."""

    def __init__(self, out: Path) -> None:
        self._folder = pathlib.Path(out) / "data"
        self.has_pairs = False

    def columns(
        self, rows: Iterable[tuple[str, ...]], name: str, options: tuple[str, ...]
    ) -> dict[str, str]:
        """One file per element of the rows, line by line; returns their names by option."""
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = {option: str(self._folder / f"{name}.{option}") for option in options}
        files = [open(path, "w", encoding="utf-8", newline="\n") for path in paths.values()]
        try:
            for number, row in enumerate(rows, 1):
                if isinstance(row, str) or len(row) != len(options):
                    raise DataError(f"item {number}: expected {len(options)} texts, got {row!r}")
                for text, file in zip(row, files, strict=True):
                    file.write(_one_line(text, number) + "\n")
        finally:
            for file in files:
                file.close()
        return paths

    def table(self, part: str, rows: Iterable[dict[str, Any]]) -> dict[str, str]:
        """JSON Lines: an object per row."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"examples.{part}.jsonl"
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                self.has_pairs = self.has_pairs or "second" in row
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return {part: str(path)}


def _one_line(text: object, number: int) -> str:
    if not isinstance(text, str):
        raise DataError(f"item {number}: expected text, got {text!r}")
    if "\n" in text or "\r" in text:
        raise DataError(f"item {number}: expected one line, got {text!r}")
    return checked_text(text, f"item {number}")


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
