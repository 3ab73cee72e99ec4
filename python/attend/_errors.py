"""The exceptions of attend.

Messages are one line: what was expected, what was found, where (file and line), what to do.
"""

from __future__ import annotations

import re

__all__ = [
    "ConfigError",
    "DataError",
    "DivergedError",
    "Error",
    "IoError",
    "LineError",
    "ShapeError",
]


class Error(Exception):
    """The base class of all errors of attend."""


class ShapeError(Error, ValueError):
    """Tensor shapes that do not fit together."""


class ConfigError(Error, ValueError):
    """An option with a wrong name or value."""


class DataError(Error, ValueError):
    """Invalid content of a file or a text."""

    _place = re.compile(r"(.+?):(\d+): ")

    @property
    def file(self) -> str | None:
        """The file in which the error is, if the message names file and line."""
        found = self._place.match(str(self))
        return found[1] if found else None

    @property
    def line(self) -> int | None:
        """The line of the error, counted from 1, if the message names file and line."""
        found = self._place.match(str(self))
        return int(found[2]) if found else None


class LineError(DataError):
    """An error in one text of several; the others can still be answered."""


class IoError(Error, OSError):
    """The operating system failed to read or write."""


class DivergedError(Error):
    """Training diverged: the loss is not finite, or too high."""


# Named as users import them.
for _class in (Error, ShapeError, ConfigError, DataError, LineError, IoError, DivergedError):
    _class.__module__ = "attend"
