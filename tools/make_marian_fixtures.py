#!/usr/bin/env python3
"""Small models that Marian has trained, and what it makes of a few sentences: tests/interchange/data/models/native_*.

    python tools/make_marian_fixtures.py [NAME ...]

Each folder holds the weights, the vocabularies and decoder.yml as Marian writes them, and record.json: of each source the outputs of its
beam search with the log-probability of every token. Needs NumPy, PyYAML and pymarian (1.12.42 was used).

Models with other normalizations get another record: log-probabilities of translations as Marian validates them, and the greedy output of
the formula below, which must agree with them. If they normalize before their sublayers, Marian's decoder does not compute what Marian
trains, because it leaves the keys and values of earlier target tokens as they are; recorded is also what versions before 1.11 made of the
same weights.
"""

import json
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile

import numpy as np
import pymarian
import yaml

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
    "native_spm": (["src.spm", "tgt.spm"], "--dim-vocabs 36 38 --transformer-ffn-activation relu "
                   "--sentencepiece-options=--normalization_rule_name=identity"),
    "native_widths": (["vocab.yml", "vocab.yml"], "--dim-vocabs 54 54 --tied-embeddings-all --transformer-decoder-dim-ffn 40"),
    # As Firefox's translators.
    "native_ssru": (["vocab.spm", "vocab.spm"], "--dim-vocabs 52 52 --tied-embeddings-all --transformer-ffn-activation relu "
                    "--transformer-decoder-autoreg rnn --dec-cell ssru --sentencepiece-options=--normalization_rule_name=identity"),
    "native_rms": (["vocab.yml", "vocab.yml"], "--dim-vocabs 54 54 --tied-embeddings-all --transformer-postprocess dar "
                   "--transformer-postprocess-top r --transformer-postprocess-emb rd"),
    "native_pre": (["vocab.yml", "vocab.yml"], "--dim-vocabs 54 54 --tied-embeddings-all --transformer-preprocess n "
                   "--transformer-postprocess da --transformer-postprocess-top n"),
    "native_pre_rms": (["vocab.yml", "vocab.yml"], "--dim-vocabs 54 54 --tied-embeddings-all --transformer-preprocess r "
                       "--transformer-postprocess da"),
}

VALIDATED = ["native_rms", "native_pre", "native_pre_rms"]  # instead of their decoding


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


class Formula:
    """A model of SHAPE with swish and all embeddings tied."""

    def __init__(self, normalizes_keys=True):
        self.weights = dict(np.load("model.npz"))
        self.pieces = yaml.safe_load(open("vocab.yml", encoding="utf-8"))
        self.normalizes_keys = normalizes_keys
        self.heads = 2
        self.before = any(name.startswith("encoder_l1_self") and name.endswith("_pre") for name in self.weights)

    def norm(self, x, name, end=""):
        """Unless the model has no such normalization."""
        rms, scale, bias = (self.weights.get(f"{name}_{part}{end}") for part in ("rms_scale", "ln_scale", "ln_bias"))
        if rms is None and scale is None:
            return x
        x = x if scale is None else x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        return x * rms if scale is None else x * scale + bias

    def sublayer(self, x, name, function):
        return x + function(self.norm(x, name, "_pre")) if self.before else self.norm(x + function(x), name)

    def affine(self, x, name, part):
        return x @ self.weights[f"{name}_W{part}"] + self.weights[f"{name}_b{part}"]

    def attend(self, name, queries, memory, causal=False):
        q, k, v = (self.affine(x, name, part) for x, part in ((queries, "q"), (memory, "k"), (memory, "v")))
        outputs = []
        for q, k, v in zip(*(np.split(x, self.heads, -1) for x in (q, k, v))):
            scores = q @ k.T / np.sqrt(q.shape[1])
            scores = np.where(np.tri(*scores.shape) if causal else True, scores, -np.inf)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            outputs.append(scores / scores.sum(-1, keepdims=True) @ v)
        return self.affine(np.concatenate(outputs, -1), name, "o")

    def attend_to_self(self, x, name, causal):
        return self.sublayer(x, name + "_Wo", lambda y: self.attend(name, y, y if self.normalizes_keys else x, causal))

    def feed_forward(self, x, name):
        def function(y):
            hidden = self.affine(y, name, "1")
            return self.affine(hidden / (1 + np.exp(-hidden)), name, "2")
        return self.sublayer(x, name + "_ffn", function)

    def with_positions(self, embeddings):
        length, width = embeddings.shape
        angles = np.arange(length)[:, None] * 1e4 ** (-np.arange(width // 2) / (width // 2 - 1))
        return np.sqrt(width) * embeddings + np.concatenate([np.sin(angles), np.cos(angles)], -1)

    def ids(self, text):
        return [self.pieces.get(word, self.pieces["<unk>"]) for word in text.split()]

    def log_probabilities(self, source, target):
        """Of every piece behind the ids `target`: [len(target) + 1, pieces]."""
        table = self.weights["Wemb"]
        memory = self.norm(self.with_positions(table[self.ids(source) + [self.pieces["</s>"]]]), "encoder_emb", "_pre")
        for layer in ("encoder_l1", "encoder_l2"):
            memory = self.feed_forward(self.attend_to_self(memory, layer + "_self", False), layer + "_ffn")
        memory = self.norm(memory, "encoder_top")
        state = self.with_positions(np.concatenate([np.zeros((1, table.shape[1])), table[target].reshape(-1, table.shape[1])]))
        state = self.attend_to_self(self.norm(state, "decoder_emb", "_pre"), "decoder_l1_self", True)
        state = self.sublayer(state, "decoder_l1_context_Wo", lambda y: self.attend("decoder_l1_context", y, memory))
        state = self.norm(self.feed_forward(state, "decoder_l1_ffn"), "decoder_top")
        logits = state @ table.T + self.weights["decoder_ff_logit_out_b"]
        logits -= logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True))

    def score(self, source, text):
        ids = self.ids(text)
        return self.log_probabilities(source, ids)[np.arange(len(ids) + 1), ids + [self.pieces["</s>"]]].sum()

    def greedy(self, source, most=12):
        words = {id: piece for piece, id in self.pieces.items()}
        ids = []
        while len(ids) < most:
            last = self.log_probabilities(source, ids)[-1]
            last[self.pieces["<unk>"]] = -np.inf
            if last.argmax() == self.pieces["</s>"]:
                break
            ids.append(int(last.argmax()))
        return " ".join(words[id] for id in ids)


