"""The steps of beam search, and alternatives to the tokens of a translation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from attend._attend import Translation

__all__ = ["BeamCandidate", "BeamStep", "BeamTree", "TokenAlternatives", "TokenChoice"]

#: pruned: others were better, or the search was over; kept: continues in the next step; ended: an
#: output that ends with eos; cut: an output of the maximum length
Fate = Literal["pruned", "kept", "ended", "cut"]


@dataclass(frozen=True)
class BeamCandidate:
    """A hypothesis with one more token."""

    #: index of the extended hypothesis among those kept in the previous step; 0 in the first step
    parent: int
    id: int
    token: str
    token_log_probability: float  #: natural logarithm
    log_probability: float  #: of the hypothesis with the token
    score: float  #: log_probability / length ** length_penalty
    fate: Fate


@dataclass(frozen=True)
class BeamStep:
    """A step of beam search: the most likely continuations of every hypothesis.

    The kept candidates are the hypotheses of the next step, in this order.
    """

    written: int  #: length of the hypotheses before the step, prefix included
    candidates: list[BeamCandidate]  #: most probable first

    @property
    def kept(self) -> list[BeamCandidate]:
        """The candidates that continue in the next step."""
        return [one for one in self.candidates if one.fate == "kept"]


@dataclass(frozen=True)
class BeamTree:
    """A translation, and every step of the search that found it."""

    translation: Translation
    steps: list[BeamStep]

    def tokens(self, step: int, candidate: BeamCandidate) -> list[str]:
        """The tokens of a candidate of ``steps[step]``, without those of a prefix."""
        tokens = [candidate.token]
        for before in reversed(self.steps[:step]):
            candidate = before.kept[candidate.parent]
            tokens.append(candidate.token)
        return tokens[::-1]

    def __repr__(self) -> str:
        return f"BeamTree(text={self.translation.text!r}, steps={len(self.steps)})"


@dataclass(frozen=True)
class TokenChoice:
    """A token with its log-probability at some position."""

    id: int
    token: str
    log_probability: float  #: natural logarithm


@dataclass(frozen=True)
class TokenAlternatives:
    """The most likely tokens at a position of a translation, given the tokens before it."""

    written: TokenChoice
    rank: int  #: of ``written`` among all tokens; 1: the most likely
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
