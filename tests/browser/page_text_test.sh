#!/bin/sh
# What pages read of the bytes in them, in Node.
# Usage: page_text_test.sh ROOT
set -eu
command -v node >/dev/null || { echo "skipped: there is no node"; exit 77; }
node "$1/tests/browser/page_text_test.js" "$1"
