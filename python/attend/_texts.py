"""Texts of the caller, checked before they leave Python.

A str may hold half of a surrogate pair ("\\ud800"), which is no character and has no UTF-8. It comes
from JSON that was cut between the two halves, and from files read with errors="surrogateescape".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attend._errors import DataError, LineError


def checked_text(text: str, name: str) -> str:
    """The text itself. Raises DataError for a lone surrogate, with ``name`` before it."""
    if message := _complaint(text):
        raise DataError(f"{name}: {message}")
    return text


def checked_texts(texts: Iterable[str], name: str = "texts") -> list[str]:
    """The texts as a list. Raises LineError for a lone surrogate: ``texts:3: character 5 ...``."""
    checked = list(texts)
    for number, text in enumerate(checked, 1):
        if message := _complaint(text):
            raise LineError(f"{name}:{number}: {message}")
    return checked


def checked_tokens(batch: Iterable[Iterable[str]], name: str) -> list[list[str]]:
    """Tokens of several texts as lists. Raises LineError with the number of the text."""
    checked = [list(tokens) for tokens in batch]
    for number, tokens in enumerate(checked, 1):
        for token in tokens:
            if message := _complaint(token):
                raise LineError(f"{name}:{number}: token {token!r}: {message}")
    return checked


def _complaint(text: str) -> str:
    """What is wrong with a text; empty: nothing. What is no text at all is for others to refuse."""
    if not isinstance(text, str) or text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        return (
            f"character {error.start + 1} is the lone surrogate U+{found:04X}, which UTF-8 cannot "
            'write; decode the text with errors="replace"'
        )
    return ""
