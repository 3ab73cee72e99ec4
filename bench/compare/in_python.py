"""The Python package beside ctranslate2 and sentence-transformers in one process, and beside the command line (one_process.py)."""

import os
import statistics
import sys

from sides import python, run, script

ALIKE = 0.97  # of the translations, and of the vectors


def compare(c):
    if not os.path.exists(os.path.join(c.a.build, "python", "attend", "_attend.abi3.so")):
        print("  python: the module was not built")
        return
    os.environ["PYTHONPATH"] = os.path.abspath(os.path.join(c.a.build, "python"))
    if c.a.model:
        folder = c.path("python.float32")
        run(script("convert_to_ctranslate2.py", c.a.model, folder, "float32"))
        measure(c, "translate", c.a.model, folder, c.a.source, "CTranslate2")
    if c.a.embedder:
        model = c.path("python-embedder.safetensors")
        run([c.attend, "import", c.a.embedder, "--out", model])
        measure(c, "encode", model, c.a.embedder, c.a.source, "sentence-transformers")


def measure(c, work, model, peer, source, peer_name):
    found = python("one_process.py", work, model, peer, source, "--program", os.path.abspath(c.attend), "--turns", c.a.turns)
    if found["agreement"] < ALIKE:
        sys.exit(f"python {work}: only {found['agreement']:.0%} of the results agree")
    for own, side, name in (("attend", "peer", f"{peer_name}, in one process"), ("steady", "program", "the command line")):
        ours, theirs = found[own], found[side]
        c.add(f"python {work}, beside {name}", statistics.median(ours), statistics.median(theirs), name.split(",")[0], "lines/s",
              [a / b for a, b in zip(ours, theirs)])
