#!/bin/sh
# Writes OUT/page.html, a translator from German for the site: trains it, half an hour on two cores, unless OUT has it; a training that was stopped goes on.
# DATA is a folder of `attend data tatoeba`. Needs the engine of `make wasm`.
# Usage: translator_page.sh ATTEND DATA OUT [OPTION...]   (options of attend train, as --max-steps 100)
set -eu
attend=${1:?usage: translator_page.sh ATTEND DATA OUT [OPTION...]}
data=${2:?usage: translator_page.sh ATTEND DATA OUT [OPTION...]}
out=${3:?usage: translator_page.sh ATTEND DATA OUT [OPTION...]}
shift 3
recipe=$(dirname "$0")/../../recipes/tatoeba-de-en.toml

mkdir -p "$out"
"$attend" train translation --resume --config "$recipe" --data "$data" --out "$out/run" "$@"
"$attend" page "$out/run" --bits 4 --out "$out/page.html" --text "Wenn es morgen nicht regnet, fahren wir ans Meer." \
  "Ich habe gestern im Garten ein altes Buch gefunden." "Warum hast du mir das nicht früher gesagt?" "Er sagte, dass er keine Zeit habe."
