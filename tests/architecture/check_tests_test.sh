#!/bin/sh
# check_tests.sh can fail: each case is a small tree with one fault, which must be reported.
set -u
here=$(cd "$(dirname "$0")" && pwd)
trees=$(mktemp -d)
trap 'rm -rf "$trees"' EXIT
failures=0
cases=0

# expect WHAT PATTERN SOURCE TEST CONTENT TABLE: an empty PATTERN means that the tree must pass.
expect() {
  cases=$((cases + 1))
  tree=$trees/$cases
  mkdir -p "$tree/src/attend/$(dirname "$3")" "$tree/tests/architecture" "$tree/tests/$(dirname "$4")"
  echo 'int f();' >"$tree/src/attend/$3"
  printf '%s\n' "$5" >"$tree/tests/$4"
  printf '%s\n' "# a table" "$6" >"$tree/tests/architecture/covered_elsewhere.txt"
  output=$("$here/check_tests.sh" "$tree" 2>&1)
  status=$?
  if [ -z "$2" ]; then
    [ $status -eq 0 ] && [ -z "$output" ] && return
  else
    [ $status -eq 1 ] && printf '%s\n' "$output" | grep -q "$2" && return
  fi
  printf 'FAILED: %s (exit status %d, expected %s)\n%s\n' "$1" $status "${2:-success}" "$output"
  failures=$((failures + 1))
}

expect "a test of its name" "" ops/relu.cpp ops/relu_test.cpp 'TEST' ''
expect "a test of the layer that includes the header" "" ops/relu.cpp ops/errors_test.cpp '#include "attend/ops/relu.h"' ''
expect "a test of another layer" "src/attend/ops/relu.cpp: has no test" ops/relu.cpp nn/errors_test.cpp '#include "attend/ops/relu.h"' ''
expect "a row of the table" "" ops/relu.cpp nn/layers_test.cpp 'relu(x)' 'ops/relu.cpp nn/layers_test.cpp relu'
expect "a row with a pattern" "" ops/relu.cpp nn/layers_test.cpp 'relu(x)' 'ops/{gelu,re*}.cpp nn/layers_test.cpp relu'
expect "a row of another source" "src/attend/ops/relu.cpp: has no test" ops/relu.cpp nn/layers_test.cpp 'relu(x)' 'ops/gelu.cpp nn/layers_test.cpp relu'
expect "a row without need" "no source needs ops/relu.cpp" ops/relu.cpp ops/relu_test.cpp 'relu(x)' 'ops/relu.cpp ops/relu_test.cpp relu'
expect "a row whose test is gone" "tests/nn/gone_test.cpp, the test of ops/relu.cpp, does not exist" ops/relu.cpp nn/layers_test.cpp 'relu(x)' \
  'ops/relu.cpp nn/gone_test.cpp relu'
expect "a row whose test tests something else" "does not mention relu" ops/relu.cpp nn/layers_test.cpp 'gelu(x)' 'ops/relu.cpp nn/layers_test.cpp relu'

echo "check_tests_test: $cases trees, $failures failures"
[ $failures -eq 0 ]
