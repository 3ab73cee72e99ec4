"""Ctrl-C ends every call within a second, in every kind of work, and leaves its objects whole."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import attend
import pytest
from conftest import Models

# Longer than anything takes to end; a work that is never heard takes longer, or is done again.
PATIENCE = float(os.environ.get("ATTEND_TEST_PATIENCE", "5"))

# Does one work after another, as it is told, each again and again until it is interrupted, with the same objects.
BEGIN = """
import os, sys, time
import attend, attend.ctranslate2, numpy
from attend import metrics

models, out = sys.argv[1:]
translator = attend.Translator(models + "/translation/model.safetensors", threads=2)
generator = attend.Generator(models + "/lm/model.safetensors")
token_translator = attend.ctranslate2.Translator(translator.path, intra_threads=2)
token_generator = attend.ctranslate2.Generator(generator.path)
classifier = attend.Classifier(models + "/classification/model.safetensors")
embedder = attend.Embedder(models + "/translation/model.safetensors", threads=2)
some = ["the old dog sees the cat", "a cat eats the fish", "the dog sleeps"]
many = some * 100_000
tokens = [translator.source_tokenizer.pieces(text) for text in some]
words = [f"{a}{b}{c}{d} {d}{a}{c}" for a in "abcdefghijklm" for b in "nopqrstuvw"
         for c in "abcdefghijklmnopq" for d in "rstuvwxyzabcdef"]

def results():
    return (translator.translate(some), translator.score(some, some),
            generator.generate("the dog", seed=3), generator.score(some),
            classifier.classify(some), embedder.encode(some).tobytes())

before = results()
print("ready", flush=True)
for work in sys.stdin:
    try:
        while True:
            exec(work)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    after = results()
    print("the same" if after == before else f"{before}\\n{after}", flush=True)
"""

LONG = "max_length=1_000_000, min_length=1_000_000"
WORKS = {
    "translate": "translator.translate(many)",
    "translate_long": "translator.translate(['the dog ' * 400] * 5000, max_length=2000, beam_size=16)",
    "translate_one": f"translator.translate('the dog', {LONG})",
    "translate_sampled": "translator.translate(many, sample=True)",
    "translate_batch": "token_translator.translate_batch(tokens * 50_000)",
    "translate_callback": "translator.translate(many, on_beam_step=lambda step: None)",
    "translate_iterable": "for _ in translator.translate_iterable(many): pass",
    "translate_stream": f"for _ in token_translator.generate_tokens(tokens[0], max_decoding_length=10**6,"
    f" min_decoding_length=10**6): pass",
    "score": "translator.score(many, many)",
    "alternatives": "translator.alternatives(some[0], 'der hund')",
    "attention": "translator.attention(some[0], 'der hund')",
    "explain": "classifier.explain('the dog ' * 50)",
    "generate": "generator.generate('the dog', max_tokens=1_000_000, min_tokens=1_000_000)",
    "generate_text": "for _ in generator.stream('the dog', max_tokens=10**6, min_tokens=10**6): pass",
    "generate_batch": f"token_generator.generate_batch([['▁the']] * 100, {LONG})",
    "asynchronous": f"token_generator.generate_batch([['▁the']], {LONG}, asynchronous=True)[0].result()",
    "perplexity": "generator.perplexity(many)",
    "classify": "classifier.classify(many)",
    "encode": "embedder.encode(many)",
    "encode_tokens": "embedder.forward(many)",
    "tokenize": "translator.source_tokenizer.encode(many)",
    "bleu": "metrics.bleu(many, many)",
    "chrf": "metrics.chrf(many, many)",
    "ter": "metrics.ter(many, many[1:] + many[:1])",
    "bootstrap": "metrics.report(many[:3000], many[:3000], confidence=True, bootstrap_samples=10**6)",
    "load": "attend.load(models + '/lm/model.safetensors')",
    "quantize": "attend.quantize(models + '/lm/model.safetensors', out + '/quantized')",
    "train_bpe": "attend.Tokenizer.train(words * 40, vocab_size=20_000)",
    "train_unigram": "attend.Tokenizer.train(words * 40, type='unigram', vocab_size=20_000)",
    "train_wordpiece": "attend.Tokenizer.train(words * 40, type='wordpiece', vocab_size=30_000)",
    "train_byte_bpe": "attend.Tokenizer.train(words * 40, type='byte_bpe', vocab_size=30_000)",
    "train": "attend.train_translation(out=out + '/short', pairs=[('a dog', 'ein hund')] * 64,"
    " max_steps=10**6, d_model=16, n_heads=2, d_ff=32, vocab_size=18)",
    "train_long_steps": "attend.train_lm(out=out + '/long', lines=words, max_steps=100, d_model=512,"
    " n_heads=8, n_layers=6, d_ff=2048, batch_tokens=4096, sequence_length=512, accumulate=1000,"
    " vocab_size=200)",
    "train_preparing": "attend.train_translation(out=out + '/none', pairs=list(zip(many, many)) * 3,"
    " max_steps=1)",
}


class Worker:
    def __init__(self, models: Models, out: pathlib.Path) -> None:
        self.out = out
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN, str(models.folder), str(out)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.expect("ready")

    def expect(self, answer: str) -> None:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if line != answer + "\n":
            self.process.kill()
            pytest.fail(f"expected {answer!r}, got {line}{self.process.stdout.read()}")

    def begin(self, work: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(work + "\n")
        self.process.stdin.flush()


@pytest.fixture(scope="module")
def workers(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Worker]]:
    """One, and after a failure another."""
    all_of_them = [Worker(models, tmp_path_factory.mktemp("out"))]
    yield all_of_them
    for worker in all_of_them:
        worker.process.kill()
        worker.process.communicate()


@pytest.mark.parametrize("name", WORKS)
def test_ends_the_work(name: str, models: Models, workers: list[Worker]) -> None:
    if workers[-1].process.poll() is not None:
        workers.append(Worker(models, workers[-1].out))
    worker = workers[-1]
    worker.begin(WORKS[name])
    time.sleep(0.6)
    begun = time.monotonic()
    worker.process.send_signal(signal.SIGINT)
    worker.expect("interrupted")
    took = time.monotonic() - begun
    print(f"{name}: {took:.2f} s")
    worker.expect("the same")
    assert took < PATIENCE


def test_leaves_no_part_of_a_file(workers: list[Worker]) -> None:
    left = {path.name for path in workers[-1].out.iterdir()}
    assert left <= {"quantized", "short", "long", "none"}


def test_learns_the_same_vocabulary_where_nothing_is_interrupted() -> None:
    texts = ["the old dog sees the cat", "a cat eats the fish"] * 20

    def outcomes() -> list[object]:
        found: list[object] = []
        for kind in "bpe", "unigram":
            found.append(attend.Tokenizer.train(texts, type=kind, vocab_size=18).to_bytes())
            for size in 5, 4000:
                with pytest.raises(attend.ConfigError) as error:
                    attend.Tokenizer.train(texts, type=kind, vocab_size=size)
                found.append(str(error.value))
        return found

    with ThreadPoolExecutor(1) as executor:
        elsewhere = executor.submit(outcomes).result()
    assert outcomes() == elsewhere


RESUMED = """
import os, signal, sys, threading
import attend

