"""What every row is made with: the machine's limits, turns, ratios, what both sides read, and the results in files."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time

from sides import run


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


def plot(rows):
    """A bar for every ratio, and a line at 1, where both are equally good."""
    line, left, scale = 26, 420, 90
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
