"""How training a decoder grows: seconds of a step and peak memory against the sequence length, the batch, the width and the threads, attend
beside PyTorch, a plot for each. Of the steps, which are alike, the fastest counts: what disturbs only ever slows down. Memory is the peak of the
whole process. And tokens a second of several processes: mpirun beside PyTorch's DistributedDataParallel over gloo."""

import json
import math
import os
import shutil
import socket
import statistics

from sides import check_same, made_up_ids, python, run
from training import sides

SHAPE = dict(n_heads=4, n_layers=4, dropout=0.1, activation="gelu")
VOCABULARY = 2000
SECONDS = 3
# name -> (label of the axis, [(value on it, length, sequences, d_model, threads)])
CURVES = {
    "length": ("tokens of a sequence, of 4096 in all", [(n, n, 4096 // n, 256, 2) for n in (64, 128, 256, 512, 1024, 2048, 4096)]),
    "batch": ("sequences of 128 tokens in a batch", [(n, 128, n, 256, 2) for n in (1, 4, 16, 64)]),
    "width": ("d_model", [(d, 128, 16, d, 2) for d in (64, 128, 256, 512, 1024)]),
    "threads": ("threads", [(t, 128, 16, 256, t) for t in (1, 2)]),
}


def measure(c):
    curves = []
    for name, (label, points) in CURVES.items():
        curve = dict(name=name, label=label, points=[])
        for value, length, sequences, d_model, threads in points:
            work = f"scaling-{name}-{value}"
            ids = made_up_ids(c.path(work + ".ids"), 2 * sequences, VOCABULARY, 1, length + 1, length + 2)
            ours, theirs = sides(c, work, "train_lm_attend", dict(
                model=dict(SHAPE, d_model=d_model, d_ff=4 * d_model, max_positions=4097), vocabulary=VOCABULARY, ids=ids, sequences=sequences,
                threads=threads, seconds=SECONDS, weights=c.path(f"{work}.safetensors")))
            results = dict(attend=ours("f32"), PyTorch=theirs("f32"))
            if results["PyTorch"] is None:
                raise SystemExit(f"{work}: PyTorch does not run")
            check_same(work, results["attend"], results["PyTorch"])
            curve["points"].append(dict(value=value, **{side: [r["fastest_step_seconds"], r["peak_bytes"] / 2**20] for side, r in results.items()}))
            print(f"{name} {value:>5}: " + ", ".join(f"{side} {1e3 * p[0]:.0f} ms {p[1]:.0f} MiB" for side, p in
                                                       ((s, curve["points"][-1][s]) for s in results)), flush=True)
        curves.append(curve)
        with open(c.path(f"scaling-{name}.svg"), "w") as out:
            out.write(plot(curve))
    return curves


PROCESSES = dict(length=128, sequences=16, d_model=256, steps=12, warm_up=3)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def attend_processes(c, text, processes, steps, out):
    """Seconds of the steps of `attend train` with a thread for each process, and what it trained."""
    shape = PROCESSES
    shutil.rmtree(out, ignore_errors=True)
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", processes] if processes > 1 else []
    run([*launcher, os.path.join(c.a.build, "attend"), "train", "lm", "--train", text, "--tokenizer", "word", "--vocab-size", VOCABULARY,
         "--d-model", shape["d_model"], "--d-ff", 4 * shape["d_model"], "--n-heads", SHAPE["n_heads"], "--n-layers", SHAPE["n_layers"], "--dropout",
         SHAPE["dropout"], "--activation", SHAPE["activation"], "--sequence-length", shape["length"], "--batch-tokens",
         shape["length"] * shape["sequences"], "--shards", processes, "--threads", 1, "--max-steps", steps, "--save-every", 0, "--out", out])
    with open(os.path.join(out, "log.jsonl")) as file:
        events = [json.loads(line) for line in file]
    return [e["tokens"] / e["time"]["tokens_per_second"] for e in events if e.get("event") == "step"], events


def measure_processes(c):
    """1, 2 and 4 processes of one thread each, turn by turn; a step of R processes has R times the tokens. Medians of the steps."""
    if not shutil.which("mpirun"):
        print("  processes: left out without mpirun")
        return
    shape = PROCESSES
    ids = made_up_ids(c.path("processes.ids"), 64 * shape["sequences"], VOCABULARY, 1, shape["length"] + 1, shape["length"] + 2)
    for processes in (1, 2, 4):
        name, out = f"processes-{processes}", c.path(f"processes-{processes}.run")
        # A first run of one step leaves the weights that the peer takes.
        attend_processes(c, ids, processes, 1, out)
        weights = shutil.copy(os.path.join(out, "model.safetensors"), c.path(name + ".safetensors"))
        vocabulary = json.loads(run([os.path.join(c.a.build, "attend"), "info", "--all", "--format", "json", weights]))
        options = c.path(name + ".json")

        def theirs():
            with open(options, "w") as file:
                json.dump(dict(ids=ids, vocabulary=rows_of_embedding(vocabulary), sequences=shape["sequences"], processes=processes, threads=1,
                               port=free_port(), steps=shape["steps"], weights=weights,
                               model=dict(SHAPE, d_model=shape["d_model"], d_ff=4 * shape["d_model"])), file)
            return python("train_lm_ddp.py", options)

        ratios, ours, peers = [], [], []
        for _ in range(c.a.turns):
            seconds, events = attend_processes(c, ids, processes, shape["steps"], out)
            peer = theirs()
            if peer["parameters"] != events[0]["parameters"]:
                raise SystemExit(f"{name}: the two sides train other numbers of parameters: {events[0]['parameters']} and {peer['parameters']}")
            tokens = [e["tokens"] for e in events if e.get("event") == "step"][-1]
            ours.append(tokens / statistics.median(seconds[shape["warm_up"]:]))
            peers.append(peer["tokens"] / statistics.median(peer["seconds"][shape["warm_up"]:]))
            ratios.append(ours[-1] / peers[-1])
        c.add(f"processes of one thread: {processes}", statistics.median(ours), statistics.median(peers), "PyTorch DDP, gloo", "tokens/s", ratios)


def rows_of_embedding(info):
    return next(t["shape"][0] for t in info["tensors"] if t["name"].endswith("embedding.weight"))


def plot(curve):
    """Two panels with logarithmic axes: milliseconds a step, and MiB."""
    width, height, panel = 800, 320, 320
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    values = [p["value"] for p in curve["points"]]
    for index, (title, factor) in enumerate((("milliseconds a step", 1e3), ("peak memory, MiB", 1))):
        left, top, bottom = 50 + index * (panel + 60), 40, height - 50
        numbers = [p[side][index] * factor for p in curve["points"] for side in ("attend", "PyTorch")]
        low, high = math.log10(min(numbers)) - 0.1, math.log10(max(numbers)) + 0.1
        x = lambda v: left + panel * (math.log2(v / values[0]) / math.log2(values[-1] / values[0]))
        y = lambda v: bottom - (bottom - top) * (math.log10(v) - low) / (high - low)
        out.append(f'<text x="{left}" y="{top - 20}" font-weight="bold">{title}</text>')
        out.append(f'<path d="M{left} {top}V{bottom}H{left + panel}" fill="none" stroke="#333"/>')
        out += [f'<text x="{x(v):.0f}" y="{bottom + 16}" text-anchor="middle">{v}</text>' for v in values]
        for side, color, dash in (("attend", "#0072b2", ""), ("PyTorch", "#d55e00", "6 3")):
            points = [(x(p["value"]), y(p[side][index] * factor), p[side][index] * factor) for p in curve["points"]]
            path = "L".join(f"{a:.1f} {b:.1f}" for a, b, _ in points)
            out.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>')
            up = -8 if side == "PyTorch" else 16
            out += [f'<text x="{a:.0f}" y="{b + up:.0f}" fill="{color}" text-anchor="middle">{n:.0f}</text>' for a, b, n in points]
    out.append(f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">{curve["label"]}</text>')
    out.append(f'<text x="{width - 10}" y="20" text-anchor="end"><tspan fill="#0072b2">attend</tspan> <tspan fill="#d55e00">PyTorch (dashed)</tspan></text>')
    return "\n".join(out) + "</svg>\n"
