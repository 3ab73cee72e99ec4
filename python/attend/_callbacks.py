"""What hears of a training."""

from __future__ import annotations

from attend import _attend
from attend._attend import StepReport, ValidationReport


class Callback:
    """Hears of a training; override what you need. An exception ends the training."""

    def on_step(self, report: StepReport) -> None:
        """After each update."""

    def on_validation(self, report: ValidationReport) -> None:
        """After each validation."""

    def on_note(self, note: str) -> None:
        """A line about the run: what was read, what was skipped."""


class History(Callback):
    """Remembers all reports of a training; a notebook shows it as a curve."""

    def __init__(self) -> None:
        self.steps: list[StepReport] = []
        self.validations: list[ValidationReport] = []

    def on_step(self, report: StepReport) -> None:
        """Keeps it in ``steps``."""
        self.steps.append(report)

    def on_validation(self, report: ValidationReport) -> None:
        """Keeps it in ``validations``."""
        self.validations.append(report)

    def _repr_html_(self) -> str:
        lines = [
            (label, [(float(one.step), one.nll) for one in reports])
            for label, reports in (("training", self.steps), ("validation", self.validations))
            if reports
        ]
        return _attend.line_plot("Loss", "step", "nats per token", lines)

    def __repr__(self) -> str:
        return f"attend.History({len(self.steps)} steps, {len(self.validations)} validations)"
