"""Calls that compute leave the interpreter's lock (GIL) to other threads."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import attend
import attend.ctranslate2 as ctranslate2
import pytest
from conftest import ENGLISH, GERMAN, Models

MANY = ENGLISH * 8
CALLS: dict[str, list[Callable[[Any], object]]] = {
    "translator": [
        lambda t: attend.Translator(t.path),
        lambda t: attend.Translator(t.path, heads_off="encoder.*"),
        lambda t: t.translate(MANY),
        lambda t: t.translate(MANY, prefix_ids=[[4]] * len(MANY)),
        lambda t: ctranslate2.Translator(t.path).translate_batch([t.source_tokenizer.pieces(ENGLISH[0])] * 16),
        lambda t: t.score(ENGLISH, GERMAN),
        lambda t: ctranslate2.Translator(t.path).score_batch([["▁the"] * 90], [["▁die"] * 90]),
        lambda t: t.attention(ENGLISH[0], GERMAN[0]),
        lambda t: t.attention_page(ENGLISH[0]),
        lambda t: t.explain(ENGLISH[0], GERMAN[0]),
        lambda t: t.alternatives(ENGLISH[0], GERMAN[0]),
        lambda t: t.source_tokenizer.encode(MANY * 200),
        lambda t: attend.check(t.path),
    ],
    "classifier": [
        lambda c: c.classify(MANY),
        lambda c: c.explain(ENGLISH[0] * 20),
        lambda c: c.word_effects(ENGLISH[0]),
        lambda c: c.attention_page(ENGLISH[0]),
    ],
    "generator": [
        lambda g: g.generate("the", max_tokens=100),
        lambda g: ctranslate2.Generator(g.path).generate_batch([["▁the"]], max_length=50),
        lambda g: g.score(MANY),
        lambda g: g.perplexity(MANY),
        lambda g: g.explain(ENGLISH[0] * 20),
        lambda g: g.attention_page(ENGLISH[0]),
    ],
}
NAMES = [(kind, number) for kind, calls in CALLS.items() for number in range(len(calls))]


@pytest.fixture
def no_switching() -> Iterator[None]:
    """A thread keeps the lock until it gives it away: none takes it by force."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


def others_run_during(call: Callable[[], object], seconds: float = 20) -> bool:
    """Whether another thread, which is ready to run, runs while one of many calls computes."""
    ready, went = threading.Lock(), []
    ready.acquire()

    def other() -> None:
        ready.acquire()
        went.append(True)

    thread = threading.Thread(target=other)
    thread.start()
    ready.release()  # from here on, only the call gives the lock away
    end = time.monotonic() + seconds  # a busy system may take its time to wake the thread
    while not went and time.monotonic() < end:
        call()
    ran = bool(went)
    thread.join()
    return ran


@pytest.mark.parametrize(("kind", "number"), NAMES)
def test_other_threads_run_while_a_call_computes(
    models: Models, no_switching: None, kind: str, number: int
) -> None:
    model = attend.load(getattr(models, kind))
    assert others_run_during(lambda: CALLS[kind][number](model))


def test_other_threads_wait_for_python_itself(no_switching: None) -> None:
    assert not others_run_during(lambda: sum(range(10_000)), seconds=0.1)
