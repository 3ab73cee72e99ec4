#!/bin/sh
# Models that CTranslate2's converters have written, beside CTranslate2: ctranslate2_test.py; those that attend exports:
# ctranslate2_export_test.py. Skipped (77) without it.
#   ctranslate2_test.sh SOURCE_DIR ATTEND [NAME...]
# ATTEND_PYTHON: a Python that has ctranslate2 and transformers; by default python3.
set -eu
source=$1 attend=$2 python=${ATTEND_PYTHON:-python3}
"$python" -c 'import ctranslate2, transformers, torch, sentencepiece' 2>/dev/null || {
  echo "skipped: $python has no ctranslate2, transformers, torch and sentencepiece"
  exit 77
}
shift 2
"$python" "$source/tests/interchange/ctranslate2_test.py" "$source" "$attend" "$@"
"$python" "$source/tests/interchange/ctranslate2_export_test.py" "$source" "$attend" "$@"
