#!/usr/bin/env python3
"""How often do the flags of `attend score --trust` find faults that are planted into human translations, and flag what has none?

    python check_trust.py ATTEND MODEL SRC TGT

MODEL translates from the language of SRC into that of TGT, which are files of lines that translate each other; with a calibration its flags
count, too. Prints for the text as it is how many pairs have each flag, then for each kind of fault how many pairs have the flag for it.
"""

import json
import random
import re
import subprocess
import sys
import tempfile

attend, model, src_file, tgt_file = sys.argv[1:]
draw = random.Random(1)


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def flags_of(pairs):
    """The names of the flags of each pair."""
    with tempfile.NamedTemporaryFile("w", suffix=".src") as src, tempfile.NamedTemporaryFile("w", suffix=".tgt") as tgt:
        for file, side in (src, 0), (tgt, 1):
            file.write("".join(pair[side] + "\n" for pair in pairs))
            file.flush()
        command = [attend, "score", model, "--trust", "--format", "json", "--src", src.name, "--tgt", tgt.name]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    return [{flag["name"] for flag in json.loads(line)["flags"]} for line in run.stdout.splitlines()]


def other_digit(src, tgt):
    """The translation with one digit changed, if both sides have digits."""
    places = [match.start() for match in re.finditer(r"\d", tgt)]
    if not places or not re.search(r"\d", src):
        return None
    at = draw.choice(places)
    return tgt[:at] + str((int(tgt[at]) + draw.randint(1, 9)) % 10) + tgt[at + 1:]


def without_number(_, tgt):
    """The translation without its first number of three digits or more."""
    found = re.search(r"\d[\d.,]*\d\d", tgt)
    return tgt[:found.start()] + tgt[found.end():] if found else None


def repeated(_, tgt):
    """The translation with its last words, two to six, three times."""
    words = tgt.split()
    return " ".join(words + words[-draw.randint(2, 6):] * 2)


FAULTS = {
    "a digit changed": ("numbers", other_digit),
    "a number left out": ("numbers", without_number),
    "last words repeated": ("repetition", repeated),
    "the source copied": ("copy", lambda src, _: src),
    "nothing": ("empty", lambda *_: ""),
    "one word": ("length", lambda _, tgt: tgt.split()[0] if len(tgt) > 60 else None),
}

right = [pair for pair in zip(lines_of(src_file), lines_of(tgt_file), strict=True) if all(side.strip() for side in pair)]
found = flags_of(right)
print(f"{len(right)} pairs as they are: {sum(map(bool, found))} flagged")
for name in sorted(set().union(*found)):
    print(f"  {name:12}{sum(name in one for one in found):6}")
print(f"\n{'fault':22}{'flag':12}{'pairs':>7}{'found':>7}{'recall':>8}")
for fault, (flag, plant) in FAULTS.items():
    planted = [(src, made) for src, tgt in right if (made := plant(src, tgt)) is not None]
    hits = sum(flag in one for one in flags_of(planted))
    print(f"{fault:22}{flag:12}{len(planted):7}{hits:7}{hits / len(planted):8.3f}")
