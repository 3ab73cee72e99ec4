"""Why a model writes a token and not another one, or chooses a class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any

from attend._options import ExplanationOptions

__all__ = [
    "Explanation",
    "ExplanationOptions",
    "LogitPart",
    "ResidualAddition",
    "TokenProbability",
    "WordEffect",
]


@dataclass(frozen=True)
class TokenProbability:
    """A token or a class, and how probable it is."""

    token: str
    probability: float


@dataclass(frozen=True)
class LogitPart:
    """What a part of the model adds to a logit, or to the difference of two."""

    #: "embedding"; a sublayer, "decoder.layers.0.cross_attn"; a bias ("....bias", "output.bias");
    #: or "....rounding", the effect of 8-bit arithmetic
    module: str
    head: int | None  #: the attention head, if any
    value: float


@dataclass(frozen=True)
class ResidualAddition:
    """What a sublayer adds to the residual stream of the explained token."""

    module: str  #: "embedding", or a sublayer
    length: float  #: L2 norm of the added vector
    cosine: float  #: between the added vector and the stream before it; 0 for the embedding


@dataclass(frozen=True)
class Explanation:
    """The difference of two logits, split among the parts of the model (Elhage et al. 2021).

    The standard deviations of normalizations are treated as constants, so the parts do not say what
    the model would do without one of them. A notebook shows the explanation as tables.
    """

    tokens: list[str]  #: the tokens of the output, with the end of a translation; none for a class
    position: int | None  #: index of the explained token; None for a class
    token: TokenProbability  #: the explained token or class
    instead: TokenProbability | None  #: the other token or class; None with ``alone``
    difference: float  #: of the two logits, or the logit alone: the sum of the parts
    parts: list[LogitPart]  #: in the order of the model
    #: the most probable tokens if the model ended after the embedding, and after each layer
    lens: list[list[TokenProbability]]
    additions: list[ResidualAddition]  #: in the order of the model

    def largest_parts(self, count: int = 10) -> list[LogitPart]:
        """The parts that change the difference most, in either direction."""
        return sorted(self.parts, key=lambda part: -abs(part.value))[:count]

    def __repr__(self) -> str:
        other = "" if self.instead is None else f", instead={self.instead.token!r}"
        return f"Explanation(token={self.token.token!r}{other}, difference={self.difference:.4f})"

    def _repr_html_(self) -> str:
        return "".join((self._headline(), self._parts_table(), self._lens_table()))

    def _headline(self) -> str:
        tokens = " ".join(
            f"<b>{escape(token)}</b>" if number == self.position else escape(token)
            for number, token in enumerate(self.tokens)
        )
        what = f"<b>{escape(self.token.token)}</b> ({self.token.probability:.4f})"
        if self.instead is not None:
            other = f"{escape(self.instead.token)} ({self.instead.probability:.4f})"
            what = f"{what} instead of {other}"
        return f"<p>{tokens}</p><p>{what}: {self.difference:+.4f}</p>"

    def _parts_table(self) -> str:
        shown = self.largest_parts()
        rows = [(_name(part), f"{part.value:+.4f}") for part in shown]
        if len(shown) < len(self.parts):
            others = sum(part.value for part in self.parts) - sum(part.value for part in shown)
            rows.append(("all others", f"{others:+.4f}"))
        return _table(("part", "adds"), rows)

    def _lens_table(self) -> str:
        rows = [
            (
                "embedding" if layer == 0 else f"layer {layer - 1}",
                ", ".join(f"{one.token} {one.probability:.4f}" for one in best),
            )
            for layer, best in enumerate(self.lens)
        ]
        return _table(("after", "would be written"), rows) if rows else ""


@dataclass(frozen=True)
class WordEffect:
    """What leaving a word out of a text does to its class."""

    word: str  #: words are separated by white space
    #: exactly what the classifier gives for the text without it; None if nothing would be left
    probability_without: float | None
    change: float | None  #: of the probability; below 0 the word speaks for the class


def explanation_of(state: tuple[Any, ...]) -> Explanation:
    """From what the compiled part gives."""
    tokens, position, token, instead, difference, parts, lens, additions = state
    return Explanation(
        tokens,
        position,
        TokenProbability(*token),
        None if instead is None else TokenProbability(*instead),
        difference,
        [LogitPart(*one) for one in parts],
        [[TokenProbability(*one) for one in layer] for layer in lens],
        [ResidualAddition(*one) for one in additions],
    )


def _name(part: LogitPart) -> str:
    return part.module if part.head is None else f"{part.module}:{part.head}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    def line(tag: str, cells: tuple[str, ...]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    return f"<table>{line('th', head)}{''.join(line('td', row) for row in rows)}</table>"
