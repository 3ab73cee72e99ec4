#!/bin/sh
# Fails if the map of ARCHITECTURE.md names a file or folder that exists neither under src/attend nor from
# the root, or if docs/cpp.md does not list every public header.
# Usage: check_map.sh ROOT
set -eu
cd "${1:?usage: check_map.sh ROOT}"
missing=0
for path in $(sed -n '/^## Where to find it/,/^## /p' ARCHITECTURE.md | grep '^|' | grep -o '`[a-z0-9_]*/[a-z0-9_/.]*`' | tr -d '`'); do
  [ -e "src/attend/$path" ] || [ -e "$path" ] || {
    echo "ARCHITECTURE.md: $path does not exist, neither under src/attend nor from the root"
    missing=$((missing + 1))
  }
done
for header in include/attend/*.h; do
  grep -q "](../$header)" docs/cpp.md || {
    echo "docs/cpp.md: $header is missing"
    missing=$((missing + 1))
  }
done
[ $missing -eq 0 ]
