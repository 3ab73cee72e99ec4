#!/bin/sh
# Compares the speed of the working tree with an earlier commit, in alternation, and fails if a row is more
# than 5 % slower twice.
#   tools/bench_check.sh [BASE] [arguments for bench/compare/compare.py]
# BASE is a tag or commit, by default the last tag. Its source and build stay in build/base for the next time.
set -eu
cd "$(dirname "$0")/.."
base="${1:-}"
[ $# -eq 0 ] || shift
if [ -z "$base" ]; then
  base=$(git describe --tags --abbrev=0 2>/dev/null) || { echo "bench-check: there is no tag to compare with; set BASE=COMMIT" >&2; exit 2; }
fi
commit=$(git rev-parse --verify --quiet "$base^{commit}") || { echo "bench-check: no commit is called '$base'" >&2; exit 2; }

# build SOURCE: the program and its benchmarks, into SOURCE/build/release
build() {
  (
    cd "$1"
    mkdir -p build
    cmake --preset release -DATTEND_BENCHMARKS=ON >build/bench-check.log 2>&1 || { cat build/bench-check.log; exit 1; }
    cmake --build build/release --target attend_program compare_train_attend compare_train_lm_attend compare_decode_attend bench_kernels
  )
}

[ -d build/base/.git ] || git clone --quiet . build/base
git -C build/base fetch --quiet origin "$commit"
git -C build/base checkout --quiet --detach "$commit"
build build/base
build .

python=build/bench-check-python/bin/python
[ -x "$python" ] || python3 -m venv build/bench-check-python
"$python" -m pip install --quiet --disable-pip-version-check numpy sentencepiece
rm -rf build/bench-check
exec "$python" bench/compare/compare.py --build build/release --before build/base/build/release --out build/bench-check --fail-below 0.95 "$@"
