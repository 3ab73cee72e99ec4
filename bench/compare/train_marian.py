"""Another side of a training comparison: Marian's trainer for CPUs, on the same sentences.

usage: train_marian.py OPTIONS.json [--devices N] [--workspace MIB] [--fit] [--keep FOLDER]

OPTIONS.json is that of train_attend.cpp. Each of the devices trains on batches of its own; with one device, all threads multiply. A batch has
`batch_tokens` target words in all, or, with --fit, as many as the workspace holds. Prints one line of JSON: the parameters without the bias of
the output layer, which only Marian has; the cost of the first update; target words per second, without those of the first two displays; and
peak memory. With --keep, the model stays in FOLDER, with its vocabularies, the training text and a decoder.yml.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy

SPECIAL = {0: "</s>", 1: "<unk>"}  # Marian's own; ids 2 and 3 do not occur in sentences
USUAL_SPEED = 5000                 # words/s, so that it stops after about the seconds wanted
DISPLAYED = re.compile(r"Up\. (\d+) : Sen\. [\d,]+ : Cost ([\d.]+) .*: Time ([\d.]+)s : ([\d.]+) words/s")


def write_side(ids, vocabulary, folder, name):
    """(text, words, the longest sentence)"""
    text, words = os.path.join(folder, name), os.path.join(folder, name + ".yml")
    with open(ids) as file:
        sentences = [[int(word) for word in line.split()] for line in file]
    with open(text, "w") as out:
        out.writelines(" ".join(SPECIAL.get(i, f"w{i}") for i in sentence) + "\n" for sentence in sentences)
    with open(words, "w") as out:
        out.writelines(f'"{SPECIAL.get(i, f"w{i}")}": {i}\n' for i in range(vocabulary))
    return text, words, max(map(len, sentences))


def command_of(options, arguments, folder):
    model = options["model"]
    src, src_words, src_length = write_side(options["src"], options["vocabulary"], folder, "src")
    tgt, tgt_words, tgt_length = write_side(options["tgt"], options["vocabulary"], folder, "tgt")
    norm = ["--transformer-preprocess", "n", "--transformer-postprocess", "da", "--transformer-postprocess-top", "n"]
    if not model["norm_first"]:
        norm = ["--transformer-postprocess", "dan"]
    share = ["--mini-batch-fit"] if arguments.fit else ["--mini-batch-words", options["batch_tokens"] // arguments.devices]
    return ["train", "--type", "transformer", "--model", os.path.join(folder, "model.npz"), "--log", os.path.join(folder, "log"), "--quiet",
            "--train-sets", src, tgt, "--vocabs", src_words, tgt_words, "--dim-vocabs", options["vocabulary"], options["vocabulary"],
            "--dim-emb", model["d_model"], "--transformer-heads", model["n_heads"], "--transformer-dim-ffn", model["d_ff"],
            "--enc-depth", model["n_encoder_layers"], "--dec-depth", model["n_decoder_layers"], *norm,
            "--transformer-postprocess-emb", "d", "--transformer-dropout", options["dropout"],
            "--tied-embeddings-all" if model["tie_embeddings"] == "all" else "--tied-embeddings",
            "--optimizer", "adam", "--optimizer-params", 0.9, 0.98, 1e-9, "--learn-rate", 1e-4, "--label-smoothing", 0.1, "--cost-type",
            "ce-mean-words", "--max-length", max(src_length, tgt_length) + 1, "--cpu-threads", arguments.devices, "--sync-sgd", "--workspace",
            arguments.workspace, "--disp-freq", 1, "--seed", 1, *share,
            "--after", f"{int(options['seconds'] * USUAL_SPEED)}t"]


def keep(folder, to):
    """What `attend import` and decode_marian.py need, and the text."""
    os.makedirs(to, exist_ok=True)
    for name in "model.npz", "src.yml", "tgt.yml", "src", "tgt":
        shutil.copy(os.path.join(folder, name), to)
    with open(os.path.join(to, "decoder.yml"), "w") as out:
        out.write("relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - src.yml\n  - tgt.yml\nbeam-size: 5\nnormalize: 1\n")


def parameters(path):
    with numpy.load(path) as tensors:
        return sum(tensors[name].size for name in tensors if not name.startswith("special:") and name != "decoder_ff_logit_out_b")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--workspace", type=int, default=512, help="MiB per device")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--keep", default="")
    arguments = parser.parse_args()
    with open(arguments.options) as file:
        options = json.load(file)
    threads = str(options["threads"] // arguments.devices)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pymarian", *map(str, command_of(options, arguments, folder))]
        subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}, check=True)
        with open(os.path.join(folder, "log")) as log:
            displays = [[float(number) for number in found.groups()] for found in map(DISPLAYED.search, log) if found]
        if len(displays) < 3:
            sys.exit("Marian trained for too short a time")
        if arguments.keep:
            keep(folder, arguments.keep)
        measured = displays[2:]
        taken = sum(seconds for _, _, seconds, _ in measured)
        print(json.dumps(dict(parameters=parameters(os.path.join(folder, "model.npz")), first_cost=displays[0][1],
                              updates=int(measured[-1][0] - displays[1][0]),
                              tokens_per_second=sum(seconds * speed for _, _, seconds, speed in measured) / taken,
                              peak_bytes=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)))


if __name__ == "__main__":
    main()
