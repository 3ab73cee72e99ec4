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
# A second translator, to compare with the first, one without a figure, and a classifier with a layer before its output.
more_models() {
  # shellcheck disable=SC2086  # several words
  "$attend" train translation $small --preset base --n-encoder-layers 1 --n-decoder-layers 2 --vocab-size 60 --src-train train.en --tgt-train train.de \
    --valid-every 0 --seed 2 --out other >log 2>&1
  "$attend" train translation --arch rnn --d-model 16 --max-steps 2 --batch-tokens 64 --threads 1 --vocab-size 60 --src-train train.en --tgt-train train.de \
    --valid-every 0 --out recurrent >log 2>&1
  # shellcheck disable=SC2086
  "$attend" train classification $small --n-encoder-layers 2 --vocab-size 20 --train train.tsv --pooling mean --head tanh --max-epochs 0 --out tones >log 2>&1
  for i in 1 2 3 4 5 6; do printf 'القط يرى الكلب.\nالكلب ينام.\n'; done >train.ar
  # shellcheck disable=SC2086
  "$attend" train lm $small --n-layers 1 --sequence-length 32 --tokenizer word --vocab-size 9 --train train.ar --out right >log 2>&1
  serve_options="other recurrent tones"
}
. "$root/tests/server/small_models.sh"
"$python" "$root/tests/server/page_test.py" "$url" "$screenshots"
# write NAME MODEL TEXT...: a page and what is printed of it
write() { "$attend" attention "${@:2}" --out "$1.html" --format json >"$1.json" 2>log; }
write attention en-de "The old dog sees the cat."
write given en-de "The old dog sees the cat." --target "Der Hund." --importance
write cut en-de "The old dog sees the cat." --min-length 3 --max-length 3
write recurrent recurrent "The old dog sees the cat."
write lm lm "The old dog sleeps."
write right right "القط يرى الكلب."
write why films "A <good> film." --why
write vectors vectors.safetensors "The dog"
for room in maps words beside export access figure recorded; do
  "$python" "$root/tests/server/explore_${room}_test.py" "$url" "$screenshots" "$folder/attention.html"
done
