"""Classification."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from attend import _attend
from attend._attention_page import AttentionPage
from attend._common import Model, given
from attend._errors import LineError
from attend._options import TextPreparation
from attend._texts import checked_text, checked_texts
from attend.explanation import Explanation, WordEffect, explanation_of
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Classifier", "LabelScore"]


OutputFunction = Literal["sigmoid", "softmax", "none"]


class LabelScore(TypedDict):
    """A label and its probability, or the name of a number and the number."""

    label: str
    score: float


class Classifier(Model):
    """A trained text classifier. Several threads may use one object at once."""

    _compiled = _attend.Classifier
    _model: _attend.Classifier

    @property
    def labels(self) -> list[str]:
        """The names of the classes, in the order of the model."""
        return self._model.labels()

    @property
    def problem_type(self) -> str:
        """What a text gets: "single_label", "multi_label" or "regression"."""
        return self._model.problem_type()

    @property
    def takes_pairs(self) -> bool:
        """Whether it was trained on pairs of texts. An imported model does not say so."""
        return self._model.takes_pairs()

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that is stored in the model."""
        return Tokenizer(self._model.tokenizer())

    @overload
    def classify(  # type: ignore[overload-overlap]
        self,
        text: str,
        *,
        function_to_apply: OutputFunction | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> list[LabelScore]: ...
    @overload
    def classify(
        self,
        text: Iterable[str | tuple[str, str]],
        *,
        function_to_apply: OutputFunction | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> list[list[LabelScore]]: ...

    def classify(
        self,
        text: str | Iterable[str | tuple[str, str]],
        *,
        function_to_apply: OutputFunction | None = None,
        split_special_tokens: bool | None = None,
        batch_tokens: int | None = None,
        **preparation: Unpack[TextPreparation],
    ) -> list[LabelScore] | list[list[LabelScore]]:
        """The labels of a text with their probabilities, best first; a list of these for several
        texts, or pairs of texts. Of a regression one label, whose score is the number; of an
        imported cross-encoder its sigmoid, unless sentence-transformers has set another function.

        ``function_to_apply``: "sigmoid", "softmax" or "none" (the outputs of the model) instead, as
        in the pipelines of transformers. ``split_special_tokens``: read "[SEP]" and other special
        tokens in a text as text; by default, an imported model reads them as these tokens. Long
        texts are truncated as in training. ``batch_tokens``: tokens classified together.
        ``preparation``: see TextPreparation.

        Raises DataError for a blank text, and for one text where the model takes pairs.
        """
        options = given(
            function_to_apply=function_to_apply,
            split_special_tokens=split_special_tokens,
            batch_tokens=batch_tokens,
            **preparation,
        )
        labels = self.labels
        items = [text] if isinstance(text, str) else list(text)
        results = [_ranked(labels, outputs) for outputs in self._outputs(items, options)]
        return results[0] if isinstance(text, str) else results

    def _outputs(
        self, items: Sequence[str | Sequence[str]], options: dict[str, Any]
    ) -> list[list[float]]:
        """A number for each label, in the order of the model, for each text or pair of texts."""
        if items and not isinstance(items[0], str):
            options["pairs"] = True
        texts = checked_texts(_line(item, number) for number, item in enumerate(items, 1))
        return self._model.classify(texts, options)

    def explain(
        self,
        text: str,
        *,
        instead: str | None = None,
        alone: bool | None = None,
    ) -> Explanation:
        """Why the text is of its most probable class and not of another one: what every part of
        the model adds to the difference of their logits.

        ``instead``: the other class, by default the next most probable one; ``alone``: split the
        logit of the class itself. Parts are sums over the tokens of the text. The result has no
        lens and no position.

        Raises ConfigError for a regression and an unknown class, DataError for a blank text.
        """
        options = given(instead=instead, alone=alone)
        return explanation_of(self._model.explain(checked_text(text, "text"), options))

    def word_effects(self, text: str) -> list[WordEffect]:
        """What each word does for the most probable class of the text: the words are left out in
        turn, and the rest is classified.

        Raises DataError for a text without words, or with more than 1000; ConfigError for a
        regression and a classifier of pairs.
        """
        return [WordEffect(*one) for one in self._model.word_effects(checked_text(text, "text"))]

    def attention_page(self, text: str, *, why: bool = False) -> AttentionPage:
        """The page of ``attend attention``: in a notebook it shows itself. ``why``: with the effect
        of each word, as ``word_effects`` has it.

        Raises DataError for an empty text, ConfigError for a regression and a classifier of pairs.
        """
        return AttentionPage(self._model.attention_page(checked_text(text, "text"), why))


def _line(item: str | Sequence[str], number: int) -> str:
    if isinstance(item, str):
        return item
    if len(item) != 2 or any("\t" in text for text in item):
        raise LineError(f"texts:{number}: expected a pair of texts without tabs, got {item!r}")
    return "\t".join(item)


def _ranked(labels: list[str], probabilities: list[float]) -> list[LabelScore]:
    # Stable: of equally probable labels, the first of the model comes first.
    order = sorted(range(len(labels)), key=lambda i: -probabilities[i])
    return [{"label": labels[i], "score": probabilities[i]} for i in order]
