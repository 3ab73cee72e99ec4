#!/bin/sh
# attend in Node, and in Chromium and Firefox where they are installed, beside the program: translations, classes, vectors, texts and explanations, which must
# have equal bits. The program computes with vectors of four numbers, too (ATTEND_INSTRUCTIONS=SSE4), because sums depend on their order.
# Usage: browser_test.sh ROOT ATTEND [MODEL SOURCES], for a translator and a file of sentences instead of a demo of its own
set -eu
root=$(realpath "$1")
attend=$(realpath "$2")
model=${3:+$(realpath "$3")}
sources=${4:+$(realpath "$4")}
script=$root/build/wasm/attend.js
if ! [ -e "$script" ]; then
  echo "skipped: \`make wasm\` builds what this compares, with Debian's emscripten"
  exit 77
fi
command -v node >/dev/null || { echo "skipped: there is no node"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
case $("$attend" --version) in
  *SSE4*) export ATTEND_INSTRUCTIONS=SSE4 ;;
  *) echo "skipped: this processor has no vectors like those of browsers"; exit 77 ;;
esac

if [ -z "$model" ]; then
  "$attend" demo --out demo >demo.log 2>&1 || { cat demo.log; exit 1; }
  # Its page can be sent by mail.
  if [ -e "$root/build/wasm/page/attend.js" ]; then
    "$attend" page demo/run --engine "$root/build/wasm/page" --out page.html >demo.log
    [ "$(wc -c <page.html)" -lt 4000000 ] || { echo "the page of the demo has $(wc -c <page.html) bytes, more than 4,000,000"; exit 1; }
  fi
  model=demo/run/model.safetensors sources=demo/corpus/test.en
fi
cp "$model" translator.safetensors
head -n 500 "$sources" >sources
"$attend" translate translator.safetensors --n-best 2 --format json <sources >translations
"$attend" explain translator.safetensors "$(head -n 1 sources)" --position 1 --format json >explanation

# The texts of the classifier and of the writer
awk 'BEGIN {
  seed = 1
  split("good fine lovely great", good); split("bad poor awful boring", bad); split("film book play song", thing)
  for (i = 0; i < 200; ++i) {
    seed = (seed * 16807) % 2147483647; is_good = seed % 2
    seed = (seed * 16807) % 2147483647; a = 1 + seed % 4
    seed = (seed * 16807) % 2147483647; b = 1 + seed % 4
    print (is_good ? "positive" : "negative") "\tthe " thing[a] " was " (is_good ? good[b] : bad[b])
  }
}' >labeled
cut -f2 labeled >lines
head -n 20 lines >texts
small="--vocab-size 60 --d-model 32 --n-heads 4 --d-ff 64 --max-steps 30"
"$attend" train classification --train labeled --out classifier $small >train.log 2>&1 || { cat train.log; exit 1; }
"$attend" train lm --train lines --out writer $small >train.log 2>&1 || { cat train.log; exit 1; }
cp classifier/model.safetensors classifier.safetensors
cp writer/model.safetensors writer.safetensors
"$attend" classify classifier.safetensors --format json <texts >classes
"$attend" embed classifier.safetensors <texts >vectors
"$attend" generate writer.safetensors --prompt 'the ' --temperature 0.8 --seed 3 --max-tokens 30 --format json >written

node "$root/tests/browser/node_test.js" "$script" . "$attend"
if command -v chromium >/dev/null; then
  node "$root/tests/browser/chromium_test.js" "$script" .
else
  echo "there is no chromium: one file is not tried"
fi
for browser in chromium firefox-esr; do
  command -v $browser >/dev/null || { echo "there is no $browser: threads are not tried in it"; continue; }
  if [ -e "$root/build/wasm/attend-threads.js" ]; then
    node "$root/tests/browser/threads_test.js" "$script" . ${browser%-esr}
  fi
done
