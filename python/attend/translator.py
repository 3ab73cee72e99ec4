"""Translation."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast, overload

from attend import _attend
from attend._attend import SequenceScore, Translation
from attend._common import WINDOW, LoadOptions, given, in_windows
from attend._errors import ConfigError
from attend._texts import checked_text, checked_texts
from attend._translation_batches import TranslationBatches
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray
    from typing_extensions import Unpack

__all__ = ["Attention", "AttentionPage", "TranslationOptions", "Translator"]


class TranslationOptions(TypedDict, total=False):
    """Keyword arguments of ``translate``: options of ``attend translate``, in snake_case."""

    #: hypotheses kept at every step; 1: greedy search
    beam_size: int | None
    #: candidates per sentence, at most beam_size
    n_best: int | None
    #: scores are log-probabilities divided by length ** length_penalty
    length_penalty: float | None
    #: tokens of a translation; 0: twice the source plus 50
    max_length: int | None
    #: tokens before a translation may end
    min_length: int | None
    #: never write so many tokens in a row twice
    no_repeat_ngram: int | None
    #: draw from the model instead of searching for the best
    sample: bool | None
    #: sampling: divides the logits
    temperature: float | None
    #: sampling: draw among so many tokens; 0: all
    top_k: int | None
    #: sampling: draw among the likeliest tokens that together have this probability
    top_p: float | None
    #: sampling: the random seed
    seed: int | None
    #: for models of several languages: see Translator.languages
    src_lang: str | None
    tgt_lang: str | None
    #: what each translation begins with: a text for all, or one for each sentence
    prefix: str | Iterable[str] | None
    #: phrases that every translation contains; needs a beam wider than they have tokens
    must_contain: str | Sequence[str] | None
    #: phrases that no translation contains
    must_not_contain: str | Sequence[str] | None
    #: fill ``alignment``, at the cost of one more pass per candidate
    alignments: bool | None
    #: sentences decoded together
    batch_size: int | None
    #: a longer sentence is an error
    max_source_tokens: int | None
    #: score only the tokens of the model's shortlist: faster
    shortlist: bool | None


class Attention(TypedDict, total=False):
    """Attention weights by tokens; recurrent models have only ``cross``."""

    source_tokens: list[str]
    target_tokens: list[str]
    encoder: NDArray[numpy.float32]  #: [layers, heads, S, S]
    decoder: NDArray[numpy.float32]  #: [layers, heads, T, len(target_tokens)]
    cross: NDArray[numpy.float32]  #: [layers, heads, T, S]


class AttentionPage:
    """A page that shows the attention of every layer and head: one self-contained HTML file."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file for the browser."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # A frame keeps the page's styles and scripts apart from those of the notebook.
        content = self.html.replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{content}" width="100%" height="640" frameborder="0"></iframe>'

    def __repr__(self) -> str:
        return f"attend.AttentionPage({len(self.html)} characters)"


class Origin(NamedTuple):
    """Where a translation comes from, for those who show it. Keeps no translator in memory."""

    translator: weakref.ref[Translator]
    source: str
    languages: dict[str, Any]


