"""The features of a text, as src/attend/text/language/language_features.cpp has them: hashes of its n-grams and words."""

import numpy as np

LONGEST = 4
FACTOR = 0x9E3779B1
BLOCK = 128


def unspaced(c):
    """Letters of scripts that do not separate words: Thai, Lao, Burmese, Khmer, kana and Han."""
    return ((c >= 0xE00) & (c < 0xF00)) | ((c >= 0x1000) & (c < 0x10A0)) | ((c >= 0x1780) & (c < 0x1800)) | ((c >= 0x3005) & (c < 0x3100)) | \
        ((c >= 0x31F0) & (c < 0x3200)) | ((c >= 0x3400) & (c < 0xA000)) | ((c >= 0xF900) & (c < 0xFB00)) | ((c >= 0xFF66) & (c < 0xFFA0)) | (c >= 0x20000)


def powers(base, count):
    factors = np.full(count, base, np.uint32)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint32)


def mixed(hashes, kind):
    """32 bits, of which the first are the bucket."""
    with np.errstate(over="ignore"):
        h = (hashes + np.uint32(kind * 0x85EBCA6B & 0xFFFFFFFF)) * np.uint32(0xC2B2AE35)
        h ^= h >> np.uint32(15)
        return h * np.uint32(0x27D4EB2F)


def features(texts):
    """Of texts of words with single spaces between: (hashes, the number of each text's)."""
    joined = "".join(f" {text} \n" for text in texts)
    c = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    line_end = c == 10
    line = np.cumsum(line_end) - line_end
    kept = ~line_end
    c, line = c[kept], line[kept]
    space = c == 32
    dense = unspaced(c)
    all_hashes, all_lines = [], []
    size = len(c)
    letters = ~space
    all_hashes.append(mixed(c[letters], 1))
    all_lines.append(line[letters])
    all_hashes.append(mixed(c[letters] // BLOCK, 7))
    all_lines.append(line[letters])
    h = c.copy()
    inner = np.ones(size, bool)
    any_space, any_dense = space.copy(), dense.copy()
    with np.errstate(over="ignore"):
        for n in range(2, LONGEST + 1):
            count = size - n + 1
            if count <= 0:
                break
            h = h[:count] * np.uint32(FACTOR) + c[n - 1:]
            if n > 2:
                inner = inner[:count] & letters[n - 2:n - 2 + count]
            else:
                inner = inner[:count]
            any_space = any_space[:count] | space[n - 1:]
            any_dense = any_dense[:count] | dense[n - 1:]
            good = inner & (line[:count] == line[n - 1:]) & ~(space[:count] & space[n - 1:] & (n == 2))
            good &= ~any_dense | ((not n > 2) & ~any_space)
            all_hashes.append(mixed(h[good], n))
            all_lines.append(line[:count][good])
        # Words that are longer than such an n-gram.
        begins = np.flatnonzero(letters & np.concatenate([[True], space[:-1]]))
        ends = np.flatnonzero(letters & np.concatenate([space[1:], [True]]))
        power, inverse = powers(FACTOR, size + 1), powers(pow(FACTOR, -1, 2**32), size + 1)
        sums = np.concatenate([[np.uint32(0)], np.cumsum(c * inverse[:size], dtype=np.uint32)])
        dense_before = np.concatenate([[0], np.cumsum(dense)])
        long = (ends - begins + 1 > LONGEST - 2) & (dense_before[ends + 1] == dense_before[begins])
        begins, ends = begins[long], ends[long]
        all_hashes.append(mixed((sums[ends + 1] - sums[begins]) * power[ends], 8))
        all_lines.append(line[begins])
    hashes, lines = np.concatenate(all_hashes), np.concatenate(all_lines)
    order = np.argsort(lines, kind="stable")
    return hashes[order], np.bincount(lines, minlength=len(texts))
