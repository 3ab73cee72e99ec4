#!/usr/bin/env bash
# The pages of a server in headless Chromium: every job and every view of the explorer once, on a desktop and on a phone. Skipped, with exit status 77, without
# chromium, its driver or selenium. Screenshots go to FOLDER.
#
#   page_test.sh ROOT ATTEND CACHE FOLDER
set -euo pipefail

root=$1 attend=$2 cache=$3 screenshots=$4
python=$cache/bin/python

if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then
  echo "skipped: chromium and chromium-driver are not installed"
  exit 77
fi
if ! [ -e "$cache/installed" ]; then
  if ! python3 -m venv "$cache" || ! timeout 300 "$python" -m pip install --quiet --disable-pip-version-check selenium; then
    echo "skipped: selenium cannot be installed from PyPI"
    exit 77
  fi
  touch "$cache/installed"
fi

mkdir -p "$screenshots"
# A second translator, to compare with the first.
more_models() {
  # shellcheck disable=SC2086  # several words
  "$attend" train translation $small --preset base --n-encoder-layers 1 --n-decoder-layers 2 --vocab-size 60 --src-train train.en --tgt-train train.de \
    --valid-every 0 --seed 2 --out other >log 2>&1
  serve_options=other
}
. "$root/tests/server/small_models.sh"
"$python" "$root/tests/server/page_test.py" "$url" "$screenshots"
"$attend" attention en-de "The old dog sees the cat." --out attention.html >log 2>&1
for room in maps words beside export access figure; do
  "$python" "$root/tests/server/explore_${room}_test.py" "$url" "$screenshots" "$folder/attention.html"
done
