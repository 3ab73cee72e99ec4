#!/bin/sh
# attend as a subproject, with nothing set: tests/package/subproject_test.sh SOURCE [build]
# Configures it without CLI11 and checks the compile commands; with `build` also builds and runs it (minutes).
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure() {
  cmake -S "$source/tests/package/subproject" -B "$@" -DATTEND="$source" -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON \
    -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
commands_for() { grep '"command"' "$1/compile_commands.json" | grep "$2"; }

for type in "" Debug; do
  echo "== build type '${type:-none}'"
  configure "$work/foreign$type" ${type:+-DCMAKE_BUILD_TYPE=$type}
  commands="$work/foreign$type"
  # Optimized and in unity, whatever the enclosing project does; that project gets only C++20.
  commands_for "$commands" attend_tasks | grep -q 'unity_0' || { echo "attend is not built in unity"; exit 1; }
  if commands_for "$commands" 'attend_[a-z]*\.dir' | grep -v -e ' -O[23]'; then echo "compiled without optimization"; exit 1; fi
  commands_for "$commands" main.cpp | grep -qE -e '-std=(c|gnu)\+\+20' || { echo "the project does not get C++20"; exit 1; }
  if commands_for "$commands" main.cpp | grep -e ' -O[23]' -e '-Wconversion' -e '/src '; then echo "attend's flags leak"; exit 1; fi
  if grep -q 'attend_cli\|attend_lab\|gtest' "$commands/compile_commands.json"; then echo "more than the library is built"; exit 1; fi
done

[ "${2:-}" = build ] || exit 0
echo "== build and run"
cmake --build "$work/foreign" --parallel "$(nproc)" >"$work/log" 2>&1 || { tail -50 "$work/log"; exit 1; }
"$work/foreign/foreign" | grep '^attend .*, BLEU 100$'
