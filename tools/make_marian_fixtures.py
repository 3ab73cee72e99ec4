#!/usr/bin/env python3
"""Small models that Marian has trained, and what it makes of a few sentences: tests/interchange/data/models/native_*.

    python tools/make_marian_fixtures.py [NAME ...]

Each folder holds the weights, the vocabularies and decoder.yml as Marian writes them, and record.json: of each source the outputs of its
beam search with the log-probability of every token. Needs pymarian (1.12.42 was used).
"""

import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import pymarian

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/interchange/data/models"
WORDS = {"a": "ein", "the": "der", "man": "Mann", "dog": "Hund", "old": "alte", "sees": "sieht", "loves": "liebt", "cat": "Katze",
         "house": "Haus", "big": "große", "small": "kleine", "and": "und", "in": "in", "child": "Kind", "plays": "spielt", "red": "rote",
         "buys": "kauft", "apple": "Apfel", "garden": "Garten", "reads": "liest", "book": "Buch", "today": "heute"}
SOURCES = ["a man sees the dog .", "the old cat", "the child reads a red book today .", "big house unknownword"]
SHAPE = ("--type transformer --dim-emb 16 --transformer-dim-ffn 24 --enc-depth 2 --dec-depth 1 --transformer-heads 2 --max-length 40 "
         "--mini-batch 32 --after 60u --save-freq 1000u --learn-rate 0.01 --seed 5 --cpu-threads 1 --workspace 64 --quiet")

# What differs: the vocabularies, and options of the model.
MODELS = {
    "native_joint": (["vocab.yml", "vocab.yml"], "--dim-vocabs 54 54 --tied-embeddings-all"),
    "native_two": (["src.yml", "tgt.yml"], "--dim-vocabs 25 25 --tied-embeddings --transformer-postprocess-emb nd "
                   "--transformer-ffn-activation gelu"),
    "native_spm": (["src.spm", "tgt.spm"], "--dim-vocabs 36 36 --transformer-ffn-activation relu "
                   "--sentencepiece-options=--normalization_rule_name=identity"),
}


def write_corpus(folder):
    generator = random.Random(1)
    with open(folder / "train.en", "w", encoding="utf-8") as src, open(folder / "train.de", "w", encoding="utf-8") as tgt:
        for _ in range(3000):
            words = [generator.choice(list(WORDS)) for _ in range(generator.randint(3, 9))]
            src.write(" ".join(words) + " .\n")
            tgt.write(" ".join(WORDS[word] for word in words) + " .\n")


def outputs_of(vocabularies):
    """The outputs of beam search, best first; one that came to its end has a score more than tokens."""
    translator = pymarian.Translator(f"--models model.npz --vocabs {' '.join(vocabularies)} --beam-size 4 --normalize 0.6 --n-best "
                                     "--word-scores --cpu-threads 1 --mini-batch 1 --workspace 64 --quiet --max-length 30")
    record = [{"source": source, "outputs": []} for source in SOURCES]
    for line in "\n".join(translator.translate(SOURCES)).split("\n"):
        number, text, scores, _, total = line.split(" ||| ")
        record[int(number)]["outputs"].append(
            {"text": text, "token_scores": [float(s) for s in re.findall(r"-?[0-9.]+", scores)], "score": float(total)})
    return record


def main():
    for name in sys.argv[1:] or MODELS:
        vocabularies, options = MODELS[name]
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            write_corpus(pathlib.Path(scratch))
            pymarian.Trainer(f"{SHAPE} {options} --train-sets train.en train.de --model model.npz --vocabs {' '.join(vocabularies)}").train()
            record = outputs_of(vocabularies)
            folder = DATA / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for file in {"model.npz", "model.npz.decoder.yml", *vocabularies}:
                shutil.copy(file, folder / file)
            (folder / "record.json").write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            os.chdir("/")
        print(name, sum(f.stat().st_size for f in folder.iterdir()), "bytes")


if __name__ == "__main__":
    main()
