"""Marian's trainer and decoder for CPUs, as peers of ours.

They compute in f32 alone, so each of our precisions is compared with that, at the settings with which Marian is fastest.
"""

import importlib.util
import json
import os
import statistics
import sys

from sides import python, run, run_json, run_json_or_none, script

# Threads either multiply together or train on batches of their own; a batch has the words of ours, or what a workspace holds.
SETTINGS = [["--devices", 1], ["--devices", 2], ["--devices", 2, "--workspace", 128], ["--devices", 2, "--fit", "--workspace", 256],
            ["--devices", 2, "--fit", "--workspace", 512]]


DECODING = [(devices, size) for devices in (1, 2) for size in (16, 32, 64)]
DECODED = 500  # sentences


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


def decode(c, name, options):
    """A model that Marian trains for a while, imported: the same weights, vocabularies and sentences on both sides. Marian normalizes what its
    decoder has cached another way than in training unless normalizations come after the sublayers, so they do here."""
    if c.a.before or not importlib.util.find_spec("pymarian"):
        return
    folder = c.path(f"{name}-marian")
    if not os.path.exists(os.path.join(folder, "model.npz")):
        file = c.path(f"{name}-marian.json")
        with open(file, "w") as out:
            json.dump(dict(options, seconds=6 * c.a.seconds), out)
        run(script("train_marian.py", file, "--devices", 2, "--keep", folder))
    files = {kind: c.path(f"{name}-marian.{kind}.safetensors") for kind in ("f32", "int8")}
    run([c.attend, "import", folder, "--out", files["f32"]])
    run([c.attend, "quantize", files["f32"], "--out", files["int8"]])
    source, few = c.first_lines(os.path.join(folder, "src"), DECODED), c.first_lines(os.path.join(folder, "src"), DECODED // 10)
    outs = dict(ours=c.path(f"{name}-marian.attend"), theirs=c.path(f"{name}-marian.peer"))

    def ours(kind, beam, text=source, size=32, latency=False):
        with open(c.path(f"{name}-marian.decode.json"), "w") as out:
            json.dump(dict(model=files[kind], source=text, out=outs["ours"], beam_size=beam, batch_size=size, threads=2, length=0, latency=latency), out)
        return run_json([os.path.join(c.a.build, "bench", "compare_decode_attend"), out.name])

    def theirs(setting, beam, text=source, latency=False):
        devices, size = setting
        return python("decode_marian.py", folder, text, outs["theirs"], "--beam-size", beam, "--devices", devices, "--batch-size", size,
                      *(["--latency"] if latency else []))

    ours("f32", 1), theirs(DECODING[0], 1)
    same = c.same_lines(outs["ours"], outs["theirs"])
    if same < 0.97:
        sys.exit(f"{name}: only {same:.0%} of the greedy translations agree")
    beam = 5
    speeds = {setting: (lambda side: side["tokens"] / side["seconds"])(theirs(setting, beam)) for setting in DECODING}
    best = max(speeds, key=speeds.get)
    print("  " + ", ".join(f"Marian {devices} x {size} {speed:.0f}" for (devices, size), speed in speeds.items()) + " tokens/s", flush=True)
    for kind in ("f32", "int8"):
        turns = c.turns(lambda: ours(kind, beam), lambda: theirs(best, beam))
        speed = [[side["tokens"] / side["seconds"] for side in turn[:2]] for turn in turns]
        c.add(f"{name} beam {beam} ({kind} against Marian)", *map(statistics.median, zip(*speed)), "Marian", "tokens/s", [a / b for a, b in speed],
              settings=best, same_greedy_translations=same, same_translations=c.same_lines(outs["ours"], outs["theirs"]))
        c.add_times(f"{name}, peak memory ({kind} against Marian)", turns, "peak_bytes", 2**-20, "MiB", peer="Marian")
        turns = c.turns(lambda: ours(kind, beam, few, 1, latency=True), lambda: theirs((1, 1), beam, few, latency=True))
        c.add_times(f"{name}, latency_median ({kind} against Marian)", turns, "latency_median", peer="Marian")
