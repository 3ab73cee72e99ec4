"""What a search for a translation looks at, and what may be written in place of a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from attend._attend import Translation

__all__ = ["BeamCandidate", "BeamStep", "BeamTree", "TokenAlternatives", "TokenChoice"]

#: pruned: others were better, or the search was done; kept: goes on in the next step; ended: is an
#: output, whose token is the end; cut: is an output, as long as one may be
Fate = Literal["pruned", "kept", "ended", "cut"]


@dataclass(frozen=True)
class BeamCandidate:
    """A hypothesis with one more token."""

    #: the hypothesis: its place among those kept in the step before; 0 in the first step
    parent: int
    id: int
    token: str
    token_log_probability: float  #: natural logarithm
    log_probability: float  #: of the hypothesis with it
    score: float  #: log_probability / length ** length_penalty
    fate: Fate


@dataclass(frozen=True)
class BeamStep:
    """A step of beam search: the most likely continuations of every hypothesis.

    Those that were kept are the hypotheses of the next step, in this order.
    """

    written: int  #: tokens of the hypotheses before the step, those of a prefix included
    candidates: list[BeamCandidate]  #: the most probable hypothesis first

    @property
    def kept(self) -> list[BeamCandidate]:
        """The candidates that go on in the next step."""
        return [one for one in self.candidates if one.fate == "kept"]


@dataclass(frozen=True)
class BeamTree:
    """A translation, and every step of the search for it."""

    translation: Translation
    steps: list[BeamStep]

    def tokens(self, step: int, candidate: BeamCandidate) -> list[str]:
        """The tokens of a candidate of ``steps[step]``, from the first one that was searched:
        without those of a prefix."""
        tokens = [candidate.token]
        for before in reversed(self.steps[:step]):
            candidate = before.kept[candidate.parent]
            tokens.append(candidate.token)
        return tokens[::-1]

    def __repr__(self) -> str:
        return f"BeamTree(text={self.translation.text!r}, steps={len(self.steps)})"


@dataclass(frozen=True)
class TokenChoice:
    """A token that may be written."""

    id: int
    token: str
    log_probability: float  #: natural logarithm


@dataclass(frozen=True)
class TokenAlternatives:
    """What may be written in place of a token of a translation, given the tokens before it."""

    written: TokenChoice
    rank: int  #: of it among all tokens; 1: the likeliest
    likeliest: list[TokenChoice]  #: best first


def told_steps(
    callback: Callable[[int, BeamStep], object],
) -> Callable[[int, int, list[tuple[Any, ...]]], None]:
    """What the compiled part calls, from a callback of the caller."""

    def listener(sentence: int, written: int, candidates: list[tuple[Any, ...]]) -> None:
        callback(sentence, BeamStep(written, [BeamCandidate(*one) for one in candidates]))

    return listener


def alternatives_of(state: tuple[Any, ...]) -> TokenAlternatives:
    """From what the compiled part gives."""
    written, rank, likeliest = state
    return TokenAlternatives(TokenChoice(*written), rank, [TokenChoice(*one) for one in likeliest])
