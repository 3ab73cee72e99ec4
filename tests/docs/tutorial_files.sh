#!/bin/sh
# Writes into FOLDER what a reader of a tutorial has downloaded: a cut of the real data in DATA, or made-up
# text of the same format where it is missing.
#   tatoeba      deu.txt: English, German and attribution, separated by tabs, by length
#   imdb         aclImdb/{train,test}/{pos,neg}/ID_RATING.txt: a review each
#   shakespeare  input.txt: speeches, with empty lines between them
# Usage: tutorial_files.sh KIND FOLDER DATA
set -eu
usage="usage: tutorial_files.sh KIND FOLDER DATA"
kind=${1:?$usage} folder=${2:?$usage} data=${3:?$usage}
mkdir -p "$folder"
cd "$folder"

made_up() { echo "no real data in $data: made-up text for $kind"; }

# Pairs of sentences, all different.
sentences() {
  for who in man:Mann dog:Hund wolf:Wolf son:Sohn boy:Junge guest:Gast king:König baker:Bäcker doctor:Arzt friend:Freund; do
    for how in old:alte young:junge tall:große small:kleine; do
      for what in sleeps:schläft sings:singt "comes home:kommt nach Hause" "sees the book:sieht das Buch" laughs:lacht; do
        printf 'The %s %s %s.\tDer %s %s %s.\n' "${how%%:*}" "${who%%:*}" "${what%%:*}" "${how#*:}" "${who#*:}" "${what#*:}"
      done
    done
  done
}

case "$kind" in
  tatoeba)
    if [ -e "$data/tatoeba-de-en/train.en" ]; then
      paste "$data/tatoeba-de-en/train.en" "$data/tatoeba-de-en/train.de" | sed -n 20001,21000p
    else
      made_up >&2
      sentences
    fi | awk -F'\t' '{ print $1 "\t" $2 "\tCC-BY 2.0 (France) Attribution: tatoeba.org" }' >deu.txt
    ;;
  imdb)
    for part in train test; do
      mkdir -p aclImdb/$part/pos aclImdb/$part/neg
      if [ -e "$data/imdb/train.tsv" ]; then
        [ $part = train ] && file=$data/imdb/train.tsv || file=$data/imdb/valid.tsv
        awk -F'\t' '{ print $1 "\t" $2 "\t" $4 }' "$file" | head -n 120
      else
        [ $part = train ] || made_up >&2
        sentences | head -n 120 | awk -F'\t' '{ print NR % 2 "\t" (NR % 2 ? 9 : 2) "\t" (NR % 2 ? "A \"good\" film" : "A bad film") ", really.<br /><br />" $1 }'
      fi | awk -F'\t' -v part=$part '{
        file = sprintf("aclImdb/%s/%s/%d_%d.txt", part, $1 ? "pos" : "neg", NR, $2)
        printf "%s", $3 >file
        close(file)
      }'
    done
    ;;
  shakespeare)
    if [ -e "$data/tinyshakespeare/input.txt" ]; then
      head -n 300 "$data/tinyshakespeare/input.txt"
    else
      made_up >&2
      sentences | awk -F'\t' '{ print "Citizen:\n" $1 "\n" }'
    fi >input.txt
    ;;
  *) echo "tutorial_files: unknown kind $kind" >&2; exit 2 ;;
esac
