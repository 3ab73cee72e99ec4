#!/usr/bin/env python3
"""Opens safetensors files with Python's own reader, lists them, and verifies attend's checksum.

By hand, as the test suite needs no Python:  pip install safetensors numpy;  tools/check_safetensors.py FILE...
Shows that another program reads what attend writes, and how a script would compute the checksum of a model that it edits.
"""

import json
import sys
import zlib

from safetensors import safe_open


def entries_of(path):
    """The header's own view of a file: name -> (dtype, shape, bytes)."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        start = 8 + length
        header.pop("__metadata__", None)
        entries = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            file.seek(start + begin)
            entries[name] = (entry["dtype"], entry["shape"], file.read(end - begin), start + begin)
    return entries


def checksum(entries, metadata):
    """CRC-32 as in src/attend/checkpoint/checkpoint.cpp: tensors by name, then metadata by key, every string with its length in bytes."""
    text = b""
    for name, (dtype, shape, data, _) in sorted(entries.items(), key=lambda item: item[0].encode()):
        raw = name.encode()
        extents = ",".join(str(extent) for extent in shape)
        text += b"%d:%s %s [%s] %08x\n" % (len(raw), raw, dtype.encode(), extents.encode(), zlib.crc32(data))
    for key, value in sorted(metadata.items(), key=lambda item: item[0].encode()):
        if key != "attend.checksum":
            text += b"%d:%s=%d:%s\n" % (len(key.encode()), key.encode(), len(value.encode()), value.encode())
    return "%08x" % zlib.crc32(text)


def check(path):
    entries = entries_of(path)
    problems = []
    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        if sorted(file.keys()) != sorted(entries):
            problems.append("the reader lists other tensors than the header")
        for name, (dtype, shape, data, offset) in entries.items():
            print(f"  {name}: {dtype} {shape}, {len(data)} bytes at {offset}")
            if len(data) % 64 == 0 and offset % 64 != 0:
                problems.append(f"{name} is not aligned to 64 bytes")
            if dtype == "BF16":  # numpy has no such type
                continue
            tensor = file.get_tensor(name)
            if list(tensor.shape) != shape or tensor.tobytes() != data:
                problems.append(f"{name} reads differently")
    for key, value in metadata.items():
        print(f"  {key} = {value[:100]}")
    if "attend.checksum" in metadata and metadata["attend.checksum"] not in ("none", checksum(entries, metadata)):
        problems.append(f"checksum: expected {metadata['attend.checksum']}, computed {checksum(entries, metadata)}")
    return problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = False
    for path in sys.argv[1:]:
        print(path)
        for problem in check(path):
            failed = True
            print(f"  PROBLEM: {problem}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
