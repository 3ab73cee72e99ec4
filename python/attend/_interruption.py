"""Work on threads of its own, which can be ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from attend import _attend


class Computation:
    """A function that runs on a thread. An interruption is a GeneratorExit in its compiled work."""

    def __init__(self, work: Callable[[], object], name: str, daemon: bool = False) -> None:
        self._work = work
        self._ending = _attend.Ending()
        self._thread = threading.Thread(target=self._run, name=name, daemon=daemon)
        self._thread.start()

    def _run(self) -> None:
        self._ending.rule_this_thread()
        with suppress(GeneratorExit):
            self._work()

    def interrupt(self) -> None:
        """Ends it, if it runs. Does not wait for that."""
        self._ending.end()

    def join(self) -> None:
        """Waits for its end."""
        self._thread.join()
