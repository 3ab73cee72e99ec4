#!/usr/bin/env python3
"""Compares regular expressions of imported tokenizers with Hugging Face's tokenizers library: random patterns with nested classes, intersections,
properties, lookaround and quantifiers of all kinds, on random texts. Split and Replace must do the same, or attend must refuse the pattern.

    python3 tools/fuzz_patterns.py --patterns 4000 build/release/tests/test_text   # a minute
    python3 tools/fuzz_patterns.py --patterns 250 --texts 4 --write tests/text/data/pattern_cases.jsonl

The first runs the test Oniguruma of the program on what it has made; `--seed` tries others. The second writes the cases that the suite keeps.
Needs the package tokenizers.
"""
import argparse
import json
import os
import random
import sys
import tempfile
import unicodedata

from tokenizers import Regex, normalizers, pre_tokenizers

from fuzz_tokenizers import chance, compare, random_text

MEMBERS = [r"a-c", r"\d", r"\w", r"\s", r"\p{L}", r"\p{N}", "^a", "é", r"\n", r"\-", "x", "b-", "-d", r"\p{Han}", "[:alpha:]", "[:^digit:]", "[:punct:]", "[:word:]",
           r"\h", r"\S", r"\P{L}", r"\W", "&", r"\u3042-\u3096", r"\p{Lu}", r"\p{^Ll}", r"\]", r"\[", "A-Z", "[:space:]", "[:upper:]", r"\x{61}"]
PROPERTIES = """L Lu Ll Lt Lm Lo M Mn Mc N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Cc Han Hiragana Katakana Latin Cyrillic Greek Arabic Hebrew Thai Devanagari
Hangul Common Alphabetic White_Space Emoji Punct Alpha Digit Upper Lower Space Word Alnum Any XDigit Cntrl Graph Print Uppercase Lowercase Letter Number Punctuation
Symbol ASCII Blank""".split()
ESCAPES = [r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\h", r"\H", r"\R", r"\X", r"\b", r"\B", r"\n", r"\r", r"\t", ".", "^", "$", r"\A", r"\z", r"\Z", r"\N", r"\O", r"\K", r"\G"]
GROUPS = ["(", "(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?m:", "(?x:", "(?i-m:", "(?-i:", "(?<n>"]
COUNTS = ["{2}", "{1,2}", "{,2}", "{2,}", "{1,3}?", "{2}+", "{2,3}+"]
ADDED = ["ss", "ß", "ſ", "K", "\r\n", "a]b", "a&b"]


def random_property(rng):
    return (r"\p" if chance(rng, 0.8) else r"\P") + "{" + ("^" if chance(rng, 0.1) else "") + rng.choice(PROPERTIES) + "}"


def random_class(rng, depth=0):
    parts = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.25 and depth < 2:
            parts.append(random_class(rng, depth + 1))
        elif kind < 0.35 and depth < 2:
            parts.append("&&" + (random_class(rng, depth + 1) if chance(rng) else rng.choice(MEMBERS)))
        elif kind < 0.5:
            parts.append(random_property(rng))
        else:
            parts.append(rng.choice(MEMBERS))
    return "[" + ("^" if chance(rng, 0.25) else "") + ("]" if chance(rng, 0.08) else "") + "".join(parts) + "]"


def random_atom(rng, depth):
    kind = rng.random()
    if kind < 0.28:
        return random_class(rng)
    if kind < 0.4:
        return rng.choice(ESCAPES)
    if kind < 0.5:
        return random_property(rng)
    if kind < 0.75 or depth == 3:
        return rng.choice([*"abcxs1 ▁'é-", "ss", "the", "'s", " ?", r"\."])
    return rng.choice(GROUPS) + random_pattern(rng, depth + 1) + ")"


def random_quantifier(rng, atom):
    """A counted group that may be empty differs (docs/import.md)."""
    return rng.choice([""] * 8 + ["*", "+", "?", "*?", "+?", "??", "*+", "++", "?+"] + (COUNTS if not atom.endswith(")") else []))


def random_pattern(rng, depth=0):
    alternatives = []
    for _ in range(rng.choice([1, 1, 1, 2])):
        atoms = [random_atom(rng, depth) for _ in range(rng.randint(1, 3))]
        alternatives.append("".join(atom + random_quantifier(rng, atom) for atom in atoms))
    pattern = "|".join(alternatives)
    return "(?i)" + pattern if depth == 0 and chance(rng, 0.12) else pattern


def case_of(rng, texts):
    """A pattern that the library takes, and what it makes of texts."""
    while True:
        pattern = random_pattern(rng)
        behavior = rng.choice(["removed", "isolated", "contiguous", "merged_with_previous", "merged_with_next"])
        try:
            split = pre_tokenizers.Split(Regex(pattern), behavior, chance(rng, 0.2))
            replace = normalizers.Replace(Regex(pattern), rng.choice(["", "_", "xy"]))
        except Exception:
            continue
        case = {"split": json.loads(split.__getstate__()), "replace": json.loads(replace.__getstate__()), "texts": []}
        for _ in range(texts):
            text = random_text(rng, ADDED)
            if any(c > "\u0350" and unicodedata.category(c) == "Mn" for c in text):
                continue  # Unicode 15 and 16 made letters of some marks
            try:
                case["texts"].append({"text": text, "parts": [part for part, _ in split.pre_tokenize_str(text)], "replaced": replace.normalize_str(text)})
            except BaseException as problem:  # the library panics where a match takes too long
                if isinstance(problem, KeyboardInterrupt):
                    raise
        return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="the test program of the layer text")
    parser.add_argument("--patterns", type=int, default=4000)
    parser.add_argument("--texts", type=int, default=12, help="of each pattern")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="write the cases to a file instead of trying them")
    arguments = parser.parse_args()
    if not arguments.write and not arguments.program:
        parser.error("expected the test program, or --write")
    rng = random.Random(arguments.seed)
    path = arguments.write or os.path.join(tempfile.mkdtemp(), "cases.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(arguments.patterns):
            file.write(json.dumps(case_of(rng, arguments.texts), ensure_ascii=True, separators=(",", ":")) + "\n")
    if arguments.write:
        return 0
    return compare(arguments.program, "Oniguruma", {"ATTEND_PATTERN_CASES": path}, arguments.patterns * arguments.texts)


if __name__ == "__main__":
    sys.exit(main())
