"""Language models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from attend import _attend
from attend._attend import Generation, SequenceScore
from attend._attention_page import AttentionPage
from attend._common import Model, given, in_background
from attend._options import GenerationOptions, TextPreparation
from attend._texts import checked_text, checked_texts
from attend.explanation import Explanation, ExplanationOptions, explanation_of
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["GenerationOptions", "Generator"]


class Generator(Model):
    """A trained language model. Several threads may use one object at once."""

    _compiled = _attend.Generator
    _model: _attend.Generator

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that is stored in the model."""
        return Tokenizer(self._model.tokenizer())

    def generate(self, prompt: str = "", **options: Unpack[GenerationOptions]) -> Generation:
        """Continues ``prompt``, whose lines end with a line break, from its last character.

        A model that was trained on lines takes a line break for the end of a line; for others it is
        text, and the tokens of the prompt are those of their own tokenizer.

        ``options``: see GenerationOptions. The result is a function of the model, the prompt and
        the options.

        Raises ConfigError for a wrong option, DataError for a prompt that is longer than the
        context.
        """
        return self._model.generate(checked_text(prompt, "prompt"), given(**options))[0]

    def generate_best(
        self, prompt: str = "", *, n_best: int, **options: Unpack[GenerationOptions]
    ) -> list[Generation]:
        """``n_best`` continuations: different samples or, with ``beam_size``, the best ones found,
        best first."""
        named = given(n_best=n_best, **options)
        return self._model.generate(checked_text(prompt, "prompt"), named)

    def stream(self, prompt: str = "", **options: Unpack[GenerationOptions]) -> Iterator[str]:
        """The text of ``generate`` while it is written, in whole characters.

        Closing the iterator ends the generation.
        """
        named = given(**options)
        checked_text(prompt, "prompt")
        return in_background(lambda accept: self._model.stream(prompt, named, accept))

    @overload
    def score(  # type: ignore[overload-overlap]
        self, lines: str, **preparation: Unpack[TextPreparation]
    ) -> SequenceScore: ...
    @overload
    def score(
        self, lines: Iterable[str], **preparation: Unpack[TextPreparation]
    ) -> list[SequenceScore]: ...

    def score(
        self, lines: str | Iterable[str], **preparation: Unpack[TextPreparation]
    ) -> SequenceScore | list[SequenceScore]:
        """The log-probability of a line on its own, or of several.

        A model that knows no lines takes each for a document, whose line breaks are text.
        ``preparation``: see TextPreparation.
        """
        options = given(**preparation)
        if isinstance(lines, str):
            return self._model.score(checked_texts([lines], "lines"), options)[0]
        return self._model.score(checked_texts(lines, "lines"), options)

    def explain(self, text: str, **options: Unpack[ExplanationOptions]) -> Explanation:
        """Explains why the model prefers a token of ``text``, or the most probable token after it,
        to another one: what every part of the model adds to the difference of their logits.

        ``options``: see ExplanationOptions.

        Raises ConfigError for a wrong option, a position beyond the end or a word that is not in
        the vocabulary; DataError for a text of more than 1024 tokens.
        """
        state = self._model.explain(checked_text(text, "text"), given(**options))
        return explanation_of(state)

    def attention_page(self, text: str) -> AttentionPage:
        """The page of ``attend attention``: in a notebook it shows itself.

        Raises DataError for an empty text, and for one that is longer than the context or than 256
        tokens.
        """
        return AttentionPage(self._model.attention_page(checked_text(text, "text")))

    def perplexity(self, lines: Sequence[str]) -> float:
        """The perplexity per token of lines that are read as one text.

        A model that knows no lines reads them as one document, with line breaks between them.
        """
        return self._model.perplexity(checked_texts(lines, "lines"))
