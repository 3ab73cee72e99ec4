#!/bin/sh
# GGUF files beside llama.cpp: gguf_test.py. Skipped (77) without it.
#   gguf_test.sh SOURCE_DIR ATTEND [NAME...]
# ATTEND_PYTHON: a Python that has gguf, llama-cpp-python and sentencepiece; by default python3.
set -eu
source=$1 attend=$2 python=${ATTEND_PYTHON:-python3}
"$python" -c 'import gguf, llama_cpp, sentencepiece' 2>/dev/null || {
  echo "skipped: $python has no gguf, llama_cpp and sentencepiece"
  exit 77
}
shift 2
exec "$python" "$source/tests/interchange/gguf_test.py" "$source" "$attend" "$@"
