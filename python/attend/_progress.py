"""The progress of a training on standard error: a bar with tqdm, plain lines without it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attend._attend import StepReport, ValidationReport
from attend._callbacks import Callback


class _Progress(Callback):
    def __init__(self, steps: int | None) -> None:
        self._steps = steps
        self._bar = _tqdm(steps)
        self._printed = 0.0

    def on_step(self, report: StepReport) -> None:
        text = f"loss {report.loss:.3f}"
        if self._bar is not None:
            self._bar.update(report.step - self._bar.n)
            self._bar.set_postfix_str(text, refresh=False)
        elif time.monotonic() - self._printed > 5 or report.step == self._steps:
            self._printed = time.monotonic()
            print(f"step {report.step}  {text}", file=sys.stderr)

    def on_validation(self, report: ValidationReport) -> None:
        metrics = "  ".join(f"{name} {value:.4g}" for name, value in report.metrics.items())
        self.on_note(f"step {report.step}  valid nll {report.nll:.3f}  {metrics}".rstrip())

    def on_note(self, note: str) -> None:
        if self._bar is not None:
            self._bar.write(note, file=sys.stderr)
        else:
            print(note, file=sys.stderr)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress_of(show: bool | None, steps: int | None) -> Iterator[list[Callback]]:
    """The callbacks that show the progress of so many steps; none unless `show`, or by default a
    terminal, asks for it."""
    if not (sys.stderr.isatty() if show is None else show):
        yield []
        return
    progress = _Progress(steps)
    try:
        yield [progress]
    finally:
        progress.close()


def _tqdm(steps: int | None) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=steps, unit="step")
