#!/bin/sh
# Compares imported tokenizers with the programs that they come from, before a release: random tokenizers, patterns and directories. Fails on any
# difference, and where less than half of the texts could be compared. PYTHON has the packages tokenizers, transformers, sentencepiece, protobuf.
#   PYTHON=python3 tools/fuzz_all_tokenizers.sh build/release [TEXTS [SEED]]
set -u
build="${1:?usage: fuzz_all_tokenizers.sh BUILD [TEXTS [SEED]]}"
texts="${2:-100000}"
seed="${3:-1}"
python="${PYTHON:-python3}"
tools=$(cd "$(dirname "$0")" && pwd)
failed=0

"$python" "$tools/fuzz_tokenizers.py" --texts "$texts" --seed "$seed" "$build/tests/test_interchange" || failed=1
"$python" "$tools/fuzz_patterns.py" --patterns $((texts / 20)) --seed "$seed" "$build/tests/test_text" || failed=1
"$python" "$tools/fuzz_tokenizer_directories.py" --directories $((texts / 200)) --seed "$seed" "$build/tests/test_interchange" || failed=1
exit $failed
