"""The other side of a decoding comparison: CTranslate2.

usage: decode_ctranslate2.py FOLDER SOURCE OUT --compute-type int8|float32 --beam-size N --batch-size N [--inter 1 --intra 2] [--latency]
       [--length N] [--once]

SOURCE holds sentences; OUT gets their translations. Prints one line of JSON: seconds, tokens, peak memory, load time. With --once it
translates the first sentence and does nothing else: a cold start.
"""

import argparse
import json
import math
import os
import time

import ctranslate2
import sentencepiece

from sides import peak_bytes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--compute-type", default="float32")
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--inter", type=int, default=1)
    parser.add_argument("--intra", type=int, default=2)
    parser.add_argument("--latency", action="store_true", help="one sentence after the other")
    parser.add_argument("--length", type=int, default=0, help="exact number of tokens to write; 0: as the model likes")
    parser.add_argument("--once", action="store_true", help="only the first sentence")
    a = parser.parse_args()

    begun = time.monotonic()
    translator = ctranslate2.Translator(a.folder, compute_type=a.compute_type, inter_threads=a.inter, intra_threads=a.intra)
    src = sentencepiece.SentencePieceProcessor(f"{a.folder}/tokenizer.src.model")
    tgt_file = f"{a.folder}/tokenizer.tgt.model"
    tgt = sentencepiece.SentencePieceProcessor(tgt_file) if os.path.exists(tgt_file) else src  # a joint vocabulary is loaded once
    result = {"load_seconds": time.monotonic() - begun}
    with open(a.source) as file:
        lines = [line.rstrip("\n") for line in file]
    options = dict(beam_size=a.beam_size, length_penalty=1.0, max_decoding_length=a.length or 256, min_decoding_length=a.length or 1)
    first = translator.translate_batch([src.encode(lines[0], out_type=str)], **options)
    if a.once:
        print(tgt.decode(first[0].hypotheses[0]))
        return

    started = time.monotonic()
    latencies = []
    if a.latency:
        outputs = []
        for line in lines:
            at = time.monotonic()
            outputs += translator.translate_batch([src.encode(line, out_type=str)], **options)
            latencies.append(time.monotonic() - at)
    else:
        tokens = [src.encode(line, out_type=str) for line in lines]
        outputs = translator.translate_batch(tokens, max_batch_size=a.batch_size, **options)
    pieces = [output.hypotheses[0] for output in outputs]
    text = [tgt.decode(p) for p in pieces]
    result["seconds"] = time.monotonic() - started
    result["tokens"] = sum(len(p) for p in pieces)
    result["peak_bytes"] = peak_bytes()
    if latencies:
        latencies.sort()
        result["latency_median"] = latencies[len(latencies) // 2]
        result["latency_99"] = latencies[math.ceil(0.99 * len(latencies)) - 1]
    with open(a.out, "w") as file:
        file.writelines(line + "\n" for line in text)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
