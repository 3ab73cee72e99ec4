"""attend beside what people use, on the same work in one run: `make bench`.

Training against PyTorch and Marian, decoding against CTranslate2 and Marian, serving against CTranslate2, turn by turn (A B A B ...), so that both
see the same machine. Every ratio is taken within a turn and the median is reported; so is the machine's own limit, which is measured in every turn.
Before anything is timed, both sides must compute the same: equal parameter counts, the same loss of the same batch, the same translations. What is
measured is written down at once, so that a run may be stopped.

With --before BUILD, the peer is an earlier build of attend instead; with --fail-below RATIO, too, a build that is slower is an error: `make bench-check`.

usage: compare.py --build BUILD --out FOLDER [--before BUILD [--fail-below RATIO]] [--data DATA] [--model MODEL --source FILE] [--embedder DIR] [--gguf FILE]
                  [--quick] [--turns 3] [--seconds 8] [--only NAME ...]

Without --only, training, decoding and serving are compared, in less than 45 minutes. The other rows are to be named; "all" takes hours.
"""

import argparse
import os
import shutil
import sys
import time

import decoding
import imported
import in_python
import marian
import scaling
import serving
import training
from comparison import Comparison
from sides import made_up_ids

ROWS = ["train-tiny", "train-base", "train-lm", "decode-tiny", "decode-marian", "decode-base", "serving", "imported-encoders", "imported-translation",
        "imported-generation", "gguf-generation", "fine-tuning", "python", "scaling", "processes"]
# What runs without --only, in two turns beside eager PyTorch.
USUAL = dict(only=["train-tiny", "train-base", "train-lm", "decode-tiny", "decode-base", "serving"], variants=["f32", "bf16"], turns=2)
# What --quick runs: the small model alone, in two turns.
QUICK = dict(only=["train-tiny", "decode-tiny"], variants=["f32", "bf16"], turns=2, seconds=5)
# What an earlier build of attend can be compared in.
OF_ATTEND = ["train-tiny", "train-base", "train-lm", "decode-tiny", "decode-base"]
# What has no substitute for an option.
NEEDS = {"decode-base": "data", "serving": "model", "imported-encoders": "data", "imported-translation": "data", "imported-generation": "data",
         "fine-tuning": "data", "gguf-generation": "gguf"}


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--before", default="", help="an earlier build with its benchmarks, to be the peer")
    parser.add_argument("--fail-below", type=float, default=0.0, help="of the ratios to the earlier build: fail if one is lower, and still is when measured again")
    parser.add_argument("--data", default="", help="folder with multi30k/ and europarl-sample/; made-up sentences without it")
    parser.add_argument("--model", default="", help="a trained translation model, to compare decoding; by default one of `attend demo`")
    parser.add_argument("--source", default="", help="sentences to decode")
    parser.add_argument("--embedder", default="", help="a directory of sentence-transformers, to compare embedding")
    parser.add_argument("--gguf", default="", help="a GGUF file of a language model, to compare with llama.cpp")
    parser.add_argument("--quick", action="store_true", help="a few rows in minutes, with more noise")
    parser.add_argument("--turns", type=int, help="by default 3, without --only 2")
    parser.add_argument("--seconds", type=float, help="of training the tiny model, in one turn; larger ones take three times as long; by default 8")
    parser.add_argument("--patience", type=float, default=600, help="seconds after which a variant of the peer is given up")
    parser.add_argument("--variants", nargs="*", help="of the peer's training, to choose from; by default f32 and bf16, and with --only both compiled, too")
    parser.add_argument("--only", nargs="*", choices=[*ROWS, "all"], help="by default " + " ".join(USUAL["only"]))
    arguments = parser.parse_args()
    defaults = dict(variants=["f32", "bf16", "f32-compiled", "bf16-compiled"], turns=3, seconds=8.0)
    if arguments.quick:
        defaults |= QUICK
    elif arguments.only is None:
        defaults |= dict(only=OF_ATTEND) if arguments.before else USUAL
    for name, value in defaults.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if "all" in arguments.only:
        arguments.only = ROWS
    if arguments.before:
        if others := [name for name in arguments.only if name not in OF_ATTEND]:
            parser.error(f"not compared with an earlier build: {', '.join(others)}")
        arguments.variants = ["f32", "bf16"]
    return arguments


