#!/bin/sh
# The wheel and what it needs, apart from all else, with each interpreter that is given: imports quickly, is the program, and trains
# and uses a model. Needs PyPI, or what pip is configured for, for NumPy and nanobind-backend.
#   wheel_test.sh WHEEL [PYTHON ...]
# The wheel of another processor runs in the emulated interpreter that tools/make_wheel.sh leaves in build.
set -eu
wheel=$(realpath "${1:?usage: wheel_test.sh WHEEL [PYTHON ...]}")
shift
processor=$(basename "$wheel" .whl | sed 's/.*-manylinux_[0-9]*_[0-9]*_//')
emulated=
if [ "$processor" != "$(uname -m)" ]; then
  emulated=$(cd "$(dirname "$0")/../.." && pwd)/build/wheel-$processor/python
  [ $# -gt 0 ] || set -- "$emulated"
fi
[ $# -gt 0 ] || set -- python3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Its name says for which systems it is, and the module needs no more than they have. Exceptions pass between it and
# nanobind-backend, so what throws and catches them is not in the module.
echo "$wheel" | grep -q -- '-cp310-abi3-manylinux_2_28_' || { echo "wheel_test: another platform than manylinux_2_28" >&2; exit 1; }
python3 -m zipfile -e "$wheel" unpacked
module=$(echo unpacked/attend/_attend*.so)
foreign=$(readelf -d "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so\.[0-9]+|ld-linux-.*)$' || true)
newest=$(readelf -V "$module" | grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
[ -z "$foreign" ] || { echo "wheel_test: needs $foreign" >&2; exit 1; }
[ "$(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || { echo "wheel_test: needs $newest" >&2; exit 1; }
# Without a version, a name is found in a newer library, and the loader says nothing before it is missing.
unknown=$(readelf --dyn-syms --wide "$module" | awk '$7 == "UND" && $5 != "WEAK" && $8 != "" && $8 !~ /@/ && $8 !~ /^_?Py/ { print $8 }')
[ -z "$unknown" ] || { echo "wheel_test: nothing has" $unknown >&2; exit 1; }
for name in __cxa_throw __cxa_begin_catch __gxx_personality_v0 _ZSt19uncaught_exceptionsv; do
  readelf --dyn-syms --wide "$module" | grep -qE " UND $name@" || { echo "wheel_test: has a $name of its own" >&2; exit 1; }
done

for python in "$@"; do
  rm -rf venv packages run
  if [ -n "$emulated" ]; then
    # A virtual environment would have to start programs of that processor.
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    PYTHONPATH= python3 -m pip install --quiet --disable-pip-version-check --target packages --only-binary :all: \
      --platform "manylinux_2_28_$processor" --python-version "$version" "$wheel"
    export PYTHONPATH="$folder/packages"
    program="$python -m attend"
  else
    "$python" -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check "$wheel"
    program=venv/bin/attend python=venv/bin/python
  fi
  $program --version | sed -n '/^attend [0-9]/p; /^in use: /p' | grep -c . | grep -qx 2
  "$python" - <<'PYTHON'
import platform, sys, time

begin = time.perf_counter()
import attend

print(f"Python {sys.version.split()[0]}, {platform.machine()}: import in {1000 * (time.perf_counter() - begin):.0f} ms")
model = attend.train_lm(out="run", lines=["the dog sleeps", "a cat eats"] * 20, vocab_size=30, d_model=16, n_heads=2,
                        d_ff=32, n_layers=1, sequence_length=8, max_steps=3, save_every=0)
assert isinstance(model.generate("the", max_tokens=3).text, str)
assert attend.Embedder("run").encode(["a dog"]).shape == (1, 16)
PYTHON
done
echo "the wheel works"
