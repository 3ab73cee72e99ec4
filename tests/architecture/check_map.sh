#!/bin/sh
# ARCHITECTURE.md is always true: fails when its map names a file or a folder that does not exist.
# Usage: check_map.sh ROOT
set -eu
cd "${1:?usage: check_map.sh ROOT}"
missing=0
for path in $(sed -n '/^## Where to find it/,/^## /p' ARCHITECTURE.md | grep '^|' | grep -o '`[a-z0-9_]*/[a-z0-9_/.]*`' | tr -d '`'); do
  [ -e "src/attend/$path" ] || {
    echo "ARCHITECTURE.md: src/attend/$path does not exist"
    missing=$((missing + 1))
  }
done
[ $missing -eq 0 ]
