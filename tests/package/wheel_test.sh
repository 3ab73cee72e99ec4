#!/bin/sh
# The wheel in empty virtual environments, of each interpreter that is given: installs, imports quickly, is the program, and
# trains and uses a model. Needs PyPI, or what pip is configured for, for NumPy and nanobind-backend.
#   wheel_test.sh WHEEL [PYTHON ...]
set -eu
wheel=$(realpath "${1:?usage: wheel_test.sh WHEEL [PYTHON ...]}")
shift
[ $# -gt 0 ] || set -- python3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

for python in "$@"; do
  rm -rf venv run
  "$python" -m venv venv
  venv/bin/pip install --quiet --disable-pip-version-check "$wheel"
  venv/bin/attend --version | grep -q '^attend [0-9]'
  venv/bin/python - <<'PYTHON'
import sys, time

begin = time.perf_counter()
import attend

print(f"Python {sys.version.split()[0]}: import in {1000 * (time.perf_counter() - begin):.0f} ms")
model = attend.train_lm(out="run", lines=["the dog sleeps", "a cat eats"] * 20, vocab_size=30, d_model=16, n_heads=2,
                        d_ff=32, n_layers=1, sequence_length=8, max_steps=3, save_every=0)
assert isinstance(model.generate("the", max_tokens=3).text, str)
assert attend.Embedder("run").encode(["a dog"]).shape == (1, 16)
PYTHON
done
echo "the wheel works"