class Translator(TranslationBatches):
    """A trained translator.

    Several threads may use one object at once; each call gets the answer it would get alone.
    Results do not depend on other sentences of the call, nor on the number of threads.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        device: str = "cpu",
        *,
        threads: int | None = None,
        **others: Unpack[LoadOptions],
    ) -> None:
        """Reads a model: see ``attend.load``. Raises IoError, or DataError for a damaged file or
        another kind of model.

        ``threads``: the size of a thread pool of its own; by default all models share one with
        a thread per physical core. ``device`` and ``others`` are for scripts of other packages.
        """
        super().__init__(path, device, threads, others)
        self._model = _attend.Translator(self._path, self._pool_size)

    @property
    def languages(self) -> list[str]:
        """The languages to choose from; empty for a model of one pair of languages."""
        return self._model.languages()

    @property
    def source_tokenizer(self) -> Tokenizer:
        return Tokenizer(self._model.source_tokenizer())

    @property
    def target_tokenizer(self) -> Tokenizer:
        return Tokenizer(self._model.target_tokenizer())

    @overload
    def translate(  # type: ignore[overload-overlap]
        self, text: str, **options: Unpack[TranslationOptions]
    ) -> Translation: ...
    @overload
    def translate(
        self, text: Iterable[str], **options: Unpack[TranslationOptions]
    ) -> list[Translation]: ...

    def translate(
        self, text: str | Iterable[str], **options: Unpack[TranslationOptions]
    ) -> Translation | list[Translation]:
        """Translates a sentence, or several: a Translation, or a list of them in order.

        ``options``: see TranslationOptions. Those that are not given have the model's defaults.

        Raises ConfigError for a wrong option, DataError for a sentence or a prefix that is too
        long.
        """
        texts = checked_texts([text] if isinstance(text, str) else text)
        prefixes = _prefixes(options.get("prefix"), len(texts))
        translations = self._translations(texts, prefixes, _named(options))
        return translations[0] if isinstance(text, str) else translations

    def _translations(
        self, texts: list[str], prefixes: list[str], named: dict[str, Any]
    ) -> list[Translation]:
        translations = self._model.translate(texts, prefixes, named)
        translator = weakref.ref(self)
        languages = given(src_lang=named.get("src_lang"), tgt_lang=named.get("tgt_lang"))
        for translation, text in zip(translations, texts, strict=True):
            setattr(translation, "_origin", Origin(translator, text, languages))
        return translations

    def translate_iterable(
        self,
        texts: Iterable[str],
        *,
        window: int = WINDOW,
        **options: Unpack[TranslationOptions],
    ) -> Iterator[Translation]:
        """Translates an iterable of any length in bounded memory, in order.

        ``window`` sentences are read ahead and translated together. The options are those of
        ``translate``; samples depend on the window. Several prefixes are read like the texts;
        there must be as many.
        """
        named, prefix = _named(options), options.get("prefix")
        if prefix is None or isinstance(prefix, str):
            before = _prefixes(prefix, 1)
            return in_windows(
                texts, lambda part: self._translations(checked_texts(part), before, named), window
            )

        def answer(part: list[tuple[str, str]]) -> list[Translation]:
            sources = checked_texts(text for text, _ in part)
            return self._translations(sources, _prefixes([one for _, one in part], len(part)), named)

        return in_windows(zip(texts, prefix, strict=True), answer, window)

    @overload
    def score(  # type: ignore[overload-overlap]
        self,
        source: str,
        target: str,
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
    ) -> SequenceScore: ...
    @overload
    def score(
        self,
        source: Sequence[str],
        target: Sequence[str],
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
    ) -> list[SequenceScore]: ...

    def score(
        self,
        source: str | Sequence[str],
        target: str | Sequence[str],
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
    ) -> SequenceScore | list[SequenceScore]:
        """The log-probability of a given translation, or of several.

        Raises DataError for a text that is too long, or unless there are as many targets as
        sources.
        """
        options = given(src_lang=src_lang, tgt_lang=tgt_lang)
        if isinstance(source, str) and isinstance(target, str):
            return self._score([source], [target], options)[0]
        return self._score(source, target, options)

    def _score(
        self, sources: Iterable[str], targets: Iterable[str], options: dict[str, Any]
    ) -> list[SequenceScore]:
        return self._model.score(
            checked_texts(sources, "sources"), checked_texts(targets, "targets"), options
        )

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
        prefixes = _prefixes(options.get("prefix"), 1)
        if target is not None:
            checked_text(target, "target")
        return AttentionPage(
            self._model.attention_page(
                checked_text(source, "source"), target, prefixes, _named(options)
            )
        )


def _named(options: Mapping[str, object]) -> dict[str, Any]:
    """The options by the names of the command line, without the prefix, which is a text."""
    named = given(**options)
    named.pop("prefix", None)
    if "alignments" in named:
        named["alignment"] = named.pop("alignments")
    return named


def _prefixes(prefix: str | Iterable[str] | None, sentences: int) -> list[str]:
    """One for each sentence, one for all, or none."""
    if prefix is None:
        return []
    if isinstance(prefix, str):
        return [checked_text(prefix, "prefix")]
    prefixes = checked_texts(prefix, "prefixes")
    if len(prefixes) != sentences:
        raise ConfigError(f"prefix: expected {sentences} texts, got {len(prefixes)}")
    return prefixes
