#!/usr/bin/env python3
"""Compiles every source file alone, as the preset dev does, but only checks it: no object is made.

Unity builds hide missing includes; this finds them, and all warnings of the preset, for a fraction
of a build's time.

    tools/check_alone.py build/dev [--jobs 2] [PATTERN...]

The folder needs a compile_commands.json. With patterns, only files whose path contains one of them
are checked. Exits with 1 if a file does not compile or has a warning.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def check(entry):
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at : at + 2]
    words[words.index("-c")] = "-fsyntax-only"
    result = subprocess.run(words + ["-Werror"], cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], result.returncode, result.stderr


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("build")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("patterns", nargs="*")
    options = arguments.parse_intermixed_args()
    with open(os.path.join(options.build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    # What the build writes need not exist yet.
    built = os.path.realpath(options.build) + os.sep
    entries = [one for one in entries if not os.path.realpath(one["file"]).startswith(built)]
    if options.patterns:
        entries = [one for one in entries if any(part in one["file"] for part in options.patterns)]
    if not entries:
        sys.exit("check_alone: no source file has such a name")
    failures = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, status, messages in pool.map(check, entries):
            if status != 0:
                failures += 1
                print(f"{name}\n{messages}", flush=True)
    print(f"check_alone: {len(entries)} files, {failures} failures")
    sys.exit(1 if failures else 0)


main()
