"""The Python package beside ctranslate2 or sentence-transformers in one process, turn by turn, and beside its own command line.

usage: one_process.py translate MODEL FOLDER SOURCE [--program ATTEND] [--turns N] [--beam-size N]
       one_process.py encode MODEL DIRECTORY SOURCE [--program ATTEND] [--turns N]

FOLDER is the model in the format of CTranslate2, DIRECTORY in that of sentence-transformers. Each side is at its best setting of a few.
Prints one line of JSON: sentences per second of each side in every turn. With --program also of the command line, and of attend beside it
("steady"), before the other side is loaded: from what nine times the lines take less what they take once, so that starting and loading do
not count.
"""

import argparse
import atexit
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

BATCHES = (16, 32, 64)


def translate(a, lines):
    import attend

    ours = attend.Translator(a.model)

    def attend_side(batch, times=1):
        return [one.text for one in ours.translate(lines * times, beam_size=a.beam_size, batch_size=batch)]

    def load_peer():
        import ctranslate2
        import sentencepiece

        theirs = ctranslate2.Translator(a.peer, inter_threads=2, intra_threads=1)
        src = sentencepiece.SentencePieceProcessor(f"{a.peer}/tokenizer.src.model")
        tgt_file = f"{a.peer}/tokenizer.tgt.model"
        tgt = sentencepiece.SentencePieceProcessor(tgt_file) if os.path.exists(tgt_file) else src

        def peer_side(batch):
            tokens = src.encode(lines, out_type=str)
            results = theirs.translate_batch(tokens, beam_size=a.beam_size, max_batch_size=batch)
            return [tgt.decode(one.hypotheses[0]) for one in results]

        return peer_side

    def agree(ours, theirs):
        return sum(x == y for x, y in zip(ours, theirs)) / len(ours)

    command = [a.program, "translate", a.model, "--beam-size", a.beam_size, "--batch-size"]
    return attend_side, load_peer, agree, command


def encode(a, lines):
    import attend
    import numpy

    ours = attend.Embedder(a.model)

    def attend_side(batch, times=1):
        return ours.encode(lines * times, batch_size=batch)

    def load_peer():
        import sentence_transformers
        import torch

        torch.set_num_threads(2)
        theirs = sentence_transformers.SentenceTransformer(a.peer, device="cpu")
        return lambda batch: theirs.encode(lines, batch_size=batch, show_progress_bar=False)

    def agree(ours, theirs):
        return float(numpy.isclose(ours, theirs, atol=1e-4).all(axis=1).mean())

    vectors = os.path.join(tempfile.gettempdir(), f"one_process.{os.getpid()}.npy")
    atexit.register(lambda: os.path.exists(vectors) and os.remove(vectors))
    command = [a.program, "embed", a.model, "--npy", vectors, "--batch-size"]
    return attend_side, load_peer, agree, command


def seconds(work):
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def steady_seconds(work):
    """Seconds for the lines once, from work(times). The start of a process takes longer at some times than at others."""
    once = statistics.median(seconds(lambda: work(1)) for _ in range(3))
    return (seconds(lambda: work(9)) - once) / 8


def of_program(command, lines):
    command_line = [str(word) for word in command]
    text = "\n".join(lines) + "\n"
    return lambda times: subprocess.run(command_line, input=text * times, stdout=subprocess.DEVNULL, check=True, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", choices=["translate", "encode"])
    parser.add_argument("model")
    parser.add_argument("peer")
    parser.add_argument("source")
    parser.add_argument("--program", default="")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--beam-size", type=int, default=5)
    a = parser.parse_args()
    with open(a.source) as file:
        lines = [line.rstrip("\n") for line in file]
    ours, load_peer, agree, command = {"translate": translate, "encode": encode}[a.work](a, lines)

    def fastest(side):
        return min(BATCHES, key=lambda batch: seconds(lambda: side(batch)))

    batch = fastest(ours)
    result = {"attend": [], "peer": [], "steady": [], "program": []}
    for _ in range(a.turns if a.program else 0):  # before the peer is loaded: its threads and its memory would count as ours
        result["steady"].append(len(lines) / steady_seconds(lambda times: ours(batch, times)))
        result["program"].append(len(lines) / steady_seconds(of_program([*command, batch], lines)))
    theirs = load_peer()
    result["agreement"] = agree(ours(batch), theirs(batch))
    batch_of_peer = fastest(theirs)
    for _ in range(a.turns):
        result["attend"].append(len(lines) / seconds(lambda: ours(batch)))
        result["peer"].append(len(lines) / seconds(lambda: theirs(batch_of_peer)))
    print(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
