#!/bin/sh
# Runs every libFuzzer target (clang), then mutations of whole models in a plain and a sanitized build. The
# corpus stays in build/fuzz/corpus for the next run; findings are in build/fuzz/findings, and the exit
# status is then 1.
#
#   tools/run_fuzzers.sh MINUTES JOBS [TARGET...]   minutes per target, such as 0.5, of those named or of all; "models"
#                                                   mutates models
set -eu

minutes="${1:?usage: run_fuzzers.sh MINUTES JOBS [TARGET...]}"
jobs="${2:?usage: run_fuzzers.sh MINUTES JOBS [TARGET...]}"
shift 2
seconds=$(awk -v minutes="$minutes" 'BEGIN { print int(minutes * 60) }')
[ "$seconds" -ge 1 ] || { echo "run_fuzzers.sh: MINUTES: expected a number above 0.016, got $minutes" >&2; exit 2; }
build=build/fuzz
corpus=$build/corpus
findings=$build/findings
mkdir -p "$corpus" "$findings"

configure() {  # FOLDER PRESET FLAGS...
  folder="$1" preset="$2"
  shift 2
  cmake --preset "$preset" -B "$folder" "$@" >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
}

wanted() {  # TARGET: is it among those named?
  [ -z "$targets" ] && return 0
  case " $targets " in *" $1 "*) return 0 ;; esac
  return 1
}
targets="$*"
status=0

if [ "$targets" != models ]; then
  configure $build/clang asan -DCMAKE_CXX_COMPILER=clang++-16 -DATTEND_FUZZ=ON -DATTEND_EXAMPLES=OFF \
    -DATTEND_SANITIZE=address,undefined,fuzzer-no-link
  cmake --build $build/clang -j "$jobs" --target fuzz_targets
  program=$build/clang/tests/fuzz/fuzz_targets
  for file in tests/fuzz/*_fuzz.cpp; do
    name=$(basename "$file" _fuzz.cpp)
    wanted "$name" || continue
    mkdir -p "$corpus/$name"
    "$program" "$name" --seeds "$corpus/$name"
    echo "fuzz: $name for $minutes minutes"
    log="$build/$name.log"
    "$program" "$name" -max_total_time=$seconds -timeout=60 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
      -dict="$corpus/$name.dict" -artifact_prefix="$findings/$name-" "$corpus/$name" >"$log" 2>&1 || status=1
    grep -E '^(stat::number_of_executed_units|SUMMARY|==[0-9]+==ERROR)' "$log" || tail -3 "$log"
  done
fi

if wanted models; then
  for preset in release asan; do
    configure "build/$preset" $preset
    cmake --build "build/$preset" -j "$jobs" --target fuzz_models
    echo "fuzz: models ($preset) for $minutes minutes"
    memory=1024 patience=10
    [ $preset = asan ] && memory=4096 patience=60
    ASAN_OPTIONS=allocator_may_return_null=1:hard_rss_limit_mb=6000 "build/$preset/tests/fuzz/fuzz_models" \
      --mutations 1000000000 --seconds $seconds --seed "$(date +%s)" --memory $memory --patience $patience \
      --out "$findings" || status=1
  done
fi
[ $status -eq 0 ] && echo "fuzz: no findings" || echo "fuzz: findings are in $findings"
exit $status
