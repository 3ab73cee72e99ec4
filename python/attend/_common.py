"""What the classes of models share."""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, TypeVar

from attend._deprecated import moved_method, without_others
from attend._errors import LineError
from attend._imports import imported
from attend._interruption import Computation

if TYPE_CHECKING:
    from typing_extensions import Unpack

Result = TypeVar("Result")
Text = TypeVar("Text")
Kind = TypeVar("Kind", bound="Model")

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


def in_background(write: Callable[[Callable[[Result], None]], object]) -> Iterator[Result]:
    """What a thread hands on while it works. Closing the iterator ends the work."""
    parts: queue.SimpleQueue[Result] = queue.SimpleQueue()
    ended: list[BaseException] = []
    closed = threading.Event()
    END: Any = object()

    def accept(part: Result) -> None:
        if closed.is_set():
            raise GeneratorExit
        parts.put(part)

    def work() -> None:
        try:
            write(accept)
        except BaseException as error:
            ended.append(error)
        parts.put(END)

    writer = Computation(work, "attend-stream", daemon=True)
    try:
        while (part := parts.get()) is not END:
            yield part
        if ended:
            raise ended[0]
    finally:
        closed.set()
        writer.interrupt()
        writer.join()


class AttentionChanges(TypedDict, total=False):
    """Changes of a model's attention, to see what a head does."""

    #: heads that add nothing to the output of their module: "decoder.layers.1.cross_attn:0" is head
    #: 0 of this module, "encoder.*" is all heads of the encoder
    heads_off: str | Sequence[str] | None
    #: factor of attention scores: 0 weighs all positions equally, large numbers choose one. Of all
    #: heads, or of some: {"decoder.layers.1.cross_attn:0": 4}
    attention_beta: float | Mapping[str, float] | None
    #: no positions: nothing is added to the embeddings, or turns or biases the scores of attention
    positions_off: bool
    #: the tokens of a decoder see later ones, too: to score and to look into a whole text
    mask_off: bool


class Model:
    """A model file, and the compiled object that has read it."""

    #: What reads the file: of the compiled part.
    _compiled: ClassVar[Any]
    _model: Any
    #: The package whose calls the class has.
    _package = "attend"
    # Of a model that is made of others: how, for pickles, and in words.
    _recipe: tuple[Any, ...] | None = None
    _made_as = ""

    @without_others
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        **changes: Unpack[AttentionChanges],
    ) -> None:
        """Reads a model: see ``attend.load``. Raises IoError, or DataError for a damaged file or
        another kind of model.

        ``threads``: the size of a thread pool of its own; by default all models share one with
        a thread per fast physical core, at most the container's CPU quota. ``heads_off``,
        ``attention_beta``, ``positions_off`` and ``mask_off`` change the attention: see
        AttentionChanges; ConfigError where a name fits no head.
        """
        if unknown := set(changes) - AttentionChanges.__optional_keys__:
            raise TypeError(f"unexpected keyword argument {unknown.pop()!r}")
        self._open(path, threads or 0, attention_changes(changes))

    def _open(
        self, path: str | os.PathLike[str], threads: int, changes: dict[str, Any]
    ) -> None:
        self._given = os.path.abspath(path)
        self._path = os.path.abspath(imported(path))
        self._pool_size, self._changes = threads, changes
        self._model = type(self)._compiled(self._path, threads, typed_changes(changes))

    @classmethod
    def _reopened(cls, path: str, threads: int, changes: dict[str, Any]) -> Model:
        """The model of a pickle."""
        return cls(path, threads=threads, **changes)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            return moved_method(self, name)

    @property
    def path(self) -> str:
        """The absolute path of the model file, or of the folder of the run."""
        return self._path

    def __reduce__(self) -> tuple[Any, ...]:
        if self._recipe:
            return self._recipe
        # A model travels as its path: a worker process reads the file itself, once.
        changes = json.dumps(self._changes)
        return _unpickled, (type(self), self._given, self._pool_size, changes)

    def __repr__(self) -> str:
        changes = shown_changes(self._changes)
        return self._made_as or f"{self._title()}({self._path!r}{changes})"

    @classmethod
    def _title(cls) -> str:
        return f"{cls._package}.{cls.__name__}"


def made_of(
    first: Model, kind: type[Kind], model: Any, recipe: tuple[Any, ...], made_as: str
) -> Kind:
    """A model that no single file holds: its path is that of the first one it is made of."""
    made = kind.__new__(kind)
    made._given, made._path = first._given, first._path
    made._pool_size, made._changes = first._pool_size, {}
    made._recipe, made._made_as = recipe, made_as
    made._model = model
    return made


def shown_changes(changes: Mapping[str, object]) -> str:
    """Changes of the attention as further arguments of a call."""
    return "".join(f", {name}={value!r}" for name, value in changes.items())


def typed_changes(changes: Mapping[str, Any]) -> dict[str, list[str]]:
    """Changes of the attention as the words behind the flags of the command line."""
    typed = dict(changes)
    if "attention_beta" in typed:
        beta = typed["attention_beta"]
        factors = beta.items() if isinstance(beta, dict) else [("", beta)]
        typed["attention_beta"] = [f"{name}={factor}".lstrip("=") for name, factor in factors]
    return typed


def attention_changes(options: AttentionChanges) -> dict[str, Any]:
    """Those of the attention, as JSON can hold them."""
    heads, beta = options.get("heads_off"), options.get("attention_beta")
    if heads is not None:
        heads = [heads] if isinstance(heads, str) else list(heads)
    if isinstance(beta, Mapping):
        beta = {name: float(factor) for name, factor in beta.items()}
    elif beta is not None:
        beta = float(beta)
    return given(
        heads_off=heads,
        attention_beta=beta,
        positions_off=options.get("positions_off") or None,
        mask_off=options.get("mask_off") or None,
    )


@lru_cache(maxsize=4)
def _opened(
    reopened: Callable[..., Model], path: str, threads: int, changes: str, version: int
) -> Model:
    return reopened(path, threads, json.loads(changes))


def _unpickled(kind: type[Model], path: str, threads: int, changes: str) -> Model:
    """The model of a pickle: one object for all pickles of a file, until the file changes."""
    path = os.fspath(imported(path))
    file = os.path.join(path, "model.safetensors") if os.path.isdir(path) else path
    return _opened(kind._reopened, path, threads, changes, os.stat(file).st_mtime_ns)
