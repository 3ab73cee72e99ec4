#!/bin/sh
# Fails if the last run of the tests in BUILD skipped one that this machine could have run. Allowed is only what depends on the processor
# (instruction sets that it lacks) or on the model of a parameterized test.
#   unexpected_skips.sh BUILD
set -u
build="${1:?usage: unexpected_skips.sh BUILD}"
log="$build/tests.log" output="$build/Testing/Temporary/LastTest.log"
for file in "$log" "$output"; do
  [ -e "$file" ] || { echo "unexpected_skips: no $file; run the tests first" >&2; exit 2; }
done

allowed='^(models\.|backend\..*(InstructionSets|KernelComparison)|(nn|models|decode)\.with_)'
{
  # Tests of ctest ("  12 - cli.Name (Skipped)"), and parts of one test, which say so themselves.
  sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$log" | grep -Ev "$allowed"
  grep -E '^(skipped: |SKIPPED \[)|is skipped$' "$output"
} | sort -u >"$build/unexpected_skips.log"
[ -s "$build/unexpected_skips.log" ] || { echo "no test was skipped that this machine could run"; exit 0; }
echo "skipped, although this machine could run them:" >&2
cat "$build/unexpected_skips.log" >&2
exit 1
