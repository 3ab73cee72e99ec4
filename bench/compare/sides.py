"""Running either side of a comparison, and what both must agree on."""

import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def run(command, **options):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout


def run_json(command):
    return json.loads(run(command).strip().splitlines()[-1])


def run_json_or_none(command, seconds):
    """What run_json returns, or None when the command fails or takes longer."""
    try:
        done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else None


def script(name, *arguments):
    return [sys.executable, os.path.join(HERE, name), *arguments]


def python(name, *arguments):
    return run_json(script(name, *arguments))


def peak_bytes():
    """The largest resident set of this process since it started. Not that of getrusage(), which counts what its parent had before."""
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def check_same(name, ours, theirs):
    alike = abs(theirs["first_loss"] - ours["first_loss"]) <= 1e-3  # of a NaN: no
    alike = alike and abs(theirs.get("variant_loss", ours["first_loss"]) - ours["first_loss"]) <= 0.01 * ours["first_loss"]
    if theirs["parameters"] != ours["parameters"] or not alike:
        sys.exit(f"{name}: the two sides do not compute the same: {ours} {theirs}")


def made_up_ids(path, sentences, vocabulary, seed, shortest=8, longest=40):
    """Random ids, for shapes that no data is at hand for: speed depends on the lengths alone."""
    draw = random.Random(seed)
    with open(path, "w") as out:
        for _ in range(sentences):
            out.write(" ".join(str(draw.randrange(4, vocabulary)) for _ in range(draw.randrange(shortest, longest))) + "\n")
    return path
