"""Text to tokens and back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal, overload

from attend import _attend
from attend._common import given
from attend._texts import checked_text, checked_texts

__all__ = ["Tokenizer"]


class Tokenizer:
    """A SentencePiece, WordPiece or byte-level BPE tokenizer. Immutable."""

    def __init__(self, tokenizer: _attend.Tokenizer) -> None:
        """Tokenizers come from ``train``, ``from_file``, ``from_bytes`` or a model."""
        self._tokenizer = tokenizer

    @classmethod
    def train(
        cls,
        sentences: Iterable[str],
        *,
        type: Literal["bpe", "unigram", "chars", "word", "wordpiece", "byte_bpe"] = "bpe",
        vocab_size: int | None = None,
        character_coverage: float | None = None,
        byte_fallback: bool | None = None,
        normalization: str | None = None,
    ) -> Tokenizer:
        """Learns a vocabulary. Equal sentences and options give equal bytes.

        Raises DataError if there is no text, ConfigError if the vocabulary size does not fit it.
        """
        options = given(
            tokenizer=type.replace("_", "-"),
            vocab_size=vocab_size,
            character_coverage=character_coverage,
            byte_fallback=byte_fallback,
            normalization=normalization,
        )
        return cls(_attend.Tokenizer.train(checked_texts(sentences, "sentences"), options))

    @classmethod
    def from_bytes(cls, data: bytes) -> Tokenizer:
        """Reads ``to_bytes()`` of a tokenizer, or the content of a SentencePiece model."""
        return cls(_attend.Tokenizer.from_bytes(data))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Reads a file of such bytes, for example ``spm.model``."""
        with open(path, "rb") as file:
            return cls.from_bytes(file.read())

    def to_bytes(self) -> bytes:
        """The content of a file, for ``from_bytes``."""
        return self._tokenizer.to_bytes()

    @property
    def vocab_size(self) -> int:
        """The number of tokens: ids are below it."""
        return self._tokenizer.vocab_size()

    @property
    def special_ids(self) -> dict[str, int]:
        """The ids of bos, eos, pad and unk; -1 if the vocabulary has no such token."""
        return self._tokenizer.special_ids()

    @overload
    def encode(  # type: ignore[overload-overlap]
        self, text: str, *, special: bool = False
    ) -> list[int]: ...
    @overload
    def encode(self, text: Iterable[str], *, special: bool = False) -> list[list[int]]: ...

    def encode(
        self, text: str | Iterable[str], *, special: bool = False
    ) -> list[int] | list[list[int]]:
        """The ids of a text, or of several texts, without special tokens around them.

        ``special``: whether the string of a special token in the text, such as ``[SEP]``, is that
        token, as in Hugging Face's tokenizers; otherwise it is text.
        """
        if isinstance(text, str):
            return self._tokenizer.encode([checked_text(text, "text")], special)[0]
        return self._tokenizer.encode(checked_texts(text), special)

    def pieces(self, text: str, *, special: bool = False) -> list[str]:
        """The tokens of a text as strings of the vocabulary."""
        return [self._tokenizer.piece(token) for token in self.encode(text, special=special)]

    def offsets(self, text: str, *, special: bool = False) -> list[tuple[int, int]]:
        """Where each token of ``encode(text)`` stands in the text: characters [begin, end).

        Spaces around it are not counted. Tokens that share a character, such as its bytes, all
        have the whole of it; a token that only marks the beginning of a word is empty, or, with the
        tokenizer of a tokenizer.json, has the character after it.
        """
        return self._tokenizer.offsets(checked_text(text, "text"), special)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids. Special tokens are dropped. Raises DataError for an unknown id."""
        return self._tokenizer.decode(list(ids))

    def piece(self, id: int) -> str:
        """The string of a token."""
        return self._tokenizer.piece(id)

    def id(self, piece: str) -> int:
        """The id of a token; that of the unknown token if it is not in the vocabulary."""
        return self._tokenizer.id(checked_text(piece, "piece"))

    def __len__(self) -> int:
        return self.vocab_size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokenizer) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __reduce__(self) -> tuple[object, ...]:
        return Tokenizer.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"attend.Tokenizer(vocab_size={self.vocab_size})"
