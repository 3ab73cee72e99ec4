#!/usr/bin/env python3
"""Trains the model that guesses the language of a text, from packages of Debian.

    python train_language_model.py FOLDER OUT [SETTING=VALUE ...]

FOLDER keeps the packages and their texts (3 GB); OUT is src/attend/text/language/model/languages.bin. The errors and the calibration
that are printed are those of the development texts, which share no package with the training texts. tools/languages has the
packages, the reader of texts and the features. Needs apt-get, NumPy and PyTorch; takes half an hour.
"""

import multiprocessing
import pathlib
import random
import sys
import time
import unicodedata

import numpy as np
import torch
from languages import corpus, ngrams, texts
from languages.model import Model
from languages.spans import lines_of, span

# Languages of ISO 639-1 with enough text. Those with little text occur less often in training.
KNOWN = """
    af am ar as az be bg bn bo br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id ig is it ja ka kk km
    kn ko ku ky lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn oc or pa pl ps pt ro ru rw sd si sk sl so sq sr st sv sw ta te tg th
    ti tk tl tn tr tt ug uk ur uz vi xh yi yo zh-Hans zh-Hant zu
""".split()
MUCH_TEXT = 20000
# The table has 2^bits vectors. `words` and `phrases` are the shares of dictionaries and of phrases.txt among the training texts.
SETTINGS = {"bits": 15, "dimensions": 24, "damping": 0.5, "epochs": 7, "texts": 2200, "rate": 0.01, "words": 0.15, "phrases": 0.06}
LENGTHS = [1] * 30 + [2] * 15 + [3] * 15 + [4, 5] * 6 + [6, 8, 10] * 5 + [13, 18, 25] * 4
# Scripts of no known language.
OTHER_SCRIPTS = [(0x1400, 0x167F), (0x13A0, 0x13F5), (0x16A0, 0x16EA), (0x1820, 0x1877), (0x2C00, 0x2C5E), (0x2D30, 0x2D67), (0xA000, 0xA48C), (0xA500, 0xA60B),
                 (0x10330, 0x1034A), (0x10400, 0x1044F), (0x700, 0x74F), (0x780, 0x7B1), (0x7CA, 0x7EA), (0x1B05, 0x1B33), (0xA984, 0xA9B2), (0x1950, 0x1974),
                 (0xAA80, 0xAAC2), (0x10A00, 0x10A30), (0x12000, 0x12399), (0x13000, 0x1342E), (0x1C5A, 0x1C77), (0xABC0, 0xABE2)]
BATCH = 2048


def other_scripts(rng, count):
    alphabets = [[chr(c) for c in range(first, last + 1) if unicodedata.category(chr(c))[0] == "L"] for first, last in OTHER_SCRIPTS]
    for _ in range(count):
        letters = rng.choice(alphabets)
        yield " ".join("".join(rng.choices(letters, k=rng.randrange(1, 9))) for _ in range(rng.choice(LENGTHS)))


class Source:
    """Training texts of one language."""

    all = []

    def __init__(self, folder, language, phrases):
        self.language = language
        self.texts, self.words, self.phrases = lines_of(folder, language), lines_of(folder, language, "words"), phrases
        self.share = min(1, max(0.4, (len(self.texts) / MUCH_TEXT)**0.5))

    def draw(self, rng, settings):
        chance = rng.random()
        if chance < settings["words"] and self.words:
            return " ".join(rng.choices(self.words, k=rng.choice([1, 1, 1, 2, 3])))
        if chance > 1 - settings["phrases"] and self.phrases:
            return rng.choice(self.phrases)
        return span(self.texts, rng, rng.choice(LENGTHS), self.language)


def read_sources(folder):
    phrases = {}
    for line in (pathlib.Path(__file__).parent / "languages" / "phrases.txt").read_text("utf-8").splitlines():
        language, _, all_phrases = line.partition("\t")
        phrases[language] = [" ".join(texts.words_in(phrase)) for phrase in all_phrases.split("|")]
    Source.all = [Source(folder, language, phrases.get(language, [])) for language in KNOWN]


def buckets_of(lines, settings):
    hashes, counts = ngrams.features(lines)
    return (hashes >> np.uint32(32 - settings["bits"])).astype(np.int32), counts


def epoch_of(argument):
    """Buckets, their numbers by text, and the language of each text."""
    settings, epoch = argument
    rng, parts = random.Random(epoch), []
    for y, source in enumerate([*Source.all, None]):
        number = int(settings["texts"] * (source.share if source else 0.3))
        drawn = [source.draw(rng, settings) for _ in range(number)] if source else list(other_scripts(rng, number))
        buckets, counts = buckets_of(drawn, settings)
        parts.append((buckets, counts, np.full(len(counts), y)))
    return [np.concatenate(column) for column in zip(*parts)]


