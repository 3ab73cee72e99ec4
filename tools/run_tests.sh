#!/bin/sh
# Runs the tests of a build folder in parallel, shows the output of failures and why tests were skipped, and
# ends with a line that says how many passed, failed and were skipped.
#   tools/run_tests.sh BUILD_FOLDER [JOBS] [arguments for ctest]
set -u
build="${1:?usage: run_tests.sh BUILD_FOLDER [JOBS] [arguments for ctest]}"
jobs="${2:-$(nproc)}"
shift
[ $# -eq 0 ] || shift

log="$build/tests.log"
{
  ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --no-tests=error "$@" 2>&1
  echo $? >"$log.status"
} | tee "$log"
echo
grep -h '^skipped: ' "$build/Testing/Temporary/LastTest.log" 2>/dev/null | sort -u
skipped=$(grep -c '^[[:space:]]*[0-9]* - .* (Skipped)' "$log")
# CMake 4 omits failures from its summary if there are none: always print all three numbers.
sed -n "/tests passed/{/tests failed/!s/tests passed/tests passed, 0 tests failed/;s/\$/, $skipped skipped/;p;}" "$log" | grep . || echo "no test was run: see $log"
exit "$(cat "$log.status")"
