"""What the classes of models share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, TypeVar

from attend._errors import LineError

Result = TypeVar("Result")
Text = TypeVar("Text")

#: Texts of an iterable that are read ahead and answered together.
WINDOW = 1024


def given(**options: Any) -> dict[str, Any]:
    """The options that are not None: the others keep the model's defaults."""
    return {name: value for name, value in options.items() if value is not None}


def in_windows(
    texts: Iterable[Text], answer: Callable[[list[Text]], list[Result]], window: int
) -> Iterator[Result]:
    """Answers an iterable in bounded memory, in order. Errors count the texts from its start."""
    iterator = iter(texts)
    before = 0
    while part := list(islice(iterator, window)):
        try:
            yield from answer(part)
        except LineError as error:
            if error.line is None:
                raise
            place = f"{error.file}:{error.line}:"
            message = str(error).removeprefix(place)
            raise LineError(f"{error.file}:{error.line + before}:{message}") from None
        before += len(part)


class Model:
    """A model file, and the compiled object that has read it."""

    def __init__(self, path: str | os.PathLike[str], threads: int | None) -> None:
        self._path = os.path.abspath(path)
        self._threads = threads

    @property
    def path(self) -> str:
        """The absolute path of the model file, or of the folder of the run."""
        return self._path

    def __reduce__(self) -> tuple[Any, ...]:
        # A model travels as its path: a worker process reads the file itself, once.
        return _unpickled, (type(self), self._path, self._threads)

    def __repr__(self) -> str:
        return f"attend.{type(self).__name__}({self._path!r})"


@lru_cache(maxsize=4)
def _opened(model: Callable[..., Any], path: str, threads: int | None, version: int) -> Any:
    return model(path, threads=threads)


def _unpickled(model: Callable[..., Any], path: str, threads: int | None) -> Any:
    """The model of a pickle: one object for all pickles of a file, until the file changes."""
    file = os.path.join(path, "model.safetensors") if os.path.isdir(path) else path
    return _opened(model, path, threads, os.stat(file).st_mtime_ns)
