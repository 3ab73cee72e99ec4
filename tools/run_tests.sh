#!/bin/sh
# Runs the tests of a build folder in parallel, shows the output of failures and why tests were skipped, and
# ends with a line that says how many passed, failed and were skipped.
#   tools/run_tests.sh BUILD_FOLDER [JOBS] [arguments for ctest]
# With ATTEND_SKIP_NO_OTHER it fails, too, if a test is skipped that tests/may_be_skipped.txt does not name.
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
status=$(cat "$log.status")
echo
grep -h '^skipped: ' "$build/Testing/Temporary/LastTest.log" 2>/dev/null | sort -u
sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$log" >"$log.skipped"
skipped=$(grep -c . "$log.skipped")
if [ -n "${ATTEND_SKIP_NO_OTHER:-}" ]; then
  grep -v '^#' "$(dirname "$0")/../tests/may_be_skipped.txt" | grep . >"$log.allowed"
  if grep -vxE -f "$log.allowed" "$log.skipped" >"$log.missed"; then
    sed 's/^/this test must not be skipped: /' "$log.missed"
    status=1
  fi
elif [ "$skipped" -gt 0 ] && [ -z "${ATTEND_PYTHON:-}" ]; then
  echo "\`make test PEERS=1\` installs what most of the skipped tests need, and runs them"
fi
# CMake 4 omits failures from its summary if there are none: always print all three numbers.
sed -n "/tests passed/{/tests failed/!s/tests passed/tests passed, 0 tests failed/;s/\$/, $skipped skipped/;p;}" "$log" | grep . || echo "no test was run: see $log"
exit "$status"
