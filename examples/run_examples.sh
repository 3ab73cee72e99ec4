#!/bin/sh
# Runs the examples on a corpus of a few sentences: examples/run_examples.sh FOLDER_OF_THE_PROGRAMS [FOLDER]
# With FOLDER only the one that trains: the model is FOLDER/run/model.safetensors.
set -eu
programs=$1
if [ $# -eq 2 ]; then
  folder=$2
  rm -rf "$folder"
  mkdir -p "$folder"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
for i in 1 2 3 4 5 6 7 8; do
  printf 'the old dog sees the cat\na cat eats the fish\nthe dog sleeps\nthe cat sees a fish\n'
done >"$folder/train.en"
for i in 1 2 3 4 5 6 7 8; do
  printf 'der alte hund sieht die katze\neine katze frisst den fisch\nder hund schläft\ndie katze sieht einen fisch\n'
done >"$folder/train.de"

"$programs/example_train_translator" "$folder/train.en" "$folder/train.de" "$folder/run" | grep -q "^200 steps, the model is "
[ $# -eq 1 ] || exit 0
[ "$(echo 'the dog sleeps' | "$programs/example_translate" "$folder/run/model.safetensors")" = 'der hund schläft' ]
"$programs/example_attention_weights" "$folder/run/model.safetensors" 'the dog sleeps' 'der hund schläft'
"$programs/example_write_text" "$folder/train.en" "$folder/lm" 'the old' | grep -q .
