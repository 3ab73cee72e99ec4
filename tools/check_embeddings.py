#!/usr/bin/env python3
"""Compares the vectors of `attend embed` with those of sentence-transformers, text by text.

    python check_embeddings.py ATTEND DIR TEXTS [COUNT]

ATTEND is the program, DIR a model directory of sentence-transformers, TEXTS a file with a text per line, of which the first COUNT are used
(1000). Prints the smallest cosine and the largest difference, in f32 and with 8-bit weights; fails below 1 - 1e-6 in f32
and 0.99 in 8 bits.
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
from sentence_transformers import SentenceTransformer


def attend_vectors(program, model, texts, out):
    subprocess.run([program, "embed", model, "--npy", out], input="\n".join(texts) + "\n", encoding="utf-8", check=True)
    return numpy.load(out)


def main():
    program, directory, lines = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 1000
    texts = [line for line in pathlib.Path(lines).read_text(encoding="utf-8").splitlines() if line.strip()][:count]
    theirs = SentenceTransformer(directory, device="cpu").encode(texts, batch_size=32)
    with tempfile.TemporaryDirectory() as folder:
        model, small, out = (str(pathlib.Path(folder) / name) for name in ("model", "small", "vectors.npy"))
        subprocess.run([program, "import", directory, "--out", model], check=True)
        subprocess.run([program, "quantize", model, "--out", small], check=True)
        for name, file, least in ("f32", model, 1 - 1e-6), ("8 bits", small, 0.99):
            ours = attend_vectors(program, file, texts, out)
            a, b = ours.astype("float64"), theirs.astype("float64")
            cosines = (a * b).sum(1) / numpy.sqrt((a * a).sum(1) * (b * b).sum(1))
            worst = int(cosines.argmin())
            print(f"{name}: {len(texts)} texts, smallest cosine 1 - {1 - cosines[worst]:.1e}, mean 1 - {1 - cosines.mean():.1e}, "
                  f"largest difference {abs(a - b).max():.1e}")
            if cosines[worst] < least:
                sys.exit(f"{name}: differs: {texts[worst]!r}")


if __name__ == "__main__":
    main()
