#!/bin/sh
# The program as one file, in a root that has nothing else: tests/package/static_test.sh ATTEND
# It trains the demo's model, translates, and answers over HTTP. Needs root, for chroot.
set -eu
program=$(realpath "${1:?usage: static_test.sh ATTEND}")
[ "$(id -u)" -eq 0 ] || { echo "static_test: needs root, for chroot" >&2; exit 1; }
root=$(mktemp -d /tmp/attend-static.XXXXXX)
server=
trap 'umount "$root/proc" 2>/dev/null || true; [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$root"' EXIT
cp "$program" "$root/attend"
mkdir "$root/tmp" "$root/proc"

echo "== without any library"
if ldd "$program" 2>/dev/null | grep '=>'; then exit 1; fi
chroot "$root" /attend --version
echo "== attend demo"
chroot "$root" /attend demo --out /demo | grep 'BLEU on'
[ -s "$root/demo/attention.html" ]
echo "The old dog sleeps." | chroot "$root" /attend translate /demo/run | grep .
echo "== attend serve"
chroot "$root" /attend serve /demo/run --listen 127.0.0.1:0 >"$root/served" 2>&1 &
server=$!
for try in $(seq 100); do
  grep -q 'listening on' "$root/served" && break
  sleep 0.1
done
port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' "$root/served")
curl --silent --fail "http://127.0.0.1:$port/translate" -d q="The old dog sleeps." -d source=en -d target=de | grep translatedText
