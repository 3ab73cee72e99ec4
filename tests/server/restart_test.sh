#!/usr/bin/env bash
# A server of a model of 60 MB that is killed with SIGKILL is there again in a moment, with the same answers. Prints how long it took; fails
# after SECONDS (10), which leave time for whatever else the machine does.
#
#   restart_test.sh ATTEND [SECONDS]
set -euo pipefail

attend=$1 seconds=${2:-10}
folder=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
for i in 1 2 3 4; do
  printf 'The old dog sees the cat.\nA cat eats the fish.\n' >>train.en
  printf 'Der alte Hund sieht die Katze.\nEine Katze frisst den Fisch.\n' >>train.de
done
# Made up: one step of training.
"$attend" train translation --src-train train.en --tgt-train train.de --vocab-size 40 --d-model 256 --n-heads 4 --d-ff 1792 \
  --n-encoder-layers 6 --n-decoder-layers 6 --max-steps 1 --valid-every 0 --save-every 0 --out en-de >log 2>&1 || { cat log; exit 1; }
bytes=$(stat -c %s en-de/model.safetensors)
[ "$bytes" -gt 60000000 ] || { echo "the model has only $bytes bytes"; exit 1; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for turn in 1 2 3 4; do
  begun=$(date +%s.%N)
  "$attend" serve en-de --listen "127.0.0.1:$port" --no-access-log 2>serve.log &
  server=$!
  python3 - "$port" "$turn" "$seconds" "$bytes" "$begun" <<'END'
import json, sys, time, urllib.request

port, turn, most, size, begun = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
url = f"http://127.0.0.1:{port}"
while True:
    try:
        urllib.request.urlopen(url + "/ready", timeout=most).read()
        break
    except OSError:
        assert time.time() < begun + most, f"not ready after {most} seconds"
        time.sleep(0.002)
ready = time.time() - begun
body = json.dumps({"q": "The old dog sees the cat.", "source": "en", "target": "de"}).encode()
request = urllib.request.Request(url + "/translate", body, {"Content-Type": "application/json"})
answer = urllib.request.urlopen(request, timeout=60).read()
if turn == 1:
    open("answer", "wb").write(answer)
else:
    print(f"{size / 1e6:.0f} MB: ready {ready:.2f} s after it was killed and started again")
    assert answer == open("answer", "rb").read(), answer
END
  kill -9 "$server"
  wait "$server" 2>/dev/null || true
  server=
done
