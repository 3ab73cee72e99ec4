"""The other side of a decoding comparison: Marian.

usage: decode_marian.py FOLDER SOURCE OUT [--beam-size 5] [--batch-size 32] [--devices 1] [--threads 2] [--latency]

FOLDER is a directory of Marian, as train_marian.py keeps it. Each of the devices translates batches of its own; with one device, all threads
multiply. Prints one line of JSON like decode_ctranslate2.py; tokens are words between spaces and the end.
"""

import argparse
import json
import math
import os
import sys
import time

# Marian's libraries read these when they are loaded.
THREADS = sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv else "2"
DEVICES = sys.argv[sys.argv.index("--devices") + 1] if "--devices" in sys.argv else "1"
os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(max(int(THREADS) // int(DEVICES), 1))

import pymarian  # noqa: E402
from sides import peak_bytes  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workspace", type=int, default=128, help="MiB per device")
    parser.add_argument("--latency", action="store_true", help="one sentence after the other")
    a = parser.parse_args()

    begun = time.monotonic()
    translator = pymarian.Translator(models=os.path.join(a.folder, "model.npz"),
                                     vocabs=[os.path.join(a.folder, f"{side}.yml") for side in ("src", "tgt")], beam_size=a.beam_size, normalize=1,
                                     mini_batch=1 if a.latency else a.batch_size, maxi_batch=1 if a.latency else 1000, maxi_batch_sort="src",
                                     cpu_threads=1 if a.latency else a.devices, workspace=a.workspace, max_length=1000, quiet="",
                                     quiet_translation="")
    result = {"load_seconds": time.monotonic() - begun}
    with open(a.source) as file:
        lines = [line.rstrip("\n") for line in file]
    translator.translate(lines[0])
    started = time.monotonic()
    latencies = []
    if a.latency:
        outputs = []
        for line in lines:
            at = time.monotonic()
            outputs.append(translator.translate(line))
            latencies.append(time.monotonic() - at)
    else:
        outputs = translator.translate(lines)
    result["seconds"] = time.monotonic() - started
    result["tokens"] = sum(len(line.split()) + 1 for line in outputs)
    result["peak_bytes"] = peak_bytes()
    if latencies:
        latencies.sort()
        result["latency_median"] = latencies[len(latencies) // 2]
        result["latency_99"] = latencies[math.ceil(0.99 * len(latencies)) - 1]
    with open(a.out, "w") as file:
        file.writelines(line.rstrip("\n") + "\n" for line in outputs)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
