#!/bin/sh
# check_pages.sh and run_commands.sh can fail: each case is a copy of the pages with one fault, which they must name.
# Usage: checks_can_fail.sh ROOT ATTEND
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:?usage: checks_can_fail.sh ROOT ATTEND}" && pwd)
attend="${2:?usage: checks_can_fail.sh ROOT ATTEND}"
trees=$(mktemp -d)
trap 'rm -rf "$trees"' EXIT
cases=0 failures=0

# expect WHAT PATTERN FILE LINE: with LINE appended to FILE, the output must have PATTERN.
expect() {
  cases=$((cases + 1))
  tree=$trees/$cases
  mkdir -p "$tree/src/attend"
  cp -r "$root"/*.md "$root/docs" "$root/include" "$root/examples" "$root/recipes" "$root/LICENSE" "$tree"
  cp -r "$root/src/attend/." "$tree/src/attend"
  printf '%s\n' "$4" >>"$tree/$3"
  case "$1" in
    command*) output=$("$here/run_commands.sh" "$tree" "$attend" "$3" 2>&1) ;;
    *option* | *default*) output=$("$here/check_pages.sh" "$tree" "$attend" 2>&1) ;;
    *) output=$("$here/check_pages.sh" "$tree" 2>&1) ;;
  esac
  status=$?
  [ $status -eq 1 ] && printf '%s\n' "$output" | grep -q "$2" && return
  printf 'FAILED: %s (exit status %d, expected %s)\n%s\n' "$1" $status "$2" "$output"
  failures=$((failures + 1))
}

expect "a link to a missing file" 'docs/cpp.md:.*links to nowhere.md, which does not exist' docs/cpp.md '[x](nowhere.md)'
expect "a link to a missing heading" 'README.md:.*no such heading' README.md '[x](docs/cpp.md#no-such-heading)'
expect "an option that no command has" 'README.md:.*no command has the option --no-such-thing' README.md 'Use `--no-such-thing`.'
expect "an option of another program as ours" 'marian.md:.*no command has the option --theirs' docs/migration/marian.md '| `--quiet` | `--theirs` | |'
expect "a default that is not one" 'README.md:.*no command has the default 77 for --window' README.md '`--window` (77)'
expect "a long line" 'README.md:.*has 101 columns' README.md "$(printf '%0101d' 0)"
expect "a page that no links lead to" 'docs/lost.md: no links lead here' docs/lost.md '# Lost'
expect "a README that is too long" 'README.md: has [0-9]* lines' README.md "$(yes more | head -n 150)"
expect "a name that a source lacks" 'docs/cpp.md:.*has no conv2d' docs/cpp.md '[`conv2d`](../src/attend/ops/linear.cpp)'
expect "a quotation that a source lacks" 'docs/cpp.md:.*is not what src/attend/ops/linear.cpp has' docs/cpp.md \
  "$(printf '<!-- from: src/attend/ops/linear.cpp -->\n```cpp\nVariable conv2d();\n```')"
expect "a step through the paper without a picture" 'paper.md:.*this step needs a formula, quoted code and a picture' docs/tutorials/paper.md \
  "$(printf '## 11. More\n\n```\nx = 1\n```\n\n<!-- from: src/attend/ops/linear.cpp -->\n```cpp\nVariable linear\n```')"
expect "a number of kernels" 'ARCHITECTURE.md:.*states another number of kernels' ARCHITECTURE.md 'There are 3 kernels.'
expect "command that fails" 'FAILED: docs/cpp.md' docs/cpp.md "$(printf '<!-- world: lm -->\n```sh\nattend info absent.safetensors\n```')"

echo "checks_can_fail: $cases cases, $failures failures"
[ $failures -eq 0 ]
