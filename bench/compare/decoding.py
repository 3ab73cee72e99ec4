"""Decoding beside CTranslate2, or an earlier build: throughput, memory, loading, latency, and the first line of a new process."""

import json
import os
import statistics
import sys

from sides import python, run, run_json, script


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


def compare(c, name, model, source, beam, one_by_one, length=0, shape=None, vocabulary=0, convert=None):
    """Throughput at the best settings of each side, and latency of `one_by_one` sentences one after the other; f32 against f32, 8 bits
    against 8 bits. convert(model, folder, kind) makes the model of the peer; by default it has the weights of ours."""
    convert = convert or (lambda *what: run(script("convert_to_ctranslate2.py", *what)))
    small = c.path(name + ".int8.safetensors")
    folders = {kind: c.path(f"{name}.{kind}") for kind in ("float32", "int8")}
    for kind, folder in folders.items():
        if not c.a.before:
            convert(model, folder, kind)
    run([c.attend, "quantize", model, "--out", small])
    outs = dict(ours=c.path(name + ".attend"), theirs=c.path(name + ".peer"))

    def attend(build, out, kind, source, batch_size, latency):
        file = c.path(name + ".json")
        with open(file, "w") as options:
            json.dump(dict(model=model if kind == "float32" else small, source=source, out=out, beam_size=beam, batch_size=batch_size, threads=2,
                           length=length, latency=latency), options)
        return run_json([os.path.join(build, "bench", "compare_decode_attend"), file])

    def ours(kind, source, batch_size, latency=False):
        return attend(c.a.build, outs["ours"], kind, source, batch_size, latency)

    def before(kind, source, batch_size, *_, latency=False):
        return attend(c.a.before, outs["theirs"], kind, source, batch_size, latency)

    def ctranslate2(kind, source, batch_size, inter, intra=None, latency=False):
        return python("decode_ctranslate2.py", folders[kind], source, outs["theirs"], "--compute-type", kind, "--beam-size", beam, "--batch-size",
                      batch_size, "--inter", inter, "--intra", intra or 2 // inter, "--length", length, *(["--latency"] if latency else []))

    theirs = before if c.a.before else ctranslate2

    def of_limit(turns, sentences):
        if shape is None:
            return {}
        return dict(of_limit=statistics.median(
            least_seconds(kind, shape, vocabulary, beam, mine, sentences, limits) / mine["seconds"] for mine, _, limits in turns))

    few = c.first_lines(source, one_by_one)
    for kind in ("float32", "int8"):
        our_size = smallest_of_the_fast([16, 32, 64], lambda size: ours(kind, source, size)["seconds"])
        their_settings = [(our_size,)] if c.a.before else [(size, inter) for size in (16, 64, 128) for inter in (1, 2)]
        their_best = smallest_of_the_fast(their_settings, lambda s: theirs(kind, source, *s)["seconds"])
        turns = c.turns(lambda: ours(kind, source, our_size), lambda: theirs(kind, source, *their_best))
        same = c.same_lines(outs["ours"], outs["theirs"])
        if kind == "float32" and length == 0 and same < 0.97:
            sys.exit(f"{name}: only {same:.0%} of the translations agree")
        if length and len({side["tokens"] for turn in turns for side in turn[:2]}) != 1:
            sys.exit(f"{name}: the two sides write different numbers of tokens: {[side['tokens'] for side in turns[0][:2]]}")
        speed = [[side["tokens"] / side["seconds"] for side in turn[:2]] for turn in turns]
        c.add(f"{name} beam {beam}, {kind}", statistics.median(s[0] for s in speed), statistics.median(s[1] for s in speed), c.peer("CTranslate2"),
                 "tokens/s", [a / b for a, b in speed], same_translations=same, settings=[our_size, their_best], **of_limit(turns, our_size))
        c.add_times(f"{name} beam {beam}, {kind}, peak memory", turns, "peak_bytes", 2**-20, "MiB")
        c.add_times(f"{name} beam {beam}, {kind}, loading", turns, "load_seconds")
        quickest = min((1, 2), key=lambda intra: theirs(kind, few, 1, 1, intra, latency=True)["latency_median"])
        turns = c.turns(lambda: ours(kind, few, 1, latency=True), lambda: theirs(kind, few, 1, 1, quickest, latency=True))
        c.add_times(f"{name} beam {beam}, {kind}, latency_median", turns, "latency_median", **of_limit(turns, 1))
        c.add_times(f"{name} beam {beam}, {kind}, latency_99", turns, "latency_99")
    one = c.first_lines(source, 1)
    if c.a.before:
        return
    exactly = ["--min-length", length, "--max-length", length] if length else []
    optimized = c.path(name + ".int8.optimized.safetensors")
    run([c.attend, "optimize", small, "--out", optimized])

    def first_line(file):
        return {"seconds": c.process_seconds([c.attend, "translate", file, "--beam-size", beam, *exactly], one)}

    def first_line_of_peer():
        return {"seconds": c.process_seconds(script("decode_ctranslate2.py", folders["int8"], one, outs["theirs"], "--compute-type", "int8",
                                                    "--beam-size", beam, "--length", length, "--once"))}

    cold = [(first_line(small), first_line_of_peer(), first_line(optimized)) for _ in range(c.a.turns)]
    row = f"{name} beam {beam}, cold start to first line"
    c.add_times(row, [(ours, theirs) for ours, theirs, _ in cold], "seconds")
    c.add_times(f"{row}, optimized file", [(ours, theirs) for _, theirs, ours in cold], "seconds")


def smallest_of_the_fast(settings, seconds):
    """The first of the settings, which grow, that takes at most 3 % longer than the fastest: what more memory is worth it. Each counts with
    the better of two runs."""
    taken = [min(seconds(setting), seconds(setting)) for setting in settings]
    return next(setting for setting, time_taken in zip(settings, taken) if time_taken <= 1.03 * min(taken))
