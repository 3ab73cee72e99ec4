#!/bin/sh
# The examples for clusters, with the wheel, Spark and Ray in a virtual environment. Needs Java, and PyPI or what pip is configured for.
# A test that is skipped fails here.
#   cluster_test.sh SOURCE_DIR WHEEL [PYTHON]
set -eu
source=$(realpath "${1:?usage: cluster_test.sh SOURCE_DIR WHEEL [PYTHON]}")
wheel=$(realpath "${2:?usage: cluster_test.sh SOURCE_DIR WHEEL [PYTHON]}")
python=${3:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel" pytest pyspark "ray[data]"
cd "$folder"
ATTEND_PROGRAM="$folder/venv/bin/attend" ATTEND_SOURCE="$source" PYTHONDONTWRITEBYTECODE=1 \
  venv/bin/python -m pytest -q -rs --rootdir "$source" "$source/tests/python/test_examples.py" -k 'spark or ray' >log 2>&1 || { cat log; exit 1; }
cat log
if grep -q skipped log; then exit 1; fi
echo "the examples for clusters work"