def batches(buckets, counts, labels, order):
    starts = np.cumsum(counts) - counts
    for begin in range(0, len(order), BATCH):
        chosen = order[begin:begin + BATCH]
        chosen = chosen[counts[chosen] > 0]
        n = counts[chosen]
        offsets = np.cumsum(n) - n
        places = np.arange(n.sum()) - np.repeat(offsets, n) + np.repeat(starts[chosen], n)
        yield torch.from_numpy(buckets[places]), torch.from_numpy(offsets.astype(np.int32)), torch.from_numpy(n.astype(np.float32)), torch.from_numpy(labels[chosen])


class Network(torch.nn.Module):
    def __init__(self, settings, classes):
        super().__init__()
        self.vectors = torch.nn.Parameter(0.05 * torch.randn(2**settings["bits"], settings["dimensions"]))
        self.weights = torch.nn.Parameter(0.5 * torch.randn(settings["dimensions"], classes))
        self.bias = torch.nn.Parameter(torch.zeros(classes))
        self.damping = settings["damping"]

    def steps(self):
        """The size of one step of four bits, by dimension."""
        return 0.4 * self.vectors.detach().square().mean(0).sqrt()

    def numbers(self):
        return torch.clamp(torch.round(self.vectors / self.steps()), -7, 7)

    def forward(self, buckets, offsets, counts, rounded):
        vectors = self.vectors
        if rounded:  # the gradient is that of the vectors
            vectors = vectors + (self.numbers() * self.steps() - vectors).detach()
        sums = torch.nn.functional.embedding_bag(buckets, vectors, offsets, mode="sum")
        return sums / counts[:, None] ** self.damping @ self.weights + self.bias

    def model(self, languages):
        with torch.no_grad():
            return Model(languages, self.numbers().numpy().astype(np.int8), (self.weights * self.steps()[:, None]).numpy(), self.bias.numpy(), self.damping)


def train(settings, epochs):
    torch.manual_seed(1)
    network = Network(settings, len(KNOWN) + 1)
    optimizer = torch.optim.Adam(network.parameters(), lr=settings["rate"], betas=(0.9, 0.99))
    for epoch, data in enumerate(epochs):
        began = time.time()
        order = np.random.default_rng(epoch).permutation(len(data[1]))
        losses = []
        for step, (buckets, offsets, counts, labels) in enumerate(batches(*data, order)):
            done = (epoch + step * BATCH / len(order)) / settings["epochs"]
            optimizer.param_groups[0]["lr"] = settings["rate"] * max(0.01, min(1, 1.5 * (1 - done)))
            loss = torch.nn.functional.cross_entropy(network(buckets, offsets, counts, rounded=done > 0.5), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses[-100:]):.4f}, {time.time() - began:.0f} s", flush=True)
    return network


def development_texts(folder, languages, count, each=200):
    drawn, labels = [], []
    for y, language in enumerate(languages):
        lines = lines_of(folder, language)
        if len(lines) >= 150:
            rng = random.Random(f"{language} {count}")
            drawn += [span(lines, rng, count, language) for _ in range(each)]
            labels += [y] * each
    return drawn, np.array(labels)


def calibrate(model, tests):
    """The temperature of the least loss on the development texts of all lengths."""
    logits = np.concatenate([model.logits(drawn) for drawn, _ in tests])
    labels = np.concatenate([labels for _, labels in tests])

    def loss(temperature):
        scaled = temperature * logits
        scaled -= scaled.max(1, keepdims=True)
        return np.mean(np.log(np.exp(scaled).sum(1)) - scaled[np.arange(len(labels)), labels])

    model.temperature = float(min(np.arange(0.3, 3, 0.02), key=loss))


def calibration_error(probabilities, labels):
    """The expected difference between confidence and accuracy, in ten bins of confidence."""
    confidence, right = probabilities.max(1), probabilities.argmax(1) == labels
    bins = np.minimum((10 * confidence).astype(int), 9)
    return sum((bins == b).mean() * abs(confidence[bins == b].mean() - right[bins == b].mean()) for b in range(10) if (bins == b).any())


def report(model, tests):
    print(f"{len(model.languages) - 1} languages, temperature {model.temperature:.2f}")
    for words, (drawn, labels) in tests.items():
        probabilities = model.probabilities(drawn)
        wrong = probabilities.argmax(1) != labels
        macro = np.mean([wrong[labels == y].mean() for y in np.unique(labels)])
        print(f"{words:2} words: error {100 * macro:.1f} %, calibration error {100 * calibration_error(probabilities, labels):.1f} %")


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    settings = dict(SETTINGS)
    for argument in sys.argv[3:]:
        name, _, value = argument.partition("=")
        settings[name] = type(SETTINGS[name])(value)
    read_sources(corpus.make("training", folder))
    development = corpus.make("development", folder)
    tests = {count: development_texts(development, KNOWN, count) for count in (1, 3, 10)}
    with multiprocessing.Pool(1) as pool:  # makes the next epoch during one
        model = train(settings, pool.imap(epoch_of, [(settings, epoch) for epoch in range(settings["epochs"])])).model([*KNOWN, "und"])
    calibrate(model, list(tests.values()))
    report(model, tests)
    model.write(out)


if __name__ == "__main__":
    main()
