"""What the calls return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from attend._interruption import Computation

if TYPE_CHECKING:
    from concurrent.futures import Future

    import numpy
    from numpy.typing import NDArray

    Logits = NDArray[numpy.float32]

Result = TypeVar("Result")


def are_equal(one: object, other: object) -> bool:
    """Whether two results are the same, also if they hold arrays."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(are_equal, one, other))
    equal = one == other
    if isinstance(equal, bool):
        return equal
    import numpy

    return bool(numpy.array_equal(numpy.asarray(one), numpy.asarray(other)))


class _Compared:
    """Equal if all attributes are, which may be arrays."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(are_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]


@dataclass(eq=False)
class TranslationResult(_Compared):
    """The translations of one sentence."""

    hypotheses: list[list[str]]  #: tokens, best first
    scores: list[float] = field(default_factory=list)  #: with return_scores=True
    attention: list[list[list[float]]] = field(default_factory=list)  #: with return_attention=True
    logits: list[list[Logits]] = field(default_factory=list)  #: with return_logits_vocab=True


@dataclass(eq=False)
class GenerationResult(_Compared):
    """The continuations of one prompt."""

    sequences: list[list[str]]  #: tokens
    sequences_ids: list[list[int]]
    scores: list[float] = field(default_factory=list)  #: with return_scores=True
    logits: list[list[Logits]] = field(default_factory=list)  #: with return_logits_vocab=True


@dataclass
class GenerationStepResult:
    """A token of a continuation that grows."""

    step: int  #: from 0; tokens of the prompt count
    batch_id: int  #: which of the prompts
    token_id: int
    hypothesis_id: int
    token: str
    log_prob: float | None  #: with return_log_prob=True or return_scores=True
    is_last: bool


@dataclass
class ScoringResult:
    """The log-probabilities of given tokens."""

    tokens: list[str]
    log_probs: list[float]


class AsyncResult(Generic[Result]):
    """A result that is computed while the program continues."""

    def __init__(self, future: Future[list[Result]], index: int, work: Computation) -> None:
        self._future = future
        self._index = index
        self._work = work

    def done(self) -> bool:
        """Whether the result, or an error, is there."""
        return self._future.done()

    def result(self) -> Result:
        """Waits for the result, and raises what computing it has raised. Ctrl-C also ends the
        computation."""
        try:
            return self._future.result()[self._index]
        except KeyboardInterrupt:
            self._work.interrupt()
            raise


def computed(
    count: int, asynchronous: bool, compute: Callable[[], list[Result]]
) -> list[Result] | list[AsyncResult[Result]]:
    """The results of a batch: at once, or computed in a thread."""
    if not asynchronous:
        return compute()
    from concurrent.futures import Future

    future: Future[list[Result]] = Future()

    def work() -> None:
        try:
            future.set_result(compute())
        except BaseException as error:
            future.set_exception(error)

    computation = Computation(work, "attend-batch")
    return [AsyncResult(future, index, computation) for index in range(count)]


#: Its names in CTranslate2.
AsyncTranslationResult = AsyncGenerationResult = AsyncScoringResult = AsyncResult
