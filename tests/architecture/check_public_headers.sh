#!/bin/sh
# Every header of include/attend compiles alone, with nothing but that folder to look in, and with the strictest warnings; those
# of its folder c as C, by GCC and clang where they are installed, and as C++.
# Usage: check_public_headers.sh ROOT COMPILER
set -eu
root=$1
compiler=$2
for header in "$root"/include/attend/*.h; do
  printf '#include <attend/%s>\n' "$(basename "$header")" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$root/include" -x c++ -
done

strict="-fsyntax-only -Wall -Wextra -pedantic -Wshadow -Wconversion -Wstrict-prototypes -Werror -I $root/include"
for header in "$root"/include/attend/c/*.h; do
  line="#include <attend/c/$(basename "$header")>"
  for c in cc gcc clang clang-14 clang-16; do
    ! command -v $c >/dev/null || for standard in c99 c11; do echo "$line" | $c -std=$standard $strict -x c -; done
  done
  echo "$line" | "$compiler" -std=c++11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$root/include" -x c++ -
done