def measure(c, names):
    """The rows of these names, each with the time that it took."""
    for name in ROWS:
        if name not in names:
            continue
        if name in NEEDS and not getattr(c.a, NEEDS[name]):
            print(f"  {name}: left out without --{NEEDS[name]}", flush=True)
            continue
        started = time.monotonic()
        measure_row(c, name)
        print(f"  {name}: {(time.monotonic() - started) / 60:.1f} minutes", flush=True)


def measure_row(c, name):
    a = c.a

    def ids(folder, src, tgt, vocabulary, joint):
        src, tgt = (os.path.join(a.data, folder, f) for f in (src, tgt))
        if a.data and os.path.exists(src):
            return training.corpus_ids(c, src, tgt, name, vocabulary, joint)
        if a.data:
            sys.exit(f"{src}: no such file")
        print(f"  {name}: no data, made-up sentences instead")
        return made_up_ids(c.path(name + ".src"), 20000, vocabulary, 1), made_up_ids(c.path(name + ".tgt"), 20000, vocabulary, 2)

    def ids_of_multi30k():
        return ids("multi30k/tok", "train.lc.norm.tok.en", "train.lc.norm.tok.de", 6000, joint=False)

    match name:
        case "train-tiny":
            # 2048 tokens: what the recipe's model sees at a time, 1024 in two passes.
            options = training.translation(c, name, training.TINY, *ids_of_multi30k(), 6000, 2048, 0.2, a.seconds)
            if not a.quick:
                marian.train(c, name, options)
        case "train-base":
            src, tgt = ids("europarl-sample", "europarl20k.en", "europarl20k.de", 32000, joint=True)
            training.translation(c, name, training.BASE, src, tgt, 32000, 4096, 0.1, 3 * a.seconds)
        case "train-lm":
            training.language(c, name, training.LANGUAGE, length=512, sequences=8, vocabulary=10000)
        case "decode-tiny":
            model, source = (a.model, a.source) if a.model else c.demo_model()
            decoding.compare(c, name, model, source, 5, one_by_one=200 if a.quick else 1000)
        case "decode-marian":
            src, tgt = ids_of_multi30k()
            marian.decode(c, "decode-tiny", dict(model=dict(training.TINY, norm_first=False), dropout=0.2, vocabulary=6000, src=src, tgt=tgt, threads=2,
                                                 batch_tokens=2048))
        case "decode-base":
            source = c.first_lines(os.path.join(a.data, "newstest", "newstest2013.en"), 100)
            source = shutil.copy(source, c.path("newstest.txt"))
            for beam in (4, 1):
                decoding.compare(c, name, c.random_base(), source, beam, one_by_one=40, length=30, shape=training.BASE, vocabulary=32000)
        case "serving":
            serving.compare(c, name, a.model, a.source)
        case "python":
            in_python.compare(c)
        case "scaling":
            c.curves = scaling.measure(c)
            c.save()
        case "processes":
            scaling.measure_processes(c)
        case _:
            imported.compare(c, name)


def slower(rows, ratio):
    """The work whose ratio is lower, with the name of its row in ROWS."""
    return {row["work"]: next(name for name in ROWS if row["work"].startswith(name)) for row in rows if row["ratio"] < ratio}


def check(c):
    """Measures what seems slower once more, because a busy moment is no regression, and fails if it still is."""
    suspects = slower(c.rows, c.a.fail_below)
    if suspects:
        print(f"once more, because they were below {c.a.fail_below}: {', '.join(suspects)}", flush=True)
        c.rows = []
        measure(c, set(suspects.values()))
    failed = sorted(set(suspects) & set(slower(c.rows, c.a.fail_below)))
    if failed:
        sys.exit(f"slower than the earlier build, below {c.a.fail_below} of it twice: {', '.join(failed)}")
    print(f"as fast as the earlier build: no ratio below {c.a.fail_below} twice")


def main():
    c = Comparison(parse_arguments())
    measure(c, c.a.only)
    print(f"written to {c.path('comparison.json')} and {c.path('comparison.svg')}")
    if c.a.fail_below:
        check(c)


if __name__ == "__main__":
    main()
