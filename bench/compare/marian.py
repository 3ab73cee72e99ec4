"""Marian's trainer for CPUs, as a peer of ours.

It trains in f32 alone, so each of our precisions is compared with that, at the settings with which it is fastest.
"""

import importlib.util
import json
import os
import statistics
import sys

from sides import run_json, run_json_or_none, script

# Threads either multiply together or train on batches of their own; a batch has the words of ours, or what a workspace holds.
SETTINGS = [["--devices", 1], ["--devices", 2], ["--devices", 2, "--workspace", 128], ["--devices", 2, "--fit", "--workspace", 256],
            ["--devices", 2, "--fit", "--workspace", 512]]


def train(c, name, options):
    if c.a.before or not importlib.util.find_spec("pymarian"):
        return
    file = c.path(f"{name}.json")
    with open(file, "w") as out:
        json.dump(options, out)

    def ours(precision):
        return run_json([os.path.join(c.a.build, "bench", "compare_train_attend"), file, precision])

    def theirs(setting):
        return run_json_or_none(script("train_marian.py", file, *setting), c.a.patience)

    parameters = ours("f32")["parameters"]
    trials = []
    for setting in SETTINGS:
        result = theirs(setting)
        said = "does not run here" if result is None else f"{result['tokens_per_second']:.0f} tokens/s"
        print(f"  {name}: Marian {' '.join(map(str, setting))} {said}", flush=True)
        if result is not None:
            if result["parameters"] != parameters:
                sys.exit(f"{name}: the models differ in size: {parameters} and {result['parameters']} parameters")
            trials.append((result["tokens_per_second"], setting))
    if not trials:
        return
    best = max(trials)[1]
    for precision in ("f32", "bf16") if "gflops_bf16" in c.limits else ("f32",):
        turns = [turn for turn in c.turns(lambda: ours(precision), lambda: theirs(best)) if turn[1] is not None]
        speed = [[side["tokens_per_second"] for side in turn[:2]] for turn in turns]
        c.add(f"{name} ({precision} against Marian)", *map(statistics.median, zip(*speed)), "Marian", "tokens/s", [a / b for a, b in speed],
              settings=best, parameters=parameters)
        c.add_times(f"{name}, peak memory ({precision} against Marian)", turns, "peak_bytes", 2**-20, "MiB", peer="Marian")
