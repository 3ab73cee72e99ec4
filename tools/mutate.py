#!/usr/bin/env python3
"""Wrong lines that the tests must notice: applies one small edit after another, rebuilds, and runs tests until one fails.

    tools/mutate.py                     all of tools/mutations/*.toml
    tools/mutate.py optim 'cli/*'       those of a layer, or whose id matches a pattern
    tools/mutate.py --continue          those that have no result yet, and those that survived
    tools/mutate.py --first             only by the first program, that of the layer: minutes instead of hours, and some survive for now
    tools/mutate.py --check             only whether every edit still fits its file

A mutation is a line of tools/mutations/LAYER.toml, in the table of its file below src/attend:

    ["optim/adam.cpp"]
    adam-clip-sign = ['norm > options.clip_norm', 'norm < options.clip_norm']

The first text is found exactly once in the file, however its lines are broken, and the second replaces it. Its id is optim/adam-clip-sign.
A third element may hold `tests`, the programs to run (and of which tests) instead of those of its layer and all above, such as
["cli:*Effects*", "cli"], and `equivalent`, the reason why no test can see it: it is expected to survive.

The edits are made in a copy of the working tree, build/mutants/source, never in the tree itself; the copy has a build folder of its own. A
mutant is caught when a test program fails, crashes or takes too long. The exit status is 0 when every mutant is caught or said to be
equivalent, and no edit has become stale.
"""

