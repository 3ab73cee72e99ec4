"""The file of the model of languages, as src/attend/text/language/language_model.h describes it."""

import numpy as np

from . import ngrams

ZERO = 8


class Model:
    """languages has a last name for every other script; vectors are numbers from -7 to 7, [buckets, dimensions]."""

    def __init__(self, languages, vectors, weights, bias, damping, temperature=1.0):
        self.languages, self.vectors, self.weights, self.bias = languages, vectors, weights, bias
        self.damping, self.temperature = damping, temperature

    @property
    def bits(self):
        return len(self.vectors).bit_length() - 1

    def write(self, path):
        header = f"{self.bits} {self.vectors.shape[1]} {self.damping:g} {self.temperature:.3f}\n{' '.join(self.languages)}\n"
        nibbles = (self.vectors + ZERO).astype(np.uint8)
        packed = nibbles[:, 0::2] | nibbles[:, 1::2] << 4
        path.write_bytes(header.encode() + self.weights.astype("<f4").tobytes() + self.bias.astype("<f4").tobytes() + packed.tobytes())

    @classmethod
    def read(cls, path):
        first, second, content = path.read_bytes().split(b"\n", 2)
        bits, dimensions, damping, temperature = first.split()
        languages, dimensions, count = second.decode().split(), int(dimensions), 1 << int(bits)
        classes = len(languages)
        floats = np.frombuffer(content[:4 * classes * (dimensions + 1)], "<f4")
        packed = np.frombuffer(content[4 * classes * (dimensions + 1):], np.uint8).reshape(count, dimensions // 2)
        vectors = np.stack([packed & 15, packed >> 4], -1).reshape(count, dimensions).astype(np.int8) - ZERO
        return cls(languages, vectors, floats[:classes * dimensions].reshape(dimensions, classes), floats[classes * dimensions:], float(damping), float(temperature))

    def logits(self, texts):
        """Of texts as words_in() has them, without the temperature, [texts, classes]."""
        return np.concatenate([self.logits_of_some(texts[begin:begin + 1000]) for begin in range(0, len(texts), 1000)])

    def logits_of_some(self, texts):
        hashes, counts = ngrams.features(texts)
        vectors = self.vectors[(hashes >> np.uint32(32 - self.bits)).astype(np.int64)]
        ends = np.cumsum(counts)
        sums = np.stack([vectors[end - count:end].sum(0, dtype=np.int64) for end, count in zip(ends, counts)])
        return sums / np.maximum(counts, 1)[:, None] ** self.damping @ self.weights.astype(np.float64) + self.bias

    def probabilities(self, texts):
        logits = self.temperature * self.logits(texts)
        exponentials = np.exp(logits - logits.max(1, keepdims=True))
        return exponentials / exponentials.sum(1, keepdims=True)
