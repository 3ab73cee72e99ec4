#!/bin/sh
# The page of `attend page` in headless Chromium, and in Firefox where it is installed, beside what the program says of the same models with vectors of four numbers, as browsers have them.
# Usage: page_test.sh ROOT ATTEND [SCREENSHOTS]
set -eu
root=$(realpath "$1")
attend=$(realpath "$2")
screenshots=${3:+$(mkdir -p "$3" && realpath "$3")}
[ -e "$root/build/wasm/page/attend.js" ] || { echo "skipped: \`make wasm\` builds the engine of the page, with Debian's emscripten"; exit 77; }
for program in node chromium; do
  command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
case $("$attend" --version) in
  *SSE4*) export ATTEND_INSTRUCTIONS=SSE4 ;;
  *) echo "skipped: this processor has no vectors like those of browsers"; exit 77 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# quiet COMMAND...: says what it printed only if it fails
quiet() { "$@" >log 2>&1 || { cat log; exit 1; }; }

printf 'The old dog sees the cat.\n' >text
# Examples that pages, arguments and addresses must leave as they are.
printf 'The cat\nsees & eats the fish.' >lines
printf '%s' '"The" </script><!-- <b>dog</b> {{text}} '"'sees'"' + 100%% #a?b=c\' >marks
printf 'القط يرى الكلب. שלום 👩‍👩‍👧 é ｃａｔ नमस्ते' >scripts
{ printf 'The dog sees the '; for i in $(seq 200); do printf 'жук'; done; printf ' and the cat.'; } >long
for i in 1 2 3 4 5 6 7 8; do
  printf 'The old dog sees the cat.\nA cat eats the fish.\nThe dog sleeps.\nThe cat sees a fish.\n' >>train.en
  printf 'Der alte Hund sieht die Katze.\nEine Katze frisst den Fisch.\nDer Hund schläft.\nDie Katze sieht einen Fisch.\n' >>train.de
  printf 'good\tA good film.\nbad\tA bad film.\n' >>train.tsv
  printf 'Anna B-PER\nsees O\nParis B-LOC\n\nParis B-LOC\nsleeps O\n\n' >>tags.conll
done
small="--d-model 16 --n-heads 2 --d-ff 16 --batch-tokens 64 --learning-rate 0.02 --warmup-steps 10 --max-steps 60 --threads 1"
translation="translation $small --n-encoder-layers 1 --n-decoder-layers 1 --vocab-size 60 --src-train train.en --tgt-train train.de --valid-every 0"
quiet "$attend" train $translation --out en-de
quiet "$attend" train $translation --seed 2 --out other
quiet "$attend" train lm $small --n-layers 1 --sequence-length 64 --vocab-size 40 --train train.en --out writer
quiet "$attend" train classification $small --n-encoder-layers 1 --vocab-size 20 --train train.tsv --out classifier
quiet "$attend" train tagging $small --n-encoder-layers 1 --tokenizer word --vocab-size 8 --train tags.conll --out tagger
quiet "$attend" import "$root/tests/interchange/data/models/bert_sentences" --out vectors.safetensors
for model in writer classifier tagger; do cp $model/model.safetensors $model.safetensors; done
quiet "$attend" quantize other --out second.safetensors
quiet "$attend" quantize en-de --out small.safetensors

quiet "$attend" page en-de --text "$(cat text)" "$(cat lines)" "$(cat marks)" "$(cat scripts)" "$(cat long)" --engine "$root/build/wasm/page" --out page.html
# attention MODEL TEXT OPTION...: the translation, and its log-probability in a pass over all of it, as the explorer has it (with 8 bits, the search
# rounds elsewhere)
attention() {
  model=$1 text=$2
  shift 2
  target=$("$attend" attention "$model" "$text" "$@" | head -n 1)
  "$attend" attention "$model" "$text" --target "$target" --format json "$@"
}
attention small.safetensors "$(cat text)" --importance >attention.json
attention small.safetensors "$(cat text)" --heads-off encoder.layers.0.self_attn:0 decoder.layers.0.cross_attn >off.json
attention small.safetensors 'The old cat sleeps.' >beside.json
attention second.safetensors "$(cat text)" >second.json
"$attend" explain small.safetensors "$(cat text)" --position 1 --format json >explanation.json
"$attend" translate small.safetensors --sample --temperature 0.7 --seed 1 --max-length 60 --format json <text >drawn.json
"$attend" translate small.safetensors --beam-size 3 --n-best 3 --format json <text >beam.json

head -c 5000 /dev/urandom >hostile.safetensors
head -c 9000 second.safetensors >cut.safetensors
cp "$root/tests/interchange/data/all_types.safetensors" foreign.safetensors
truncate -s 100500000 large.safetensors
node "$root/tests/browser/page_test.js" . $screenshots
# The program reads what was trained in the page, and writes what the page wrote.
"$attend" attention trained.safetensors "$(cat text)" | head -n 1 >written
cmp written trained.txt
if command -v firefox-esr >/dev/null; then
  python3 "$root/tests/browser/firefox_test.py" . $screenshots
else
  echo "there is no Firefox: tried in Chromium only"
fi