import argparse
import fcntl
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = re.findall(r"^ *attend_layer\((\w+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)  # from low to high
LAYERS.insert(LAYERS.index("train"), "parity")  # compares models with PyTorch
SECONDS = 1800  # at most for one test program
SLOWDOWN = 10  # a mutant whose tests take so many times longer than without an edit, and more than a minute, takes too long


def read_list(folder):
    mutations = []
    for path in sorted(folder.glob("*.toml")):
        for file, edits in tomllib.loads(path.read_text()).items():
            for name, (old, new, *more) in edits.items():
                more = more[0] if more else {}
                if unknown := more.keys() - {"tests", "equivalent"}:
                    sys.exit(f"{path}: {name}: unknown {sorted(unknown)}")
                mutations.append({"id": f"{path.stem}/{name}", "file": file, "old": old, "new": new, **more})
    ids = [mutation["id"] for mutation in mutations]
    if twice := {name for name in ids if ids.count(name) > 1}:
        sys.exit(f"{folder}: used twice: {', '.join(sorted(twice))}")
    return mutations


def chosen(mutations, patterns):
    """Those that match a pattern, in the order of the patterns."""
    if not patterns:
        return mutations
    patterns = [pattern if "/" in pattern else pattern + "/*" for pattern in patterns]
    found = {m["id"]: m for pattern in patterns for m in mutations if fnmatch.fnmatch(m["id"], pattern)}
    return list(found.values())


def edit_of(mutation):
    """The text to replace as a pattern: white space may be anything, or nothing."""
    return re.compile(r"\s*".join(map(re.escape, re.sub(r"\s", "", mutation["old"]))))


def problem_of(mutation, root):
    """What keeps the edit from being made, or nothing."""
    path = root / "src/attend" / mutation["file"]
    if not path.is_file():
        return f"no file src/attend/{mutation['file']}"
    count = len(edit_of(mutation).findall(path.read_text()))
    if count != 1:
        return f"expected its text once in {mutation['file']}, found it {count} times"
    if mutation["old"] == mutation["new"]:
        return "changes nothing"
    return None


def programs_of(mutation):
    if "tests" in mutation:
        return mutation["tests"]
    programs = LAYERS[LAYERS.index(mutation["file"].split("/")[0]):]
    # The whole of `cli` takes minutes.
    return programs[:-1] + ["cli:*Effects*", "cli:-*Effects*:*Extremes*", "cli:*Extremes*"]


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Workplace:
    """The copy, its build folder, and what is known about them."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.source, self.build, self.results = folder / "source", folder / "build", folder / "results.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self.lock = open(folder / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"{folder} is in use by another run; choose another with --folder")
        self.copy_tree()

    def copy_tree(self):
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        wanted = {name for name in listed if (ROOT / name).is_file()}
        digest = hashlib.sha256()
        for name in sorted(wanted):
            content, copy = (ROOT / name).read_bytes(), self.source / name
            if not name.startswith("tools/"):
                digest.update(name.encode() + b"\0" + content)
            if copy.is_file() and copy.read_bytes() == content:
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy)
            shutil.copymode(ROOT / name, copy)
        for copy in [path for path in self.source.rglob("*") if path.is_file()]:
            if str(copy.relative_to(self.source)) not in wanted:
                copy.unlink()
        self.state = digest.hexdigest()

    def configure(self):
        # Every source alone and not much optimized: an edit recompiles one file.
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.build, "-DCMAKE_BUILD_TYPE=Mutants", "-DATTEND_EXAMPLES=OFF",
                        "-DCMAKE_UNITY_BUILD=OFF", "-DCMAKE_CXX_FLAGS=-O1"], check=True, stdout=subprocess.DEVNULL)

    def make(self, program):
        """Whether it compiles; the log is in build.log."""
        with open(self.folder / "build.log", "w") as log:
            command = ["nice", "cmake", "--build", self.build, "-j", str(self.jobs), "--target", f"test_{program.split(':')[0]}"]
            return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode == 0

    def failure_of(self, program, seconds=SECONDS):
        """The first test of the program that fails, or nothing."""
        name, _, wanted = program.partition(":")
        command = ["nice", self.build / "tests" / f"test_{name}", "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={wanted or '*'}"]
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            # What the tests have started themselves is in their group: it ends with them.
            run = subprocess.Popen(command, cwd=self.folder, stdout=output, stderr=subprocess.STDOUT, process_group=0)
            try:
                run.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                return "takes too long"
            finally:
                end_group(run)
            if run.returncode == 0:
                return None
            output.seek(0)
            failed = [line.split("]", 1)[1].split(" (")[0].split(",")[0].strip() for line in output if line.startswith("[  FAILED  ]")]
            return failed[0] if failed else f"ends with status {run.returncode}"

    def sound_seconds(self, program):
        """How long the program takes without an edit, where it must pass: one that fails anyway would catch everything."""
        path = self.folder / "baseline.json"
        known = json.loads(path.read_text()) if path.is_file() else {}
        sound = known.get("seconds", {}) if known.get("state") == self.state else {}
        if program in sound:
            return sound[program]
        if not self.make(program):
            sys.exit(f"the tree does not compile: see {self.folder / 'build.log'}")
        began = time.monotonic()
        if failed := self.failure_of(program):
            sys.exit(f"test_{program} fails without any edit: {failed}")
        seconds = time.monotonic() - began
        print(f"without an edit, test_{program} passes in {seconds:.0f} s", flush=True)
        path.write_text(json.dumps({"state": self.state, "seconds": {**sound, program: seconds}}))
        return seconds

    def try_out(self, mutation, most):
        path = self.source / "src/attend" / mutation["file"]
        original = path.read_text()
        seconds = 0
        outcome = {"id": mutation["id"], "old": mutation["old"], "new": mutation["new"], "result": "survived", "by": ""}
        try:
            for program in programs_of(mutation)[:most]:
                path.write_text(original)
                limit = min(SECONDS, max(60, SLOWDOWN * self.sound_seconds(program)))
                path.write_text(edit_of(mutation).sub(lambda _: mutation["new"], original))
                began = time.monotonic()
                compiles = self.make(program)
                failed = self.failure_of(program, limit) if compiles else None
                seconds += time.monotonic() - began
                if not compiles or failed:
                    outcome.update(result="caught" if compiles else "does not compile", by=f"{program}.{failed}" if failed else program)
                    break
        finally:
            path.write_text(original)
        outcome["seconds"] = round(seconds)
        with open(self.results, "a") as results:
            results.write(json.dumps(outcome) + "\n")
        return outcome

    def known_results(self):
        """The latest result of every mutation that still says the same."""
        lines = self.results.read_text().splitlines() if self.results.is_file() else []
        return {(r["id"], r["old"], r["new"]): r for r in map(json.loads, lines)}


def report(mutations, results):
    """Prints the sums; whether all is as it should be."""
    by_result = {}
    for mutation in mutations:
        result = results[(mutation["id"], mutation["old"], mutation["new"])]["result"]
        if result == "survived" and "equivalent" in mutation:
            result = "equivalent"
        by_result.setdefault(result, []).append(mutation["id"])
    for result in ["survived", "does not compile"]:
        for name in by_result.get(result, []):
            print(f"{result}: {name}")
    counts = ", ".join(f"{len(names)} {result}" for result, names in sorted(by_result.items()))
    print(f"{len(mutations)} mutants: {counts}")
    return not by_result.keys() & {"survived", "does not compile"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", nargs="*", help="layers, or patterns of ids; all when left out")
    parser.add_argument("--continue", dest="goes_on", action="store_true", help="leave out those that are caught, or equivalent and have survived")
    parser.add_argument("--first", action="store_true", help="run only the first program of each")
    parser.add_argument("--check", action="store_true", help="only check that every edit still fits its file")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutants", help="where to work (default: build/mutants)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at a time")
    options = parser.parse_args()

    mutations = chosen(read_list(ROOT / "tools/mutations"), options.which)
    if not mutations:
        sys.exit("no mutation of that name")
    stale = [f"{m['id']}: {problem}" for m in mutations if (problem := problem_of(m, ROOT))]
    if stale:
        sys.exit("\n".join(stale))
    if options.check:
        print(f"{len(mutations)} mutations fit their files")
        return

    workplace = Workplace(options.folder.resolve(), options.jobs)
    workplace.configure()
    results = workplace.known_results()
    def is_done(mutation):
        result = results.get((mutation["id"], mutation["old"], mutation["new"]), {}).get("result")
        return result == "caught" or (result == "survived" and "equivalent" in mutation)

    todo = [m for m in mutations if not (options.goes_on and is_done(m))]
    for number, mutation in enumerate(todo, 1):
        outcome = workplace.try_out(mutation, 1 if options.first else None)
        results[(mutation["id"], mutation["old"], mutation["new"])] = outcome
        print(f"[{number}/{len(todo)}] {outcome['result']:16} {mutation['id']} ({outcome['seconds']} s) {outcome['by']}", flush=True)
    sys.exit(0 if report(mutations, results) else 1)


if __name__ == "__main__":
    main()