options = dict(lines=["the old dog sees the cat", "a cat eats the fish"] * 40, vocab_size=20,
               d_model=16, n_heads=2, d_ff=32, n_layers=1, sequence_length=16, batch_tokens=256,
               accumulate=200, max_steps=3, dropout=0.1)
out = sys.argv[1]
if sys.argv[2] == "whole":
    attend.train_lm(out=out, **options)
    sys.exit()
class Stop(attend.Callback):
    def on_step(self, report):
        if report.step == 1:
            threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    attend.train_lm(out=out, callbacks=[Stop()], **options)
except KeyboardInterrupt:
    print("interrupted", os.listdir(out + "/checkpoints") != [], flush=True)
attend.train_lm(out=out, resume=True)
"""


def test_a_step_that_was_given_up_is_repeated(tmp_path: pathlib.Path) -> None:
    for kind in "whole", "interrupted":
        run = subprocess.run(
            [sys.executable, "-c", RESUMED, str(tmp_path / kind), kind],
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
    assert run.stdout == "interrupted True\n"
    models = [(tmp_path / kind / "model.safetensors").read_bytes() for kind in ("whole", "interrupted")]
    assert models[0] == models[1]


HANDLED = """
import signal, sys
import attend

translator = attend.Translator(sys.argv[1] + "/translation/model.safetensors", threads=2)
class Told(Exception): pass
def tell(number, frame):
    raise Told
told = []
signal.signal(signal.SIGALRM, lambda number, frame: told.append(number))
signal.signal(signal.SIGTERM, tell)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
texts = ["the old dog sees the cat"] * 3000
assert len(translator.translate(texts)) == 3000  # a handler that returns ends nothing
signal.setitimer(signal.ITIMER_REAL, 0)
assert told
signal.signal(signal.SIGALRM, tell)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    translator.translate(texts * 100)
except Told:
    print("told")
"""


def test_other_handlers_are_heard_too(models: Models) -> None:
    run = subprocess.run(
        [sys.executable, "-c", HANDLED, str(models.folder)], capture_output=True, text=True
    )
    assert run.stdout == "told\n", run.stderr
