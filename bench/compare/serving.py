"""Servers of one translation model, each asked by the same clients: attend serve against FastAPI with CTranslate2 and dynamic batching, and
against attend translate, which has all sentences at once. Every sentence is a request."""

import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager

from sides import run, run_json, script

CLIENTS = 16


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def started(command, port, log):
    """The server that the command starts, once it accepts connections."""
    with open(log, "w") as out:
        server = subprocess.Popen([str(c) for c in command], stderr=out)
    try:
        for _ in range(600):
            if server.poll() is not None:
                sys.exit(f"failed, see {log}: {' '.join(map(str, command))}")
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def single_sentences(c, source):
    """The lines that are one sentence each: a server cuts the others."""
    path = c.path("serving.txt")
    with open(source) as text, open(path, "w") as out:
        out.writelines(line for line in text if line.strip() and not re.search(r"[.!?]\W*\s+\S", line))
    return path


def compare(c, name, model, source, beam=5):
    source = single_sentences(c, source)
    with open(source) as text:
        sentences = sum(1 for _ in text)
    small = c.path(name + ".int8.safetensors")
    run([c.attend, "quantize", model, "--out", small])
    attend = os.path.join(c.a.build, "attend")
    clients = os.path.join(c.a.build, "bench", "compare_serve_clients")

    def asked(side, command, port):
        file, out = c.path("serving.json"), c.path(f"serving.{side}")
        with open(file, "w") as options:
            json.dump(dict(port=port, source=source, out=out, clients=CLIENTS), options)
        with started(command, port, c.path(f"serving.{side}.log")):
            run_json([clients, file])  # first, for caches and threads
            return run_json([clients, file])

    for kind, own in (("float32", model), ("int8", small)):
        folder = c.path(f"{name}.serving.{kind}")
        run(script("convert_to_ctranslate2.py", model, folder, kind))

        def ours():
            port = free_port()
            return asked("ours", [attend, "serve", f"{own},src=en,tgt=de", "--listen", f"127.0.0.1:{port}", "--threads", 2, "--no-access-log"], port)

        def theirs(inter):
            port = free_port()
            return asked("theirs", script("serve_fastapi.py", folder, port, "--compute-type", kind, "--beam-size", beam, "--inter", inter,
                                          "--intra", 2 // inter), port)

        def translate():
            """Without its start, which a server has behind it."""
            once, all_lines = (c.process_seconds([attend, "translate", own, "--threads", 2], text) for text in (os.devnull, source))
            return {"seconds": all_lines - once}

        best = min((1, 2), key=lambda inter: theirs(inter)["seconds"])
        turns = c.turns(ours, lambda: theirs(best))
        if kind == "float32" and (same := c.same_lines(c.path("serving.ours"), c.path("serving.theirs"))) < 0.97:
            sys.exit(f"{name}: only {same:.0%} of the translations agree")
        speed = [[sentences / side["seconds"] for side in turn[:2]] for turn in turns]
        c.add(f"{name} {CLIENTS} clients, {kind}", statistics.median(s[0] for s in speed), statistics.median(s[1] for s in speed),
              "FastAPI + CTranslate2", "sent./s", [a / b for a, b in speed])
        for which in ("latency_median", "latency_99"):
            c.add_times(f"{name} {CLIENTS} clients, {kind}, {which}", turns, which, peer="FastAPI + CTranslate2")
        turns = c.turns(ours, translate)
        c.add(f"{name} {CLIENTS} clients, {kind}, beside translate", *(sentences / statistics.median(turn[i]["seconds"] for turn in turns) for i in (0, 1)),
              "attend translate", "sent./s", [turn[1]["seconds"] / turn[0]["seconds"] for turn in turns])
