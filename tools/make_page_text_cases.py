#!/usr/bin/env python3
"""Bytes and their text in pages, by another program than those under test: tests/core/strings/data/page_text_cases.jsonl.

    python tools/make_page_text_cases.py >tests/core/strings/data/page_text_cases.jsonl

core/strings/page_text.h describes the text.
"""

import json
import random

CHANGED = "\0\b\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e<\x7f"


def page_text(data):
    bits = "".join(f"{byte:08b}" for byte in data) + "1"
    bits += "0" * (-len(bits) % 7)
    groups = [int(bits[i : i + 7], 2) for i in range(0, len(bits), 7)]
    text = ""
    while groups:
        first = chr(groups.pop(0))
        if first not in CHANGED:
            text += first
        else:
            text += chr(0x100 + 128 * CHANGED.index(first) + (groups.pop(0) if groups else 0))
    return text


def main():
    draw = random.Random(1)
    cases = [bytes(length) for length in range(21)]
    cases += [bytes([0xFF] * length) for length in range(21)]
    cases += [draw.randbytes(length) for length in range(21) for _ in range(3)]
    cases += [bytes([byte]) for byte in range(256)]
    cases += [bytes(range(256)), draw.randbytes(1000)]
    # Groups that are all of one value, so that every one is the last, too.
    for group in range(128):
        for count in (7, 8, 9):
            bits = f"{group:07b}" * count
            cases.append(bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8)))
    for case in cases:
        print(json.dumps({"bytes": case.hex(), "text": page_text(case)}))


if __name__ == "__main__":
    main()
