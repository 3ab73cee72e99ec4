#!/bin/sh
# check_layers.sh can fail: each case is a small source tree with one fault, which must be reported at the right place.
set -u
here=$(cd "$(dirname "$0")" && pwd)
trees=$(mktemp -d)
trap 'rm -rf "$trees"' EXIT
failures=0
case_number=0

# expect WHAT PATTERN FILE CONTENT: a tree holding only FILE with CONTENT; an empty PATTERN means that it must pass.
expect() {
  what="$1" pattern="$2" file="$3" content="$4"
  case_number=$((case_number + 1))
  tree="$trees/$case_number"
  mkdir -p "$tree/$(dirname "$file")"
  printf '%s\n' "$content" >"$tree/$file"
  mkdir -p "$tree/src/attend/core"
  [ -e "$tree/src/attend/core/version.h" ] || echo '#pragma once' >"$tree/src/attend/core/version.h"
  output=$("$here/check_layers.sh" "$tree" 2>&1)
  status=$?
  if [ -z "$pattern" ]; then
    [ $status -eq 0 ] && [ -z "$output" ] && return
  else
    [ $status -eq 1 ] && printf '%s\n' "$output" | grep -q "^$file:$pattern" && return
  fi
  printf 'FAILED: %s (exit status %d, expected %s)\n%s\n' "$what" "$status" "${pattern:-success}" "$output"
  failures=$((failures + 1))
}

expect "an include of a lower row passes" "" src/attend/ops/relu.cpp '#include "attend/tensor/tensor.h"'
expect "an include of the own layer passes" "" src/attend/ops/relu.cpp '#include "attend/ops/relu.h"'
expect "an include that points up fails" "2: includes upwards: tensor is on row 1, ops on row 4" src/attend/tensor/tensor.cpp '#include <vector>
#include "attend/ops/relu.h"'
expect "an include that points sideways fails" "1: includes sideways: nn and text are both on row 5" src/attend/nn/linear.h \
  '#include "attend/text/tokenizer.h"'
expect "angle brackets hide nothing" "1: includes upwards" src/attend/core/files/lines.h '#  include <attend/cli/program.h>'
expect "an include of an unknown layer fails" "1: includes .*not among the layers" src/attend/ops/relu.cpp '#include "attend/utils/strings.h"'
expect "an unknown folder fails" "1: the folder src/attend/utils is not among the layers" src/attend/utils/strings.h '#pragma once'
expect "Highway outside its folder fails" "1: includes <hwy/highway.h>: only backend/fast" src/attend/backend/backend.cpp \
  '#include <hwy/highway.h>'
expect "Highway in its folder passes" "" src/attend/backend/fast/rows/softmax.cpp '#include <hwy/highway.h>'
expect "Boost outside its folder fails" "1: includes <boost/asio.hpp>: only server/http" src/attend/server/jobs.cpp \
  '#include <boost/asio.hpp>'
expect "the reference kernels include no fast ones" "1: the reference kernels must not" src/attend/backend/reference/softmax.cpp \
  '#include "attend/backend/fast/softmax.h"'
expect "the folders of backend are private" "1: includes .*private" src/attend/ops/linear.cpp \
  '#include "attend/backend/cpu/packed_weights.h"'
expect "a relative include fails" '1: includes "relu.h": write project headers as' src/attend/ops/relu.cpp '#include "relu.h"'
expect "printing in the library fails" "1: prints or ends the process" src/attend/data/reader.cpp 'void f() { std::cerr << 1; }'
expect "exit in the library fails" "1: prints or ends the process" src/attend/data/reader.cpp 'void f() { exit(1); }'
expect "words in strings and comments do not count" "" src/attend/data/reader.cpp 'f("exit(1)");  // never exit()'
expect "a flag in a message of the library fails" "1: writes an option as a flag" src/attend/tasks/engine.cpp 'throw ConfigError("--beam-size: expected 1");'
expect "one within a message fails, too" "1: writes an option as a flag" src/attend/tasks/engine.cpp 'f("a", "lower it (--beam-size)");'
expect "a number counted down after a text passes" "" src/attend/tasks/engine.cpp 'for (int i = size("a"); i > 0; --i) f(i);'
expect "the command line may print" "" src/attend/cli/program.cpp 'void f() { answer("hello"); }'
expect "the command line prints in one way" "1: prints past cli/output.h" src/attend/cli/program.cpp 'void f() { fmt::print("hello"); }'
expect "JSON parsed without a bound fails" "1: parses JSON of any depth" src/attend/tasks/model.cpp 'auto j = nlohmann::json::parse(text);'
expect "the same through an alias fails" "1: parses JSON of any depth" src/attend/cli/info.cpp 'const Json j = Json::parse(text, nullptr, false);'
expect "JSON parsed in its place passes" "" src/attend/core/json/json.cpp 'auto j = Json::parse(text);'
expect "a public header of the standard library alone passes" "" include/attend/error.h '#include <string>'
expect "a public header that includes a layer fails" "1: includes \"attend/core/files/lines.h\": a public header" include/attend/error.h \
  '#include "attend/core/files/lines.h"'
expect "a public header that shows a library fails" "1: includes \"fmt/format.h\": a public header" include/attend/error.h '#include <fmt/format.h>'
expect "a public header that is not there fails" "1: includes \"attend/errors.h\", which include/attend does not have" src/attend/ops/relu.cpp \
  '#include "attend/errors.h"'
expect "a header of C passes with the standard library of C" "" include/attend/c/attend.h '#include <stdint.h>'
expect "a header of C that includes C++ fails" "1: includes \"string\": the headers of C" include/attend/c/attend.h '#include <string>'
expect "the interface of C uses options by name" "" src/attend/api/c/calls.cpp '#include "attend/core/options/option_fields.h"'
expect "the interface of C that looks inside fails" "1: includes \"attend/tasks/loaded_model.h\": the interface of C" src/attend/api/c/calls.cpp \
  '#include "attend/tasks/loaded_model.h"'
expect "a file of 401 lines fails" "401: is longer than 400 lines" src/attend/ops/relu.cpp "$(seq 401 | sed 's|^|// |')"
expect "a file of 400 lines passes" "" src/attend/ops/relu.cpp "$(seq 400 | sed 's|^|// |')"
build=$(sed -n 's/^ *\(attend_layer([a-z]*\).*/\1)/p' "$here/../../CMakeLists.txt")
expect "a list of all layers from low to high passes" "" CMakeLists.txt "$build"
expect "a layer that is not built fails" "1: does not build the layer ops" CMakeLists.txt "$(echo "$build" | grep -v ops)"
expect "a layer that is built too early fails" "[0-9]*: tensor is on a lower row than the layer before" CMakeLists.txt "$(echo "$build" | grep -v tensor)
attend_layer(tensor)"
expect "a layer that is not drawn fails" "[0-9]*: utils is not among the layers" CMakeLists.txt "$build
attend_layer(utils)"

if "$here/check_layers.sh" "$trees/absent" >/dev/null 2>&1; then
  echo "FAILED: a folder without sources must not pass"
  failures=$((failures + 1))
fi
echo "check_layers_test: $case_number trees, $failures failures"
[ $failures -eq 0 ]
