"""attend trains and runs Transformers: translation, text generation, classification, embeddings.

    import attend

    translator = attend.load("en-de.safetensors")
    print(translator.translate("The old dog sleeps."))

Everything computes on the CPU, without the interpreter's lock (GIL), and gives the same values as
the command line, bit for bit.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attend import _attend, metrics, nn, ops
from attend._attend import (
    Generation,
    SequenceScore,
    Translation,
    TranslationCandidate,
    TranslationFlag,
    TranslationTrust,
    build_information,
)
from attend._attention_page import AttentionPage
from attend._common import AttentionChanges
from attend._errors import (
    ConfigError,
    DataError,
    DivergedError,
    Error,
    IoError,
    LineError,
    ShapeError,
)
from attend._imports import imported
from attend._options import (
    ClassificationTrainingOptions,
    EmbeddingTrainingOptions,
    ExplanationOptions,
    GenerationOptions,
    LanguageTrainingOptions,
    PairPreparation,
    TaggingTrainingOptions,
    TextPreparation,
    TrainingOptions,
    TranslationOptions,
    TranslationTrainingOptions,
)
from attend.base_model import BaseModel
from attend.classifier import Classifier, LabelScore
from attend.embedder import Embedder
from attend.explanation import (
    Explanation,
    LogitPart,
    ResidualAddition,
    TokenProbability,
    WordEffect,
)
from attend.generator import Generator
from attend.model_files import (
    average,
    check,
    describe,
    export,
    import_model,
    merge,
    optimize,
    quantize,
)
from attend.quality import QualityScorer
from attend.search import BeamCandidate, BeamStep, BeamTree, TokenAlternatives, TokenChoice
from attend.tagger import Entity, Tagger, Tagging
from attend.tokenizer import Tokenizer
from attend.training import (
    Callback,
    History,
    StepReport,
    ValidationReport,
    train_classification,
    train_embedding,
    train_lm,
    train_tagging,
    train_translation,
)
from attend.translator import Attention, Translator

if TYPE_CHECKING:
    from typing_extensions import Unpack

__version__ = _attend.version()

__all__ = [
    "Attention",
    "AttentionChanges",
    "AttentionPage",
    "BaseModel",
    "BeamCandidate",
    "BeamStep",
    "BeamTree",
    "Callback",
    "ClassificationTrainingOptions",
    "Classifier",
    "ConfigError",
    "DataError",
    "DivergedError",
    "Embedder",
    "EmbeddingTrainingOptions",
    "Entity",
    "Error",
    "Explanation",
    "ExplanationOptions",
    "Generation",
    "GenerationOptions",
    "Generator",
    "History",
    "IoError",
    "LabelScore",
    "LanguageTrainingOptions",
    "LineError",
    "LogitPart",
    "PairPreparation",
    "QualityScorer",
    "ResidualAddition",
    "SequenceScore",
    "ShapeError",
    "StepReport",
    "Tagger",
    "Tagging",
    "TaggingTrainingOptions",
    "TextPreparation",
    "TokenAlternatives",
    "TokenChoice",
    "TokenProbability",
    "Tokenizer",
    "TrainingOptions",
    "Translation",
    "TranslationCandidate",
    "TranslationFlag",
    "TranslationOptions",
    "TranslationTrainingOptions",
    "TranslationTrust",
    "Translator",
    "ValidationReport",
    "WordEffect",
    "__version__",
    "average",
    "build_information",
    "check",
    "describe",
    "export",
    "import_model",
    "load",
    "merge",
    "metrics",
    "nn",
    "ops",
    "optimize",
    "quantize",
    "train_classification",
    "train_embedding",
    "train_lm",
    "train_tagging",
    "train_translation",
]

if not TYPE_CHECKING:
    from attend._deprecated import moved_name as __getattr__  # noqa: F401

_CLASSES: dict[str, type[Translator | Classifier | Tagger | Generator | Embedder]] = {
    "translation": Translator,
    "classification": Classifier,
    "token classification": Tagger,
    "language modeling": Generator,
    "embedding": Embedder,
}


def load(
    path: str | os.PathLike[str],
    *,
    threads: int | None = None,
    **changes: Unpack[AttentionChanges],
) -> Translator | Classifier | Tagger | Generator | Embedder | QualityScorer:
    """Reads a model of any kind: a model file, the folder of a training run, or a model of another
    program: a directory of Hugging Face, Marian or CTranslate2, a package of Argos, a file of
    llama.cpp, or ``"org/name"`` of the Hugging Face Hub, which is downloaded where
    ``huggingface_hub`` is installed. It is imported when it is first read and after any of its
    files has changed, into the folder that the variable ATTEND_CACHE names (``~/.cache/attend``).
    An adapter, also one of PEFT, is merged into its base in the same way.

    Returns a Translator, Classifier, Tagger, Generator, Embedder or QualityScorer, whichever the
    file is for.
    (Embedder itself also reads the others, for their hidden states.)

    ``changes``: heads that are switched off, and sharper or softer attention: see AttentionChanges.
    A QualityScorer has none.

    Raises IoError, DataError for a file that is damaged or not a model, and ConfigError for changes
    that do not fit it.
    """
    task = _attend.task_of(imported(path))
    if task == "quality":
        for change in changes:
            raise ConfigError(f"{change}: a model that scores translations takes no changes")
        return QualityScorer(path, threads=threads)
    if task not in _CLASSES:
        known = ", ".join([*_CLASSES, "quality"])
        raise DataError(f"{os.fspath(path)}: expected a model for one of {known}, got {task!r}")
    return _CLASSES[task](path, threads=threads, **changes)
