#!/bin/sh
# Fails, naming the source, if one of src/attend has no test: neither tests/FOLDER/NAME_test.cpp, nor a test in tests/LAYER
# that includes its header, nor a row of covered_elsewhere.txt; or if a row of that table names a test that does not exist, a
# word that the test does not have, or no source that needs it.
# Usage: check_tests.sh ROOT
set -eu
cd "${1:?usage: check_tests.sh ROOT}"
table=tests/architecture/covered_elsewhere.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find src/attend -name '*.cpp' | sed 's|^src/attend/||' | sort >"$work/sources"
find tests -name '*_test.cpp' | sed 's|^tests/||' | sort >"$work/tests"
# "layer header" for all headers that the tests of a layer include.
find tests -name '*_test.cpp' -exec grep -Ho '^#include "attend/[^"]*"' {} + |
  sed 's|^tests/\([^/]*\)/[^:]*:#include "attend/\([^"]*\)"|\1 \2|' | sort -u >"$work/includes"
grep -v '^ *\(#\|$\)' "$table" >"$work/rows" || true

awk -v sources="$work/sources" -v tests="$work/tests" -v includes="$work/includes" -v table="$table" '
# The extended regular expression of a pattern of the shell with *, and {a,b} without nesting.
function expression(pattern) {
  gsub(/\./, "[.]", pattern)
  gsub(/\*/, ".*", pattern)
  gsub(/[{]/, "(", pattern)
  gsub(/[}]/, ")", pattern)
  gsub(/,/, "|", pattern)
  return "^" pattern "$"
}
BEGIN {
  while ((getline line <tests) > 0) is_test[line] = 1
  while ((getline line <includes) > 0) included[line] = 1
  while ((getline source <sources) > 0) {
    own = source; sub(/[.]cpp$/, "_test.cpp", own)
    header = source; sub(/[.]cpp$/, ".h", header)
    layer = source; sub(/\/.*/, "", layer)
    if (!(own in is_test) && !((layer " " header) in included)) uncovered[source] = 1
  }
}
{
  used = 0
  row = expression($1)
  for (source in uncovered) if (source ~ row) { covered[source] = 1; used = 1 }
  if (!used) { print table ": no source needs " $1; failed = 1 }
}
END {
  for (source in uncovered) if (!(source in covered)) { print "src/attend/" source ": has no test; write one, or name the test that covers it in " table; failed = 1 }
  exit failed
}' "$work/rows" >"$work/problems" || true

while read -r source test word; do
  if [ ! -e "tests/$test" ]; then
    echo "$table: tests/$test, the test of $source, does not exist"
  elif ! grep -qF -- "$word" "tests/$test"; then
    echo "$table: tests/$test, the test of $source, does not mention $word"
  fi
done <"$work/rows" >>"$work/problems"

sort "$work/problems"
[ ! -s "$work/problems" ]
