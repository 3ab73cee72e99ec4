#!/bin/sh
# Fails if a source of bench/ no longer compiles. Nothing is linked, to save minutes. The kernel benchmarks
# need Google Benchmark and oneDNN; without them the check exits with status 77, which ctest shows as
# skipped.
# Usage: check_bench.sh ROOT COMPILER
set -eu

root="${1:?usage: check_bench.sh ROOT COMPILER}"
compiler="${2:?usage: check_bench.sh ROOT COMPILER}"
cd "$root"

compiles() {
  "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Isrc -Iinclude -x c++ "$@"
}

failed=0
check() {
  for source in "$@"; do
    compiles "$source" || { echo "$source does not compile" >&2; failed=1; }
  done
}

check bench/compare/*.cpp
if printf '#include <benchmark/benchmark.h>\n#include <dnnl.hpp>\n' | compiles - 2>/dev/null; then
  check bench/*_bench.cpp
  exit "$failed"
fi
[ "$failed" -eq 0 ] || exit 1
echo "bench/*_bench.cpp not compiled: tools/dependencies.sh ensure bench installs what they include"
exit 77
