#!/bin/sh
# Runs the examples on a corpus of a few sentences: examples/run_examples.sh FOLDER_OF_THE_PROGRAMS
set -eu
programs=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for i in 1 2 3 4 5 6 7 8; do
  printf 'the old dog sees the cat\na cat eats the fish\nthe dog sleeps\nthe cat sees a fish\n'
done >"$folder/train.en"
for i in 1 2 3 4 5 6 7 8; do
  printf 'der alte hund sieht die katze\neine katze frisst den fisch\nder hund schläft\ndie katze sieht einen fisch\n'
done >"$folder/train.de"

"$programs/example_train_translator" "$folder/train.en" "$folder/train.de" "$folder/run" | grep -q "^200 steps, the model is "
[ "$(echo 'the dog sleeps' | "$programs/example_translate" "$folder/run/model.safetensors")" = 'der hund schläft' ]
"$programs/example_attention_weights" "$folder/run/model.safetensors" 'the dog sleeps' 'der hund schläft'
"$programs/example_write_text" "$folder/train.en" "$folder/lm" 'the old' | grep -q .
