#!/bin/sh
# Trains a small model of every kind for a few steps and compares its weights, byte for byte, with those of training_checksums.txt:
# a change that is not meant to change numbers does not. The plain instructions compute the same on every processor; the
# functions of the C library do not, so the file names the versions of glibc that it holds for, and others skip the test.
# Usage: training_checksums_test.sh ATTEND [update], which writes the file anew
set -eu
attend=$(realpath "$1")
update=${2:-}
expected=$(realpath "$(dirname "$0")")/training_checksums.txt
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo none)
if [ -z "$update" ] && ! grep -qx "# $glibc" "$expected"; then
  echo "skipped: the checksums hold for the versions of glibc that $expected names, not for $glibc"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export ATTEND_INSTRUCTIONS=SCALAR

# sentences SEED COUNT: English and German, made up, separated by a tab
sentences() {
  awk -v seed="$1" -v count="$2" '
    function draw(n) { seed = (seed * 16807) % 2147483647; return 1 + seed % n }
    BEGIN {
      split("dog cat bird child woman man fish horse", noun); split("Hund Katze Vogel Kind Frau Mann Fisch Pferd", nomen)
      split("sees likes hears finds calls", verb); split("sieht mag hört findet ruft", wort)
      split("old young small green quick", adjective); split("alte junge kleine grüne schnelle", beiwort)
      for (i = 0; i < count; ++i) {
        a = draw(5); b = draw(8); c = draw(5); d = draw(5); e = draw(8)
        printf "the %s %s %s the %s %s.\tder %s %s %s den %s %s.\n", adjective[a], noun[b], verb[c], adjective[d], noun[e],
               beiwort[a], nomen[b], wort[c], beiwort[d], nomen[e]
      }
    }'
}
sentences 1 400 >pairs.tsv
sentences 2 20 >valid.tsv
for part in pairs valid; do
  cut -f1 $part.tsv >$part.en
  cut -f2 $part.tsv >$part.de
  awk -F'\t' '{ print ($1 ~ /dog|cat/ ? "pet" : "other") "\t" $1 }' $part.tsv >$part.labels
  awk -F'\t' '{ n = split($1, w, " "); for (i = 1; i <= n; ++i) print w[i] "\t" (w[i] ~ /dog|cat/ ? "B-PET" : "O"); print "" }' $part.tsv >$part.conll
done

# train NAME KIND OPTIONS: prints the checksum of the weights, without the header of the file
train() {
  name=$1
  kind=$2
  shift 2
  preset=
  case $kind in translation | lm) preset="--preset base" ;; esac
  "$attend" train "$kind" $preset --threads 1 --d-model 16 --n-heads 2 --d-ff 32 --vocab-size ${vocabulary:-90} --max-steps 12 --warmup-steps 4 --learning-rate 3e-3 \
    --batch-tokens 256 --valid-every 6 "$@" --out "$name" >"$name.log" 2>&1 || { echo "$name:" >&2; cat "$name.log" >&2; exit 1; }
  header=$(od -An -t u8 -N 8 "$name/model.safetensors" | tr -d ' ')
  printf '%s %s\n' "$name" "$(tail -c +$((header + 9)) "$name/model.safetensors" | sha256sum | cut -d' ' -f1)"
}
translation() {
  name=$1
  shift
  train "$name" translation --src-train pairs.en --tgt-train pairs.de --src-valid valid.en --tgt-valid valid.de "$@"
}
layers="--n-encoder-layers 1 --n-decoder-layers 1"
all() {
  translation translation $layers
  translation translation-rms $layers --norm-first --norm rms --gated-ffn --activation swish --positions rotary --qk-norm --no-joint-vocabulary \
    --tie-embeddings target --activation-dropout 0.1 --attention-dropout 0.1 --n-key-heads 1
  translation recurrent --arch rnn
  translation additive $layers --attention-choice straight_through --attention-scores additive --output-bias --tie-embeddings none
  translation muon $layers --positions relative --gated-ffn --activation gelu_tanh --r-drop 1 --optimizer muon
  vocabulary=300 translation bf16 $layers --positions alibi --precision bf16 --optimizer adam8bit --tokenizer byte-bpe --ema-decay 0.99
  translation hard $layers --attention-choice hard --seed 4
  train language lm --train pairs.en --valid valid.en --n-layers 1
  vocabulary=300 train language-documents lm --train pairs.en --valid valid.en --n-layers 1 --gated-ffn --activation swish --norm rms --positions rotary \
    --n-key-heads 1 --documents --attention-biases qkv --norm-first
  train language-untied lm --train pairs.en --valid valid.en --n-layers 1 --positions alibi --no-tied --label-smoothing 0.1 --precision bf16
  train classification classification --train pairs.labels --valid valid.labels --n-encoder-layers 1
  train adapter classification --init-from classification --train pairs.labels --valid valid.labels --lora-rank 2
  train tagging tagging --train pairs.conll --valid valid.conll --n-encoder-layers 1
  train embedding embedding --train pairs.tsv --valid valid.tsv --n-encoder-layers 1
  train embedding-labels embedding --texts labeled --train pairs.labels --valid valid.labels --n-encoder-layers 1
}
all >found.txt
if [ -n "$update" ]; then
  { grep '^#' "$expected" 2>/dev/null || echo "# $glibc"; cat found.txt; } >new.txt
  cp new.txt "$expected"
  exit
fi
grep -v '^#' "$expected" | diff - found.txt || { echo "these weights changed (< expected, > found)"; exit 1; }
