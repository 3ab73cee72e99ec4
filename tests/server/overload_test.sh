#!/usr/bin/env bash
# More clients than a server can serve, for SECONDS (60): see overload_test.py. The suite runs 6 seconds.
#
#   overload_test.sh ROOT ATTEND [SECONDS]
set -euo pipefail

root=$1 attend=$2 seconds=${3:-60}
serve_options="--max-tokens-in-queue 1500" size="--d-model 384 --n-heads 4 --d-ff 1536"
. "$root/tests/server/small_models.sh"
python3 "$root/tests/server/overload_test.py" "$attend" "$url" "$server" "$seconds"
