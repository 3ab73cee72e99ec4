"""Translation."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

from attend import _attend
from attend._attend import SequenceScore, Translation
from attend._common import WINDOW, given, in_windows, made_of
from attend._errors import ConfigError
from attend._options import PairPreparation, TranslationOptions
from attend._texts import checked_text, checked_texts
from attend._translation_inspection import Attention, TranslationInspection
from attend._translation_options import (
    beginning_of,
    checked_beginnings,
    is_one,
    named_options,
)
from attend.search import BeamStep, BeamTree, told_steps
from attend.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    BeamListener = Callable[[int, BeamStep], object]

__all__ = ["Attention", "TranslationOptions", "Translator"]

_READING = {"src_lang", "tgt_lang", *PairPreparation.__annotations__}


class Origin(NamedTuple):
    """Where a translation comes from, for those who show it. Keeps no translator in memory."""

    translator: weakref.ref[Translator]
    source: str
    reading: dict[str, Any]  #: the options that say how texts are read


class Translator(TranslationInspection):
    """A trained translator.

    Several threads may use one object at once; each call gets the answer it would get alone.
    Results do not depend on other sentences of the call, nor on the number of threads.
    """

    _members: tuple[Translator, ...] = ()  # of an ensemble

    _compiled = _attend.Translator
    _model: _attend.Translator

    @classmethod
    def ensemble(cls, members: Iterable[Translator | str | os.PathLike[str]]) -> Translator:
        """Models that translate and score together, by the arithmetic mean of their probabilities
        of every token.

        Defaults, alignments, attention and explanations are those of the first, and so is the
        thread pool. Models are shared with ``members``, paths are read.

        Raises ConfigError for no members, DataError, which names the file, for a model that reads
        or writes other tokens than the first, or other languages.
        """
        translators = [one if isinstance(one, Translator) else cls(one) for one in members]
        if not translators:
            raise ConfigError("ensemble: expected at least one model, got none")
        model = _attend.Translator.ensemble([one._model for one in translators])
        recipe = _ensemble, (cls, tuple(translators))
        made_as = f"{cls._title()}.ensemble({translators!r})"
        joined = made_of(translators[0], cls, model, recipe, made_as)
        joined._members = tuple(translators)
        return joined

    @property
    def members(self) -> tuple[Translator, ...]:
        """The models of an ensemble; empty for a single model."""
        return self._members

    @property
    def longest_source(self) -> int:
        """Tokens of the longest sentence that the model has positions for; 0: any length."""
        return self._model.longest_source()

    @property
    def languages(self) -> list[str]:
        """The languages to choose from; empty for a model of one pair of languages."""
        return self._model.languages()

    @property
    def source_tokenizer(self) -> Tokenizer:
        """The tokenizer of the sentences to translate."""
        return Tokenizer(self._model.source_tokenizer())

    @property
    def target_tokenizer(self) -> Tokenizer:
        """The tokenizer of the translations."""
        return Tokenizer(self._model.target_tokenizer())

    @overload
    def translate(  # type: ignore[overload-overlap]
        self,
        text: str,
        *,
        on_beam_step: BeamListener | None = None,
        **options: Unpack[TranslationOptions],
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: Iterable[str],
        *,
        on_beam_step: BeamListener | None = None,
        **options: Unpack[TranslationOptions],
    ) -> list[Translation]: ...

    def translate(
        self,
        text: str | Iterable[str],
        *,
        on_beam_step: BeamListener | None = None,
        **options: Unpack[TranslationOptions],
    ) -> Translation | list[Translation]:
        """Translates a sentence, or several: a Translation, or a list of them in order.

        ``options``: see TranslationOptions. Those that are not given have the model's defaults.

        ``on_beam_step``: called with the number of a sentence, from 0, and a BeamStep, for every
        step of beam search. Steps of one sentence come in order; those of several come from
        several threads, one call at a time. It must not use a model. An exception of it ends the
        translation, and is raised.

        Raises ConfigError for a wrong option, DataError for a sentence or a prefix that is too
        long, and for a sentence without a translation that has all of ``must_contain``.
        """
        texts = checked_texts([text] if isinstance(text, str) else text)
        beginnings = checked_beginnings(beginning_of(options), len(texts))
        listener = None if on_beam_step is None else told_steps(on_beam_step)
        translations = self._translations(texts, beginnings, named_options(options), listener)
        return translations[0] if isinstance(text, str) else translations

    def _translations(
        self,
        texts: list[str],
        beginnings: list[str] | list[list[int]],
        named: dict[str, Any],
        listener: Callable[..., None] | None = None,
    ) -> list[Translation]:
        translations = self._model.translate(texts, beginnings, named, listener)
        translator = weakref.ref(self)
        reading = {name: value for name, value in named.items() if name in _READING}
        for translation, text in zip(translations, texts, strict=True):
            setattr(translation, "_origin", Origin(translator, text, reading))
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
        ``translate``, without ``on_beam_step``; samples depend on the window. Several prefixes are
        read like the texts; there must be as many.
        """
        named, beginning = named_options(options), beginning_of(options)
        if is_one(beginning):
            of_all = checked_beginnings(beginning, 1)
            return in_windows(
                texts, lambda part: self._translations(checked_texts(part), of_all, named), window
            )

        def answer(part: list[tuple[str, Any]]) -> list[Translation]:
            sources = checked_texts(text for text, _ in part)
            own = checked_beginnings([one for _, one in part], len(part))
            return self._translations(sources, own, named)

        return in_windows(zip(texts, cast(Iterable[Any], beginning), strict=True), answer, window)

    def translate_text(self, text: str, **options: Unpack[TranslationOptions]) -> str:
        """Translates a text of any number of sentences and paragraphs.

        Sentences are found by the rules of the source language that ``language``, ``src_lang`` or
        the model names; the white space between them stays. One that is too long for the model is
        cut after a clause.

        ``options``: those of ``translate``, without ``n_best``, ``alignments``, ``trust`` and
        several prefixes, for which this raises ConfigError.
        """
        return self._whole(text, "text", options)

    def translate_html(self, html: str, **options: Unpack[TranslationOptions]) -> str:
        """Translates the texts of a document or a fragment of HTML; tags stay with their words.

        ``options``: those of ``translate_text``. Raises DataError for more than a million tags.
        """
        return self._whole(html, "html", options)

    def translate_file(
        self,
        source: str | os.PathLike[str],
        target: str | os.PathLike[str],
        *,
        columns: Iterable[str | int] = (),
        **options: Unpack[TranslationOptions],
    ) -> None:
        """Translates a file, whose extension names its format: .txt, .html, .docx, .odt and others
        (docs/documents.md). ``target``, of the same format, is written in one step.

        ``columns``: those of a table (.csv, .tsv) to translate, by name or by number from 1; none:
        all.

        ``options``: those of ``translate_text``. Raises DataError for a file of another format, or
        one that cannot be read; ConfigError for a ``target`` of another format; OSError.
        """
        beginnings = checked_beginnings(beginning_of(options), 1)
        chosen = [str(column) for column in columns]
        named = named_options(options)
        self._model.translate_file(Path(source), Path(target), chosen, beginnings, named)

    def _whole(self, text: str, kind: str, options: TranslationOptions) -> str:
        beginnings = checked_beginnings(beginning_of(options), 1)
        named = named_options(options)
        return self._model.translate_whole(checked_text(text, kind), kind, beginnings, named)

    def beam_tree(self, text: str, **options: Unpack[TranslationOptions]) -> BeamTree:
        """The translation of a sentence, and every step of the search for it: what was looked at,
        what was kept and what was pruned.

        ``options``: those of ``translate`` for beam search.
        """
        steps: list[BeamStep] = []
        translation = self.translate(
            text, on_beam_step=lambda _, step: steps.append(step), **options
        )
        return BeamTree(translation, steps)

    @overload
    def score(  # type: ignore[overload-overlap]
        self,
        source: str,
        target: str,
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
        trust: bool = False,
        **preparation: Unpack[PairPreparation],
    ) -> SequenceScore: ...
    @overload
    def score(
        self,
        source: Sequence[str],
        target: Sequence[str],
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
        trust: bool = False,
        **preparation: Unpack[PairPreparation],
    ) -> list[SequenceScore]: ...

    def score(
        self,
        source: str | Sequence[str],
        target: str | Sequence[str],
        *,
        src_lang: str | None = None,
        tgt_lang: str | None = None,
        trust: bool = False,
        **preparation: Unpack[PairPreparation],
    ) -> SequenceScore | list[SequenceScore]:
        """The log-probability of a given translation, or of several.

        ``trust``: also tell how far to trust it, see TranslationTrust. ``preparation``: see
        PairPreparation.

        Raises DataError for a text that is too long, or unless there are as many targets as
        sources.
        """
        options = given(src_lang=src_lang, tgt_lang=tgt_lang, trust=trust, **preparation)
        if isinstance(source, str) and isinstance(target, str):
            return self._score([source], [target], options)[0]
        return self._score(source, target, options)

    def _score(
        self, sources: Iterable[str], targets: Iterable[str], options: dict[str, Any]
    ) -> list[SequenceScore]:
        return self._model.score(
            checked_texts(sources, "sources"), checked_texts(targets, "targets"), options
        )


def _ensemble(model: type[Translator], members: tuple[Translator, ...]) -> Translator:
    return model.ensemble(members)