def validated(vocabularies, options, source, text):
    """The log-probability of a translation as Marian validates it."""
    pathlib.Path("valid.en").write_text(source + "\n", encoding="utf-8")
    pathlib.Path("valid.de").write_text(text + "\n", encoding="utf-8")
    for file in pathlib.Path(".").glob("copy.npz*"):
        file.unlink()
    shutil.copy("model.npz", "copy.npz")
    shape = SHAPE.replace("--after 60u", "--after 1u").replace("--learn-rate 0.01", "--learn-rate 0")
    pymarian.Trainer(f"{shape} {options} --train-sets train.en train.de --model copy.npz --vocabs {' '.join(vocabularies)} "
                     "--valid-sets valid.en valid.de --valid-metrics cross-entropy --valid-freq 1u --valid-mini-batch 1 "
                     "--no-restore-corpus --overwrite").train()
    progress = yaml.safe_load(open("copy.npz.progress.yml", encoding="utf-8"))
    return -progress["validators"]["cross-entropy"]["last-best"]


def record_of_formula(vocabularies, options):
    formula, older = Formula(), Formula(normalizes_keys=False)
    generator = random.Random(2)
    record = []
    for source in SOURCES:
        greedy = formula.greedy(source)
        texts = [greedy, " ".join(generator.choice(list(WORDS.values())) for _ in range(6))]
        outputs = [{"text": text, "log_probability": validated(vocabularies, options, source, text),
                    "older_log_probability": round(float(older.score(source, text)), 6)} for text in texts]
        for output in outputs:
            difference = abs(formula.score(source, output["text"]) - output["log_probability"])
            assert difference < 1e-5 * (1 + len(output["text"].split())), f"the formula differs by {difference}"
        record.append({"source": source, "greedy": greedy, "older_greedy": older.greedy(source), "outputs": outputs})
    return record


def main():
    for name in sys.argv[1:] or MODELS:
        vocabularies, options = MODELS[name]
        with tempfile.TemporaryDirectory() as scratch:
            os.chdir(scratch)
            write_corpus(pathlib.Path(scratch))
            pymarian.Trainer(f"{SHAPE} {options} --train-sets train.en train.de --model model.npz --vocabs {' '.join(vocabularies)}").train()
            record = record_of_formula(vocabularies, options) if name in VALIDATED else outputs_of(vocabularies)
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
