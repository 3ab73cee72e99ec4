"""Tags of words, such as entities."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from attend import _attend
from attend._common import LoadOptions, Model, given, typed_changes
from attend._errors import LineError
from attend._texts import checked_texts, checked_tokens
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Entity", "Tagger", "Tagging"]


@dataclass(frozen=True)
class Entity:
    """An entity: the words ``begin`` to ``end - 1`` of a text."""

    type: str
    begin: int
    end: int
    text: str  #: its words, with spaces between


@dataclass(frozen=True)
class Tagging:
    """A text in words, with the most probable tag of each."""

    words: list[str]
    tags: list[str]
    scores: list[float]  #: the probability of each tag
    entities: list[Entity]  #: of IOB and IOBES tags; empty for others


class Tagger(Model):
    """A trained tagger of words. Several threads may use one object at once."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        device: str = "cpu",
        *,
        threads: int | None = None,
        **others: Unpack[LoadOptions],
    ) -> None:
        """Reads a model; arguments and errors are those of Translator."""
        super().__init__(path, device, threads, others)
        self._model = _attend.Tagger(self._path, self._pool_size, typed_changes(self._changes))

    @property
    def labels(self) -> list[str]:
        """All tags."""
        return self._model.labels()

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that is stored in the model."""
        return Tokenizer(self._model.tokenizer())

    @overload
    def tag(  # type: ignore[overload-overlap]
        self, text: str, *, batch_tokens: int | None = None
    ) -> Tagging: ...
    @overload
    def tag(self, text: Iterable[str], *, batch_tokens: int | None = None) -> list[Tagging]: ...

    def tag(
        self, text: str | Iterable[str], *, batch_tokens: int | None = None
    ) -> Tagging | list[Tagging]:
        """Tags the words of a text, or of several; they end at white space.

        Long texts are cut between words and tagged part by part. ``batch_tokens``: tokens tagged
        together. Raises DataError for a blank text.
        """
        texts = checked_texts([text] if isinstance(text, str) else text)
        results = self._results(self._model.tag(texts, given(batch_tokens=batch_tokens)))
        return results[0] if isinstance(text, str) else results

    def tag_words(
        self, texts: Iterable[Sequence[str]], *, batch_tokens: int | None = None
    ) -> list[Tagging]:
        """The same for texts that are in words already."""
        words = checked_tokens(texts, "texts")
        for number, text in enumerate(words, 1):
            if not text:
                raise LineError(f"texts:{number}: expected words to tag, found none")
        return self._results(self._model.tag_words(words, given(batch_tokens=batch_tokens)))

    def _results(self, found: Iterable[Any]) -> list[Tagging]:
        labels = self.labels
        return [
            Tagging(
                words,
                [labels[tag] for tag in tags],
                scores,
                [
                    Entity(type, begin, end, " ".join(words[begin:end]))
                    for type, begin, end in entities
                ],
            )
            for words, tags, scores, entities in found
        ]
