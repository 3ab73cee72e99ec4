#!/bin/sh
# Fails, naming both places, if two types of one namespace have the same name. The linker keeps one of the two std::vector of
# them for both, without a word. Anonymous namespaces and types within types do not count.
# Usage: check_names.sh ROOT
set -eu
cd "${1:?usage: check_names.sh ROOT}"
# Files named -inl.h are compiled once per set of instructions, in namespaces of their own.
awk '
FNR == 1 { space = ""; hidden = 0 }
/^namespace \{/ { hidden = 1 }
/^}  \/\/ namespace$/ { hidden = 0 }
/^namespace [a-z_:]+ \{/ { space = $2 }
!hidden && /^(struct|class|enum class|union) [A-Za-z0-9_]+ .*\{/ {
  name = $1 == "enum" ? $3 : $2
  key = space "::" name
  if (key in places && index(places[key], FILENAME ":") != 1) {
    printf "%s:%d: %s is in %s, too\n", FILENAME, FNR, key, places[key]
    failed = 1
  }
  places[key] = FILENAME ":" FNR
}
END { exit failed }' $(find include src/attend \( -name '*.h' -o -name '*.cpp' \) ! -name '*-inl.h' | sort)
