"""A model and its adapters, in memory once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from attend import _attend
from attend._common import (
    AttentionChanges,
    Kind,
    Model,
    attention_changes,
    made_of,
    shown_changes,
    typed_changes,
)
from attend.classifier import Classifier
from attend.embedder import Embedder
from attend.generator import Generator
from attend.tagger import Tagger
from attend.translator import Translator

if TYPE_CHECKING:
    from typing_extensions import Unpack

    Path = str | os.PathLike[str]

__all__ = ["BaseModel"]


class BaseModel(Model):
    """A model in memory, and what adapters (low-rank adaptation, LoRA) or changes of the attention
    make of it: models like any other, which share the weights that are not changed.

    Each method takes an adapter, a file or the folder of its run, or changes (see
    AttentionChanges), or nothing for the model itself. Answers are those of the file that
    ``attend.merge`` writes, and of the model that is loaded with the changes. They raise DataError
    for an adapter of another model and for another kind of model, ConfigError for changes that do
    not fit it. Several threads may use one object at once.
    """

    @staticmethod
    def _compiled(path: str, threads: int, _: object) -> _attend.BaseModel:
        return _attend.BaseModel(path, threads)

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        """Reads a model of any kind. ``threads``: of a pool that all its models share, as for
        Translator. Raises IoError, or DataError for a damaged file or an adapter."""
        super().__init__(path, threads=threads)

    def translator(
        self, adapter: Path | None = None, **changes: Unpack[AttentionChanges]
    ) -> Translator:
        """The model as a translator."""
        return self._shared(Translator, adapter, changes)

    def generator(
        self, adapter: Path | None = None, **changes: Unpack[AttentionChanges]
    ) -> Generator:
        """The model as a language model."""
        return self._shared(Generator, adapter, changes)

    def classifier(
        self, adapter: Path | None = None, **changes: Unpack[AttentionChanges]
    ) -> Classifier:
        """The model as a classifier."""
        return self._shared(Classifier, adapter, changes)

    def tagger(self, adapter: Path | None = None, **changes: Unpack[AttentionChanges]) -> Tagger:
        """The model as a tagger."""
        return self._shared(Tagger, adapter, changes)

    def embedder(
        self, adapter: Path | None = None, **changes: Unpack[AttentionChanges]
    ) -> Embedder:
        """The model as an embedder, which takes any kind of model."""
        return self._shared(Embedder, adapter, changes)

    def _shared(
        self, kind: type[Kind], adapter: Path | None, options: AttentionChanges
    ) -> Kind:
        changes = attention_changes(options)
        path = "" if adapter is None else os.path.abspath(adapter)
        compiled: Any = getattr(_attend, kind.__name__)
        model = compiled.sharing(self._model, path, typed_changes(changes))
        arguments = (f"{path!r}" if path else "") + shown_changes(changes)
        made_as = f"{self!r}.{kind.__name__.lower()}({arguments.removeprefix(', ')})"
        return made_of(self, kind, model, (_shared, (self, kind, path or None, changes)), made_as)


def _shared(
    base: BaseModel, kind: type[Kind], adapter: str | None, changes: AttentionChanges
) -> Kind:
    return base._shared(kind, adapter, changes)
