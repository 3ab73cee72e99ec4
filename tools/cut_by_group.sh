#!/bin/sh
# Splits labeled texts into a training and a validation file with no group in both, such as the reviews
# of one film, which tend to agree. Every N-th group, in the order of the groups file, goes to validation.
#   tools/cut_by_group.sh GROUPS ID_COLUMN N OUT_TRAIN OUT_VALID TEXTS...
#   tools/cut_by_group.sh imdb/movies.train.tsv 3 5 cut/train.tsv cut/valid.tsv imdb/train.tsv imdb/valid.tsv
# GROUPS: lines "id TAB group". TEXTS: tab-separated columns, the id in column ID_COLUMN.
set -eu
[ $# -ge 6 ] || { echo "usage: cut_by_group.sh GROUPS ID_COLUMN N OUT_TRAIN OUT_VALID TEXTS..." >&2; exit 2; }
groups="$1" column="$2" every="$3" train="$4" valid="$5"
shift 5
mkdir -p "$(dirname "$train")" "$(dirname "$valid")"
: >"$train"
: >"$valid"
awk -F '\t' -v column="$column" -v every="$every" -v train="$train" -v valid="$valid" '
  FILENAME == ARGV[1] {
    if (!($2 in number)) number[$2] = count++
    group[$1] = number[$2]
    next
  }
  !($column in group) { print FILENAME ":" FNR ": no group for " $column | "cat >&2"; exit 1 }
  { print > (group[$column] % every == 0 ? valid : train) }
' "$groups" "$@"
