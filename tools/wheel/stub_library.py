#!/usr/bin/env python3
"""Makes a library to link with that has the names of another one, as they were in older versions of it.

    stub_library.py COMPILER LIBRARY OUT NEWEST... [--names PATTERN]     e.g. gcc lib/libm.so.6 stub/libm.so.6 GLIBC_2.28

Every function and variable gets the newest of its versions that is not above NEWEST of that family, and none that came
later stays. A program that is linked with it runs on systems that have those versions. PATTERN leaves only names that it
matches in full. The functions do nothing: at run time, the system's own library takes its place.
"""

import argparse
import pathlib
import re
import subprocess
import tempfile


def number(version):
    """GLIBC_2.28 -> ("GLIBC", [2, 28]); None for GLIBC_PRIVATE and the like."""
    match = re.fullmatch(r"(\w+?)_([0-9.]+)", version)
    return match and (match[1], [int(part) for part in match[2].split(".")])


def symbols(library):
    """(name, version, is the default, type, size) of all that the library defines."""
    table = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True).stdout
    for line in table.splitlines():
        fields = line.split()
        match = re.fullmatch(r"([^@]+)(@@?)(\S+)", fields[7]) if len(fields) > 7 else None
        if match and fields[6] != "UND" and fields[3] in ("FUNC", "IFUNC", "OBJECT"):
            yield match[1], match[3], match[2] == "@@", fields[3], int(fields[2], 0)


def chosen(library, newest, pattern):
    """name -> (version, type, size)"""
    found, linkable = {}, set()
    for name, version, default, kind, size in symbols(library):
        if default:
            linkable.add(name)
        family = number(version)
        if not family or family[1] > newest.get(family[0], family[1]) or not pattern.fullmatch(name):
            continue
        if name not in found or number(found[name][0])[1] < family[1]:
            found[name] = (version, kind, size)
    return {name: found[name] for name in sorted(found) if name in linkable}


def main():
    parser = argparse.ArgumentParser(usage="stub_library.py COMPILER LIBRARY OUT NEWEST... [--names PATTERN]")
    parser.add_argument("compiler")
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("newest", nargs="+")
    parser.add_argument("--names", type=re.compile, default=re.compile(".*"))
    arguments = parser.parse_args()

    names = chosen(arguments.library, dict(number(version) for version in arguments.newest), arguments.names)
    code = []
    for index, (name, (version, kind, size)) in enumerate(names.items()):
        label = f"stub_{index}"
        section = ".bss" if kind == "OBJECT" else ".text"
        code += [section, f".globl {label}", f".type {label}, %{'object' if kind == 'OBJECT' else 'function'}"]
        code += [f".size {label}, {size}", f"{label}: .skip {max(size, 1) if kind == 'OBJECT' else 4}"]
        code += [f".symver {label}, {name}@@{version}"]
    versions = sorted({version for version, _, _ in names.values()})
    script = "".join(f"{version} {{ }};\n" for version in versions) + "hidden { local: stub_*; };\n"
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source, map_file = pathlib.Path(folder, "stub.s"), pathlib.Path(folder, "stub.map")
        source.write_text("\n".join(code) + '\n.section .note.GNU-stack,"",%progbits\n')
        map_file.write_text(script)
        subprocess.run([arguments.compiler, "-shared", "-nostdlib", f"-Wl,-soname,{arguments.library.name}",
                        f"-Wl,--version-script={map_file}", "-o", arguments.out, source], check=True)


if __name__ == "__main__":
    main()
