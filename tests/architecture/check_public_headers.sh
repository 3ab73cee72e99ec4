#!/bin/sh
# Every header of include/attend compiles alone, with nothing but that folder to look in, and with the strictest warnings.
# Usage: check_public_headers.sh ROOT COMPILER
set -eu
root=$1
compiler=$2
for header in "$root"/include/attend/*.h; do
  printf '#include <attend/%s>\n' "$(basename "$header")" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$root/include" -x c++ -
done
