"""Tags of words, such as entities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

from attend import _attend
from attend._common import Model, given
from attend._errors import LineError
from attend._options import TextPreparation
from attend._texts import checked_texts, checked_tokens
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

Strategy = Literal["words", "none", "simple", "first", "average", "max"]

__all__ = ["Entity", "Tagger", "Tagging"]


@dataclass(frozen=True)
class Entity:
    """An entity: the words ``begin`` to ``end - 1`` of a text, and its characters
    ``start_char`` to ``end_char - 1``."""

    type: str
    begin: int
    end: int
    text: str  #: as the tokens spell it; of words their texts, with spaces between
    score: float = field(default=0.0, compare=False)  #: the mean probability of its words
    start_char: int = field(default=0, compare=False)
    end_char: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Tagging:
    """A text in words, with the most probable tag of each."""

    words: list[str]
    tags: list[str]
    scores: list[float]  #: the probability of each tag
    #: of IOB and IOBES tags, and of all tags of imported models; empty for others
    entities: list[Entity]
    offsets: list[tuple[int, int]] = field(default_factory=list)  #: of each word, in characters


class Tagger(Model):
    """A trained tagger of words. Several threads may use one object at once."""

    _compiled = _attend.Tagger
    _model: _attend.Tagger

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
        self,
        text: str,
        *,
        aggregation_strategy: Strategy | None = None,
        ignore_labels: Sequence[str] | None = None,
        stride: int | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> Tagging: ...
    @overload
    def tag(
        self,
        text: Iterable[str],
        *,
        aggregation_strategy: Strategy | None = None,
        ignore_labels: Sequence[str] | None = None,
        stride: int | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> list[Tagging]: ...

    def tag(
        self,
        text: str | Iterable[str],
        *,
        aggregation_strategy: Strategy | None = None,
        ignore_labels: Sequence[str] | None = None,
        stride: int | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> Tagging | list[Tagging]:
        """Tags the words of a text, or of several.

        - ``aggregation_strategy``: how tags of tokens become words and entities. "none", "simple",
          "first", "average" and "max" are those of the pipelines of transformers; with "words",
          words end at white space. Default: "simple" for imported models, "words" for others.
        - ``ignore_labels``: labels of entities to leave out; default: "O"
        - ``stride``: tokens that the parts of a longer text share; by default an imported model
          truncates it. Other models cut long texts between words and tag part by part.
        - ``split_special_tokens``: read "[SEP]" and other special tokens in a text as text; by
          default, an imported model reads them as these tokens
        - ``batch_tokens``: tokens tagged together
        - ``preparation``: see TextPreparation; words and places are those of the prepared text

        Raises DataError for a blank text.
        """
        options = given(
            aggregation_strategy=aggregation_strategy,
            ignore_labels=None if ignore_labels is None else list(ignore_labels),
            stride=stride,
            split_special_tokens=split_special_tokens,
            batch_tokens=batch_tokens,
            **preparation,
        )
        texts = checked_texts([text] if isinstance(text, str) else text)
        results = self._results(self._model.tag(texts, options))
        return results[0] if isinstance(text, str) else results

    def __call__(
        self,
        inputs: str | Iterable[str],
        *,
        aggregation_strategy: Strategy = "none",
        ignore_labels: Sequence[str] | None = None,
        stride: int | None = None,
    ) -> list[Any]:
        """What a pipeline of transformers for token classification returns, with its defaults: for
        each text a list of dictionaries with ``entity`` and ``index``, or ``entity_group``, and
        ``score``, ``word``, ``start`` and ``end``."""
        label = "entity" if aggregation_strategy == "none" else "entity_group"
        results = []
        options = given(
            aggregation_strategy=aggregation_strategy,
            ignore_labels=None if ignore_labels is None else list(ignore_labels),
            stride=stride,
        )
        texts = checked_texts([inputs] if isinstance(inputs, str) else inputs)
        for *_, groups in self._model.tag(texts, options):
            found: list[dict[str, Any]] = []
            for name, begin, _, text, score, (start, end) in groups:
                found.append({label: name, "score": score})
                if aggregation_strategy == "none":
                    found[-1]["index"] = begin + 1
                found[-1].update(word=text, start=start, end=end)
            results.append(found)
        return results[0] if isinstance(inputs, str) else results

    def tag_words(
        self, texts: Iterable[Sequence[str]], *, batch_tokens: int | None = None
    ) -> list[Tagging]:
        """The same for texts that are in words already: the first token of a word has its tag."""
        words = checked_tokens(texts, "texts")
        for number, text in enumerate(words, 1):
            if not text:
                raise LineError(f"texts:{number}: expected words to tag, found none")
        return self._results(self._model.tag_words(words, given(batch_tokens=batch_tokens)))

    def _results(self, found: Iterable[Any]) -> list[Tagging]:
        labels = self.labels
        by_tokens = self._model.tags_tokens()
        has_entities = by_tokens or self._model.has_entity_tags()
        return [
            Tagging(
                words,
                [labels[tag] for tag in tags],
                scores,
                [
                    Entity(
                        label,
                        begin,
                        end,
                        text if by_tokens else " ".join(words[begin:end]),
                        score,
                        *place,
                    )
                    for label, begin, end, text, score, place in (groups if has_entities else [])
                ],
                offsets,
            )
            for words, tags, scores, offsets, groups in found
        ]
