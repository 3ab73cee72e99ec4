#!/bin/sh
# Models with other settings and tensors than usual, beside transformers: variants_test.py. Skipped (77) without transformers.
#   variants_test.sh SOURCE_DIR ATTEND
# ATTEND_PYTHON: a Python that has transformers; by default python3.
set -eu
source=$1 attend=$2 python=${ATTEND_PYTHON:-python3}
"$python" -c 'import transformers, torch, sentencepiece, safetensors' 2>/dev/null || {
  echo "skipped: $python has no transformers, torch, sentencepiece and safetensors"
  exit 77
}
exec "$python" "$source/tests/interchange/variants_test.py" "$source" "$attend"
