#!/bin/sh
# The predicted tables of docs/scale.md are those that bench/predict_scaling.py prints.
# Usage: predicted_scaling.sh ROOT
set -eu
root=${1:?usage: predicted_scaling.sh ROOT}
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
python3 "$root/bench/predict_scaling.py" | while IFS= read -r line; do
  grep -qxF -e "$line" "$root/docs/scale.md" || { echo "docs/scale.md lacks: $line" >&2; exit 1; }
done
# A network that costs nothing, and one that takes as long as the computation.
python3 "$root/bench/predict_scaling.py" 1000000 1000 1000 1e9 0 | grep -F "| 4 | 4,000 (100%; 100%)" >/dev/null
python3 "$root/bench/predict_scaling.py" 1000000 1000 1000 0.032 0 | grep -F "| 2 | 1,000 (50%; 50%)" >/dev/null
