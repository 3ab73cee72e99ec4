"""Text from Python, for training: rows are checked, and become files."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from attend._errors import DataError
from attend._texts import checked_text

#: The columns of an example, by the option ``texts``.
RELATED = {
    "pairs": ("anchor", "positive"),
    "triplets": ("anchor", "positive", "negative"),
    "labeled": ("label", "text"),
}


def numbered(rows: Iterable[Any]) -> Iterable[tuple[int, Any]]:
    return enumerate(rows, 1)


def row_of(row: Any, number: int, names: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(row, str) or len(row) != len(names):
        raise DataError(f"item {number}: expected {' and '.join(names)}, got {row!r}")
    return {
        name: float(value) if name == "score" else _one_line(value, number)
        for name, value in zip(names, row, strict=True)
    }


def example_of(row: Any, number: int, separator: str) -> dict[str, Any]:
    if isinstance(row, str) or len(row) not in (2, 3):
        raise DataError(f"item {number}: expected a label and a text, got {row!r}")
    texts = [_one_line(text, number) for text in row[1:]]
    if len(texts) == 2 and any("\t" in text for text in texts):
        raise DataError(f"item {number}: expected a pair of texts without tabs, got {texts!r}")
    label = _label(row[0], number, separator)
    return {"label": label} | dict(zip(("text", "second"), texts, strict=False))


def _label(label: Any, number: int, separator: str) -> str | float | list[str]:
    if isinstance(label, Integral):
        return int(label)
    if isinstance(label, Real):
        return float(label)
    if isinstance(label, str):
        return _one_line(label, number)
    labels = [_one_line(one, number) for one in label]
    if any(separator in one for one in labels):
        raise DataError(
            f"item {number}: expected labels without {separator!r}, got {labels!r}: choose another "
            "label_separator"
        )
    return labels


def tagged_of(row: Any, number: int) -> dict[str, Any]:
    if isinstance(row, str) or len(row) != 2 or any(isinstance(part, str) for part in row):
        raise DataError(f"item {number}: expected words and tags, got {row!r}")
    words, tags = row
    for word in [*words, *tags]:
        if not isinstance(word, str) or len(word.split()) != 1:
            raise DataError(f"item {number}: expected words without spaces, got {word!r}")
        checked_text(word, f"item {number}")
    if len(words) != len(tags):
        raise DataError(
            f"item {number}: expected as many tags as words, got {len(words)} and {len(tags)}"
        )
    return {"label": list(tags), "text": list(words)}


class Data:
    """Text from Python as files in the folder of a run, where resuming finds it again."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self._folder = pathlib.Path(out) / "data"
        self.has_pairs = False

    def columns(
        self, rows: Iterable[tuple[str, ...]], name: str, options: tuple[str, ...]
    ) -> dict[str, str]:
        """One file per element of the rows, line by line; returns their names by option."""
        self._folder.mkdir(parents=True, exist_ok=True)
        paths = {option: str(self._folder / f"{name}.{option}") for option in options}
        files = [open(path, "w", encoding="utf-8", newline="\n") for path in paths.values()]
        try:
            for number, row in enumerate(rows, 1):
                if isinstance(row, str) or len(row) != len(options):
                    raise DataError(f"item {number}: expected {len(options)} texts, got {row!r}")
                for text, file in zip(row, files, strict=True):
                    file.write(_one_line(text, number) + "\n")
        finally:
            for file in files:
                file.close()
        return paths

    def table(self, part: str, rows: Iterable[dict[str, Any]]) -> dict[str, str]:
        """JSON Lines: an object per row."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"examples.{part}.jsonl"
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                self.has_pairs = self.has_pairs or "second" in row
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return {part: str(path)}


def _one_line(text: object, number: int) -> str:
    if not isinstance(text, str):
        raise DataError(f"item {number}: expected text, got {text!r}")
    if "\n" in text or "\r" in text:
        raise DataError(f"item {number}: expected one line, got {text!r}")
    return checked_text(text, f"item {number}")
