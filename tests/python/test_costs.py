"""What the package costs: import time, time per call, memory. CPU time, which other programs do not
change much, and the best of several tries."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time

import attend
from conftest import Models

IMPORT = """
import sys, time
begin = time.process_time()
import attend
print(time.process_time() - begin, "numpy" in sys.modules)
"""


def test_the_import_takes_less_than_60_ms_and_leaves_numpy_alone(tmp_path: pathlib.Path) -> None:
    # With compiled files, as an installed package has them.
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    seconds = []
    for _ in range(12):  # the least is that of an undisturbed moment
        run = subprocess.run(
            [sys.executable, "-c", IMPORT],
            capture_output=True, encoding="utf-8", check=True, env=environment,
        )  # fmt: skip
        time_taken, with_numpy = run.stdout.split()
        assert with_numpy == "False"
        seconds.append(float(time_taken))
    assert min(seconds) < 0.060


def test_a_call_costs_less_than_50_us(models: Models) -> None:
    translator = attend.Translator(models.translator, threads=1)
    calls, seconds = 500, []
    for _ in range(5):
        begin = time.thread_time()
        for _ in range(calls):
            translator.translate("", beam_size=2)  # an empty line computes nothing
        seconds.append((time.thread_time() - begin) / calls)
    assert min(seconds) < 50e-6


LEAKS = """
import ctypes, sys, attend

# The kernel gives out huge pages, of 2 MB, when it likes: none for this process (PR_SET_THP_DISABLE).
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def use(calls, loads):
    translator = attend.Translator(sys.argv[1], threads=1)
    embedder = attend.Embedder(sys.argv[1], threads=1)
    for _ in range(calls):
        translator.translate(["the old dog sees the cat", "a cat"], n_best=2, beam_size=2)
        embedder.encode(["a cat eats the fish"])
        try:
            translator.translate("a cat", beam_size=0)
        except attend.ConfigError:
            pass
    for _ in range(loads):
        attend.Translator(sys.argv[1], threads=1).translate("a cat")

# What calls keep for the next ones, and what the allocator keeps, is no leak: a leak grows in every round.
grown = []
use(2000, 200)
while len(grown) < 4 and min(grown, default=1) > 0:
    before = resident()
    use(2000, 200)
    grown.append(resident() - before)
print(min(grown))
"""


def test_memory_stays_flat_over_2000_calls_and_200_loads(models: Models) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LEAKS, str(models.translator)],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert int(run.stdout) < 1 << 20
