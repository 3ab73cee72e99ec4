"""attend beside what people use, on the same work in one run: `make bench`.

Training against PyTorch and Marian, decoding against CTranslate2 and Marian, serving against CTranslate2, turn by turn (A B A B ...), so that both see the same machine. Every ratio is taken
within a turn and the median is reported; so is the machine's own limit, which is measured in every turn. Before anything is timed, both sides must compute the same: equal parameter counts, the same loss
of the same batch, the same translations. What is measured is written down at once, so that a run may be stopped.

With --before BUILD, the peer is an earlier build of attend instead; with --fail-below RATIO, too, a build that is slower is an error: `make bench-check`.

usage: compare.py --build BUILD --out FOLDER [--before BUILD [--fail-below RATIO]] [--data DATA] [--model MODEL --source FILE] [--embedder DIR] [--quick]
                  [--turns 3] [--seconds 15] [--only NAME ...]
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

import imported
import in_python
import marian
import scaling
import serving
from sides import check_same, made_up_ids, python, run, run_json, run_json_or_none, script

TINY = dict(d_model=128, n_heads=4, d_ff=256, n_encoder_layers=4, n_decoder_layers=4, norm_first=True, tie_embeddings="target")
LANGUAGE = dict(d_model=512, n_heads=8, d_ff=2048, n_layers=6, dropout=0.1, activation="gelu")
BASE = dict(d_model=512, n_heads=8, d_ff=2048, n_encoder_layers=6, n_decoder_layers=6, norm_first=False, tie_embeddings="all")


class Comparison:
    def __init__(self, arguments):
        self.a = arguments
        # What both sides read is written by the earlier one: new programs read old files.
        self.attend = os.path.join(arguments.before or arguments.build, "attend")
        self.rows, self.curves = [], []
        os.makedirs(arguments.out, exist_ok=True)
        self.limits = self.measure_limits()
        print("this machine: {gflops_f32:.0f} GFLOP/s in f32, {bf16} in bf16, {gops_int8:.0f} GOP/s in 8 bits (oneDNN), copies {copy_gbytes:.1f} GB/s"
              .format(bf16=f"{self.limits['gflops_bf16']:.0f}" if "gflops_bf16" in self.limits else "none", **self.limits), flush=True)

    def path(self, name):
        return os.path.join(self.a.out, name)

    def peer(self, name):
        return "before" if self.a.before else name

    def measure_limits(self):
        """What this machine can do: large products through oneDNN, and copying far outside the caches."""
        program = os.path.join(self.a.build, "bench", "bench_kernels")
        chosen = "onednn_product(|_bf16|_int8)/1024/512/512|copy/33554432"
        text = run([program, f"--benchmark_filter={chosen}", "--benchmark_format=json"], stderr=subprocess.DEVNULL)
        done = [b for b in json.loads(text)["benchmarks"] if not b.get("error_occurred")]
        found = {b["name"].split("/")[0]: b.get("FLOP/s", b.get("bytes/s")) / 1e9 for b in done}
        limits = dict(gflops_f32=found["onednn_product"], gops_int8=found["onednn_product_int8"], copy_gbytes=found["copy"])
        if "onednn_product_bf16" in found:
            limits["gflops_bf16"] = found["onednn_product_bf16"]
        return limits

    def turns(self, ours, theirs):
        """(ours, theirs, limits), one after the other: a machine that others use is not the same a minute later."""
        return [(ours(), theirs(), self.measure_limits()) for _ in range(self.a.turns)]

    def save(self):
        with open(self.path("comparison.json"), "w") as out:
            json.dump(dict(limits=self.limits, rows=self.rows, curves=self.curves), out, indent=1)
        if self.rows:
            with open(self.path("comparison.svg"), "w") as out:
                out.write(plot(self.rows))

    def add(self, work, attend, peer, peer_name, unit, ratios, **more):
        row = dict(work=work, attend=attend, peer=peer, peer_name=peer_name, unit=unit, ratio=statistics.median(ratios), ratios=ratios, **more)
        self.rows.append(row)
        of_limit = f"   {more['of_limit']:.0%} of the limit" if "of_limit" in more else ""
        print(f"{work:<48} attend {attend:>10.1f}   {peer_name} {peer:>10.1f} {unit:<9} ratio {row['ratio']:.2f}{of_limit}", flush=True)
        self.save()

    def add_times(self, work, turns, which, factor=1e3, unit="ms", **more):
        """Of what should be small: the ratio is the peer's over ours."""
        pairs = [[factor * side[which] for side in turn[:2]] for turn in turns]
        self.add(work, statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs), more.pop("peer", self.peer("CTranslate2")), unit,
                 [theirs / ours for ours, theirs in pairs], **more)

    def train(self, name, config, src, tgt, vocabulary, batch_tokens, dropout, seconds):
        d, f, encoder, decoder = config["d_model"], config["d_ff"], config["n_encoder_layers"], config["n_decoder_layers"]

        def flops(result):  # a second: 2 forward and 4 backward for every weight and token, attention itself left out
            source = result["source_tokens_per_second"] * (encoder * (4 * d * d + 2 * d * f) + decoder * 2 * d * d)
            target = result["tokens_per_second"] * (decoder * (6 * d * d + 2 * d * f) + vocabulary * d)
            return 6 * (source + target)

        options = dict(model=dict(config, dropout=dropout), dropout=dropout, vocabulary=vocabulary, src=src, tgt=tgt, threads=2,
                       batch_tokens=batch_tokens, seconds=seconds, weights=self.path(f"{name}.safetensors"))
        self.train_beside_torch(name, "train_attend", flops, options)
        return options

    def train_language(self, name, config, length, sequences, vocabulary):
        ids = made_up_ids(self.path(name + ".ids"), 16 * sequences, vocabulary, 1, length + 1, length + 2)
        d, layers = config["d_model"], config["n_layers"]

        def flops(result):  # and the causal attention: two products over half the length on average
            return 6 * result["tokens_per_second"] * (layers * (4 * d * d + 2 * d * config["d_ff"] + length * d) + vocabulary * d)

        self.train_beside_torch(name, "train_lm_attend", flops, dict(
            model=config, vocabulary=vocabulary, ids=ids, sequences=sequences, threads=2, seconds=3 * self.a.seconds,
            weights=self.path(f"{name}.safetensors")))

    def sides(self, name, program, options):
        """(ours(precision), theirs(variant)) of the same training, where the variants of an earlier build are its precisions; theirs() is None when that variant does not run here, or takes for ever."""
        file = self.path(f"{name}.json")
        with open(file, "w") as out:
            json.dump(options, out)
        if self.a.before:
            return tuple((lambda precision, build=build: run_json([os.path.join(build, "bench", "compare_" + program), file, precision]))
                         for build in (self.a.build, self.a.before))
        peer = program.replace("_attend", "_torch") + ".py"
        return (lambda precision: run_json([os.path.join(self.a.build, "bench", "compare_" + program), file, precision]),
                lambda variant: run_json_or_none(script(peer, file, "--variant", variant), self.a.patience))

    def train_beside_torch(self, name, program, flops, options):
        ours, theirs = self.sides(name, program, options)
        first = ours("f32")
        trials = {}
        for variant in self.a.variants:
            result = theirs(variant)
            if result is None:
                print(f"  {name}: PyTorch {variant} does not run here, or not within {self.a.patience:.0f} s", flush=True)
                continue
            print(f"  {name}: PyTorch {variant} {result['tokens_per_second']:.0f} tokens/s", flush=True)
            check_same(name, first, result)
            trials[variant] = result
        kinds = [kind for kind in ("f32", "bf16") if any(v.startswith(kind) for v in trials)]
        best = {kind: max((v for v in trials if v.startswith(kind)), key=lambda v: trials[v]["tokens_per_second"]) for kind in kinds}
        for kind in kinds:
            precision = kind if f"gflops_{kind}" in self.limits else "f32"  # bf16 only where the processor has it
            turns = self.turns(lambda: ours(precision), lambda: theirs(best[kind]))
            turns = [turn for turn in turns if turn[1] is not None]
            if not turns:
                print(f"  {name}: PyTorch {best[kind]} ran once and then not again", flush=True)
                continue
            speed = [[side["tokens_per_second"] for side in turn[:2]] for turn in turns]
            self.add(f"{name} ({precision} against {best[kind]})", statistics.median(s[0] for s in speed), statistics.median(s[1] for s in speed),
                     self.peer("PyTorch"), "tokens/s", [a / b for a, b in speed], first_loss=[first["first_loss"], trials[best[kind]]["first_loss"]],
                     parameters=first["parameters"], of_limit=statistics.median(flops(mine) / 1e9 / limits[f"gflops_{precision}"] for mine, _, limits in turns))
            self.add_times(f"{name}, peak memory ({best[kind]})", turns, "peak_bytes", 2**-20, "MiB", peer=self.peer("PyTorch"))

    @staticmethod
    def least_seconds(kind, shape, vocabulary, beam, result, sentences_at_once, limits):
        """What decoding with weights larger than the caches takes at least: its multiplications at the rate of large products, or reading the
        weights of decoder and output once for every step, whichever takes longer."""
        d, f = shape["d_model"], shape["d_ff"]
        step_weights = shape["n_decoder_layers"] * (6 * d * d + 2 * d * f) + vocabulary * d
        source_weights = shape["n_encoder_layers"] * (4 * d * d + 2 * d * f) + shape["n_decoder_layers"] * 2 * d * d
        rate = limits["gflops_f32" if kind == "float32" else "gops_int8"]
        products = 2 * (beam * result["tokens"] * step_weights + result["source_tokens"] * source_weights) / rate
        reading = result["tokens"] / sentences_at_once * step_weights * (4 if kind == "float32" else 1) / limits["copy_gbytes"]
        return max(products, reading) / 1e9

    def decode(self, name, model, source, beam, one_by_one, length=0, shape=None, vocabulary=0, convert=None):
        """Throughput at the best settings of each side, and latency of `one_by_one` sentences one after the other; f32 against f32, 8 bits
        against 8 bits. convert(model, folder, kind) makes the model of the peer; by default it has the weights of ours."""
        convert = convert or (lambda *what: run(script("convert_to_ctranslate2.py", *what)))
        small = self.path(name + ".int8.safetensors")
        folders = {kind: self.path(f"{name}.{kind}") for kind in ("float32", "int8")}
        for kind, folder in folders.items():
            if not self.a.before:
                convert(model, folder, kind)
        run([self.attend, "quantize", model, "--out", small])
        outs = dict(ours=self.path(name + ".attend"), theirs=self.path(name + ".peer"))

        def attend(build, out, kind, source, batch_size, latency):
            file = self.path(name + ".json")
            with open(file, "w") as options:
                json.dump(dict(model=model if kind == "float32" else small, source=source, out=out, beam_size=beam, batch_size=batch_size, threads=2,
                               length=length, latency=latency), options)
            return run_json([os.path.join(build, "bench", "compare_decode_attend"), file])

        def ours(kind, source, batch_size, latency=False):
            return attend(self.a.build, outs["ours"], kind, source, batch_size, latency)

        def before(kind, source, batch_size, *_, latency=False):
            return attend(self.a.before, outs["theirs"], kind, source, batch_size, latency)

        def ctranslate2(kind, source, batch_size, inter, intra=None, latency=False):
            return python("decode_ctranslate2.py", folders[kind], source, outs["theirs"], "--compute-type", kind, "--beam-size", beam, "--batch-size",
                          batch_size, "--inter", inter, "--intra", intra or 2 // inter, "--length", length, *(["--latency"] if latency else []))

        theirs = before if self.a.before else ctranslate2

        def of_limit(turns, sentences):
            if shape is None:
                return {}
            return dict(of_limit=statistics.median(
                self.least_seconds(kind, shape, vocabulary, beam, mine, sentences, limits) / mine["seconds"] for mine, _, limits in turns))

        few = self.first_lines(source, one_by_one)
        for kind in ("float32", "int8"):
            our_size = smallest_of_the_fast([16, 32, 64], lambda size: ours(kind, source, size)["seconds"])
            their_settings = [(our_size,)] if self.a.before else [(size, inter) for size in (16, 64, 128) for inter in (1, 2)]
            their_best = smallest_of_the_fast(their_settings, lambda s: theirs(kind, source, *s)["seconds"])
            turns = self.turns(lambda: ours(kind, source, our_size), lambda: theirs(kind, source, *their_best))
            same = self.same_lines(outs["ours"], outs["theirs"])
            if kind == "float32" and length == 0 and same < 0.97:
                sys.exit(f"{name}: only {same:.0%} of the translations agree")
            if length and len({side["tokens"] for turn in turns for side in turn[:2]}) != 1:
                sys.exit(f"{name}: the two sides write different numbers of tokens: {[side['tokens'] for side in turns[0][:2]]}")
            speed = [[side["tokens"] / side["seconds"] for side in turn[:2]] for turn in turns]
            self.add(f"{name} beam {beam}, {kind}", statistics.median(s[0] for s in speed), statistics.median(s[1] for s in speed), self.peer("CTranslate2"),
                     "tokens/s", [a / b for a, b in speed], same_translations=same, settings=[our_size, their_best], **of_limit(turns, our_size))
            self.add_times(f"{name} beam {beam}, {kind}, peak memory", turns, "peak_bytes", 2**-20, "MiB")
            self.add_times(f"{name} beam {beam}, {kind}, loading", turns, "load_seconds")
            quickest = min((1, 2), key=lambda intra: theirs(kind, few, 1, 1, intra, latency=True)["latency_median"])
            turns = self.turns(lambda: ours(kind, few, 1, latency=True), lambda: theirs(kind, few, 1, 1, quickest, latency=True))
            self.add_times(f"{name} beam {beam}, {kind}, latency_median", turns, "latency_median", **of_limit(turns, 1))
            self.add_times(f"{name} beam {beam}, {kind}, latency_99", turns, "latency_99")
        one = self.first_lines(source, 1)
        if self.a.before:
            return
        exactly = ["--min-length", length, "--max-length", length] if length else []
        cold = [({"seconds": self.process_seconds([self.attend, "translate", small, "--beam-size", beam, *exactly], one)},
                 {"seconds": self.process_seconds(script("decode_ctranslate2.py", folders["int8"], one, outs["theirs"], "--compute-type", "int8",
                                                         "--beam-size", beam, "--length", length, "--once"))}) for _ in range(self.a.turns)]
        self.add_times(f"{name} beam {beam}, cold start to first line", cold, "seconds")

    def first_lines(self, source, count):
        path = self.path(f"first-{count}.txt")
        with open(source) as text, open(path, "w") as out:
            out.writelines(line for _, line in zip(range(count), text))
        return path

    @staticmethod
    def same_lines(first, second):
        with open(first) as a, open(second) as b:
            ours, theirs = list(a), list(b)
        if len(ours) != len(theirs):
            sys.exit(f"{first} and {second} differ in their number of lines")
        return sum(x == y for x, y in zip(ours, theirs)) / len(ours)

    def demo_model(self):
        """A model that is trained in a minute, and sentences that it knows."""
        folder = self.path("demo")
        model, source = os.path.join(folder, "run", "model.safetensors"), os.path.join(folder, "corpus", "test.en")
        if not os.path.exists(model):
            shutil.rmtree(folder, ignore_errors=True)
            run([self.attend, "demo", "--out", folder], stderr=subprocess.DEVNULL)
        return model, source

    def random_base(self):
        """A model of the base shape that has hardly been trained, for speed alone."""
        folder = os.path.join(self.a.data, "europarl-sample")
        run_folder = self.path("base")
        model = os.path.join(run_folder, "model.safetensors")
        if not os.path.exists(model):
            run([self.attend, "train", "translation", "--src-train", f"{folder}/europarl20k.en", "--tgt-train", f"{folder}/europarl20k.de", "--out",
                 run_folder, "--vocab-size", 32000, "--max-steps", 1, "--batch-tokens", 512, "--d-model", 512, "--n-heads", 8, "--d-ff", 2048,
                 "--n-encoder-layers", 6, "--n-decoder-layers", 6], stderr=subprocess.DEVNULL)
        return model

    @staticmethod
    def process_seconds(command, standard_input=os.devnull):
        with open(standard_input) as text:
            started = time.monotonic()
            run(command, stdin=text)
        return time.monotonic() - started


def smallest_of_the_fast(settings, seconds):
    """The first of the settings, which grow, that takes at most 3 % longer than the fastest: what more memory is worth it. Each counts with
    the better of two runs."""
    taken = [min(seconds(setting), seconds(setting)) for setting in settings]
    return next(setting for setting, time_taken in zip(settings, taken) if time_taken <= 1.03 * min(taken))


def corpus_ids(c, src, tgt, name, vocabulary, joint):
    """The ids of real text, as sentencepiece (BPE) cuts it with one vocabulary or one for each side."""
    import sentencepiece

    prefix = c.path(name)
    files = []
    for side, path in (("src", src), ("tgt", tgt)):
        learned = prefix if joint else f"{prefix}.{side}"
        if not os.path.exists(learned + ".model"):
            sentencepiece.SentencePieceTrainer.train(input=[src, tgt] if joint else path, model_prefix=learned, vocab_size=vocabulary,
                                                     model_type="bpe", pad_id=0, unk_id=1, bos_id=2, eos_id=3, minloglevel=2)
        processor = sentencepiece.SentencePieceProcessor(learned + ".model")
        files.append(f"{prefix}.{side}.ids")
        with open(path) as text, open(files[-1], "w") as out:
            out.writelines(" ".join(map(str, processor.encode(line.rstrip("\n"))[:250])) + "\n" for line in text)
    return files


def plot(rows):
    """A bar for every ratio, and a line at 1, where both are equally good."""
    line, left, scale = 26, 330, 90
    width, height = left + int(scale * max(r["ratio"] for r in rows)) + 70, line * len(rows) + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, row in enumerate(rows):
        y = 12 + i * line
        parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{row["work"]}</text>')
        parts.append(f'<rect x="{left}" y="{y}" width="{scale * row["ratio"]:.1f}" height="18" fill="#3b6ea5"/>')
        parts.append(f'<text x="{left + scale * row["ratio"] + 6:.1f}" y="{y + 14}">{row["ratio"]:.2f}×</text>')
    parts.append(f'<line x1="{left + scale}" x2="{left + scale}" y1="4" y2="{height - 14}" stroke="#a00" stroke-dasharray="4 3"/>')
    parts.append(f'<text x="{left + scale + 4}" y="{height - 4}" fill="#a00">as fast as the peer</text></svg>')
    return "\n".join(parts) + "\n"


ROWS = ["train-tiny", "train-base", "train-lm", "decode-tiny", "decode-marian", "decode-base", "serving", "imported-encoders", "imported-translation",
        "imported-generation", "python", "scaling", "processes"]
# What --quick runs: the work of one model of each kind, against the peers' usual variants, in two turns.
QUICK = dict(only=["train-tiny", "train-lm", "decode-tiny"], variants=["f32", "bf16"], turns=2, seconds=5)
# What an earlier build of attend can be compared in.
OF_ATTEND = ["train-tiny", "train-base", "train-lm", "decode-tiny", "decode-base"]


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
    parser.add_argument("--quick", action="store_true", help="a few rows in minutes, with more noise")
    parser.add_argument("--turns", type=int, help="by default 3")
    parser.add_argument("--seconds", type=float, help="of training the tiny model, in one turn; larger ones take three times as long; by default 15")
    parser.add_argument("--patience", type=float, default=600, help="seconds after which a variant of the peer is given up")
    parser.add_argument("--variants", nargs="*", help="of the peer's training, to choose from")
    parser.add_argument("--only", nargs="*", choices=ROWS, help="by default all rows")
    arguments = parser.parse_args()
    defaults = dict(only=OF_ATTEND if arguments.before else ROWS, variants=["f32", "bf16", "f32-compiled", "bf16-compiled"], turns=3, seconds=15.0)
    defaults |= QUICK if arguments.quick else {}
    for name, value in defaults.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    if arguments.before:
        arguments.variants = ["f32", "bf16"]
    return arguments


def measure(c, only):
    """The rows whose names are in `only`."""
    a = c.a

    def ids(folder, src, tgt, name, vocabulary, joint):
        src, tgt = (os.path.join(a.data, folder, f) for f in (src, tgt))
        if a.data and os.path.exists(src):
            return corpus_ids(c, src, tgt, name, vocabulary, joint)
        if a.data:
            sys.exit(f"{src}: no such file")
        print(f"  {name}: no data, made-up sentences instead")
        return made_up_ids(c.path(name + ".src"), 20000, vocabulary, 1), made_up_ids(c.path(name + ".tgt"), 20000, vocabulary, 2)

    if "train-tiny" in only:
        src, tgt = ids("multi30k/tok", "train.lc.norm.tok.en", "train.lc.norm.tok.de", "train-tiny", 6000, joint=False)
        # 2048 tokens: what the recipe's model sees at a time, 1024 in two passes.
        options = c.train("train-tiny", TINY, src, tgt, 6000, 2048, 0.2, a.seconds)
        if not a.quick:
            marian.train(c, "train-tiny", options)
    if "train-base" in only:
        src, tgt = ids("europarl-sample", "europarl20k.en", "europarl20k.de", "train-base", 32000, joint=True)
        c.train("train-base", BASE, src, tgt, 32000, 4096, 0.1, 3 * a.seconds)
    if "train-lm" in only:
        c.train_language("train-lm", LANGUAGE, length=512, sequences=8, vocabulary=10000)
    if "decode-tiny" in only:
        model, source = (a.model, a.source) if a.model else c.demo_model()
        c.decode("decode-tiny", model, source, 5, one_by_one=1000)
    if "decode-marian" in only:
        src, tgt = ids("multi30k/tok", "train.lc.norm.tok.en", "train.lc.norm.tok.de", "train-tiny", 6000, joint=False)
        marian.decode(c, "decode-tiny", dict(model=dict(TINY, norm_first=False), dropout=0.2, vocabulary=6000, src=src, tgt=tgt, threads=2, batch_tokens=2048))
    if "decode-base" in only and a.data:
        source = c.first_lines(os.path.join(a.data, "newstest", "newstest2013.en"), 100)
        source = shutil.copy(source, c.path("newstest.txt"))
        for beam in (4, 1):
            c.decode("decode-base", c.random_base(), source, beam, one_by_one=40, length=30, shape=BASE, vocabulary=32000)
    if "serving" in only and a.model and not a.before:
        serving.compare(c, "serving", a.model, a.source)
    imported.compare(c, only)
    if "python" in only:
        in_python.compare(c)
    if "scaling" in only:
        c.curves = scaling.measure(c)
        c.save()
    if "processes" in only and shutil.which("mpirun") and not a.before:
        scaling.measure_processes(c)


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
