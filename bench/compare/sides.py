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


def python(script, *arguments):
    return run_json([sys.executable, os.path.join(HERE, script), *arguments])


def check_same(name, ours, theirs):
    if theirs["parameters"] != ours["parameters"] or abs(theirs["first_loss"] - ours["first_loss"]) > 1e-3:
        sys.exit(f"{name}: the two sides do not compute the same: {ours} {theirs}")


def made_up_ids(path, sentences, vocabulary, seed, shortest=8, longest=40):
    """Random ids, for shapes that no data is at hand for: speed depends on the lengths alone."""
    draw = random.Random(seed)
    with open(path, "w") as out:
        for _ in range(sentences):
            out.write(" ".join(str(draw.randrange(4, vocabulary)) for _ in range(draw.randrange(shortest, longest))) + "\n")
    return path
