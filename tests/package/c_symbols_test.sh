#!/bin/sh
# The interface of C has what it promises: libattend.so exports the functions of c_symbols.txt beside this script, and no other
# with their prefix; they are those that the header declares and docs/c.md lists. A function is never taken from the list
# within a major version.
# Usage: c_symbols_test.sh ROOT LIBRARY
set -eu
root=$1 library=$2
list=$root/tests/package/c_symbols.txt
header=$root/include/attend/c/attend.h
page=$root/docs/c.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

compare() {
  diff "$list" "$work/found" >"$work/diff" && return
  echo "$1 does not have the functions of $list:"
  grep '^[<>]' "$work/diff"
  failed=1
}

nm -D --defined-only "$library" | awk '$3 ~ /^attend_/ { print $3 }' | LC_ALL=C sort >"$work/found"
compare "$library"
sed 's|//.*||' "$header" | grep -v typedef | grep -o 'attend_[a-z_]*(' | tr -d '(' | LC_ALL=C sort -u >"$work/found"
compare "$header"
sed -n '/^## Functions/,$p' "$page" | grep '^|' | grep -o '`attend_[a-z_]*`' | tr -d '`' | LC_ALL=C sort >"$work/found"
compare "$page"

awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" | cmp - "$root/examples/c/translate.c" ||
  { echo "$page does not show examples/c/translate.c"; failed=1; }
exit $failed
