#!/bin/sh
# Fails if the map of ARCHITECTURE.md names a file or folder that exists neither under src/attend nor from the root, or does
# not reach a folder of src/attend with sources; or if docs/cpp.md does not list every public header.
# Usage: check_map.sh ROOT
set -eu
cd "${1:?usage: check_map.sh ROOT}"
missing=0
complain() {
  echo "$1"
  missing=$((missing + 1))
}
mapped=$(sed -n '/^## Where to find it/,/^## /p' ARCHITECTURE.md | grep '^|' | grep -o '`[a-z0-9_]*/[a-z0-9_/.-]*`' | tr -d '`')
for path in $mapped; do
  [ -e "src/attend/$path" ] || [ -e "$path" ] || complain "ARCHITECTURE.md: $path does not exist, neither under src/attend nor from the root"
done
for folder in $(find src/attend -name '*.h' | sed 's|^src/attend/||; s|/[^/]*$||' | sort -u); do
  printf '%s\n' "$mapped" | grep -q "^$folder/" || complain "ARCHITECTURE.md: the map reaches no file of $folder"
done
for header in include/attend/*.h; do
  grep -q "](../$header)" docs/cpp.md || complain "docs/cpp.md: $header is missing"
done
[ $missing -eq 0 ]
