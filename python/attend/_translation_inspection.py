"""Looking into translations: attention, explanations and alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, cast

from attend._attend import Translation, TranslationCandidate
from attend._attention_page import AttentionPage
from attend._common import Model, given
from attend._options import ExplanationOptions, TranslationOptions
from attend._texts import checked_text
from attend._translation_options import beginning_of, checked_beginnings, named_options
from attend.explanation import Explanation, explanation_of
from attend.search import TokenAlternatives, alternatives_of
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

#: A translation: its text, its tokens as ids without the end, or what ``translate`` has returned.
Target = str | Sequence[int] | Translation | TranslationCandidate


class Attention(TypedDict, total=False):
    """Attention weights by tokens; recurrent models have only ``cross``."""

    source_tokens: list[str]
    target_tokens: list[str]
    encoder: NDArray[numpy.float32]  #: [layers, heads, S, S]
    decoder: NDArray[numpy.float32]  #: [layers, heads, T, len(target_tokens)]
    cross: NDArray[numpy.float32]  #: [layers, heads, T, S]


class TranslationExplanationOptions(ExplanationOptions, total=False):
    """Keyword arguments of ``explain`` for translators."""

    #: for models of several languages: see Translator.languages
    src_lang: str | None
    tgt_lang: str | None


class TranslationInspection(Model):
    """What Translator says about a translation."""

    def attention(
        self,
        source: str,
        target: str,
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
    ) -> Attention:
        """The attention weights of every layer and head while reading ``source`` and writing
        ``target``.

        T are the tokens of the target and its end: a token's row is the one that predicts it. S
        are ``source_tokens``, with the special tokens around the source. The columns of
        ``decoder`` are ``target_tokens``: what the decoder begins with, then the target. Rows sum
        to 1.

        Raises DataError for a text that is too long.
        """
        languages = given(src_lang=src_lang, tgt_lang=tgt_lang)
        return cast(
            Attention,
            self._model.attention(
                checked_text(source, "source"), checked_text(target, "target"), languages
            ),
        )

    def attention_page(
        self, source: str, target: str | None = None, **options: Unpack[TranslationOptions]
    ) -> AttentionPage:
        """The page of ``attend attention``: in a notebook it shows itself.

        ``target``: a given translation; by default the best one, found with ``options``.
        """
        beginnings = checked_beginnings(beginning_of(options), 1)
        if target is not None:
            checked_text(target, "target")
        return AttentionPage(
            self._model.attention_page(
                checked_text(source, "source"), target, beginnings, named_options(options)
            )
        )

    def explain(
        self,
        source: str,
        target: Target | None = None,
        **options: Unpack[TranslationExplanationOptions],
    ) -> Explanation:
        """Explains why the model prefers a token of ``target`` to another one: what every head,
        feed-forward network and bias adds to the difference of their logits.

        ``target``: a text, split by the tokenizer, or a translation, with the tokens it was written
        in; by default the best translation that the model finds. ``options``: see
        ExplanationOptions. For an ensemble, the first model is explained.

        Raises ConfigError for a recurrent network, a wrong option, a position beyond the end or a
        word that is not in the vocabulary; DataError for a text of more than 1024 tokens.
        """
        named = given(**options)
        if target is None:
            languages = {name: named[name] for name in ("src_lang", "tgt_lang") if name in named}
            checked = checked_text(source, "source")
            target = self._model.translate([checked], [], languages, None)[0]
        ids = self._target_ids(target)
        return explanation_of(self._model.explain(checked_text(source, "source"), ids, named))

    def alternatives(
        self,
        source: str,
        target: Target,
        *,
        count: int = 5,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
    ) -> list[TokenAlternatives]:
        """The ``count`` most likely tokens at each position of ``target``, and at its end, given the
        tokens before it, and the rank of the written token.

        Raises DataError for a text that is too long, ConfigError for an invalid token id.
        """
        languages = given(src_lang=src_lang, tgt_lang=tgt_lang)
        ids = self._target_ids(target)
        states = self._model.alternatives(checked_text(source, "source"), ids, count, languages)
        return [alternatives_of(state) for state in states]

    def _target_ids(self, target: Target) -> list[int]:
        tokenizer = Tokenizer(self._model.target_tokenizer())
        if isinstance(target, str):
            return tokenizer.encode(checked_text(target, "target"))
        if isinstance(target, (Translation, TranslationCandidate)):
            return [tokenizer.id(token) for token in target.tokens]
        return list(target)
