#!/usr/bin/env bash
# More clients than a server can serve, for SECONDS (60): see overload_test.py. The suite runs 6 seconds.
#
#   overload_test.sh ROOT ATTEND [SECONDS]
set -euo pipefail

root=$1 attend=$2 seconds=${3:-60}
serve_options="--max-tokens-in-queue 200" size="--d-model 384 --n-heads 4 --d-ff 1536"
. "$root/tests/server/small_models.sh"
python3 "$root/tests/server/overload_test.py" "$attend" "$url" "$server" "$seconds"

# Killed, it is soon there again.
kill -9 "$server"
wait "$server" 2>/dev/null || true
"$attend" serve en-de lm films vectors.safetensors --listen "${url#http://}" --threads 1 --no-access-log 2>serve.log &
server=$!
python3 - "$url" <<'END'
import sys, time, urllib.request
begun = time.monotonic()
while True:
    try:
        urllib.request.urlopen(sys.argv[1] + "/ready").read()
        break
    except OSError:
        assert time.monotonic() < begun + 20, "not ready after 20 seconds"
        time.sleep(0.005)
print(f"ready {time.monotonic() - begun:.2f} s after it was killed and started again")
END
