#!/bin/sh
# Runs the commands of README and docs: every fenced `sh` block, page by page, from top to bottom. A block fails when
# one of its commands does.
#   <!-- not run: REASON -->     on the line before a block: the block is skipped
#   <!-- world: KIND -->         from here on, the folder in which blocks run has a trained model of this KIND in run/:
#                                translation, lm, classification, tagging or embedding; before the first such line it has none
#                                demo: a translator in demo/run; tatoeba, imdb, shakespeare: no model, but what a reader of
#                                this tutorial has downloaded (tutorial_files.sh)
# Every folder has small files under the names that the pages use. Training commands run as written, with a small
# configuration (flags win over it), at most 6 steps or 1 epoch, and without the earlier run in their --out. Experiments
# of the lab run with --quick.
# Usage: run_commands.sh ROOT ATTEND [PAGE...]
set -u
usage="usage: run_commands.sh ROOT ATTEND [PAGE...]"
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${1:?$usage}" && pwd)
attend=$(cd "$(dirname "${2:?$usage}")" && pwd)/$(basename "$2")
shift 2
[ -x "$attend" ] || { echo "run_commands: no program $attend" >&2; exit 2; }
[ $# -gt 0 ] || set -- README.md $(cd "$root" && ls docs/*.md docs/migration/*.md docs/tutorials/*.md)
data=${ATTEND_DATA:-$root/../shared/data}

work=$(mktemp -d)
trap '"$work/bin/stop_serving"; rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/files" "$work/blocks"

# The program as pages call it. `attend serve` listens on a port that is free, returns when it does,
# and runs until the next one starts or the page ends.
cat >"$work/bin/attend" <<WRAPPER
#!/bin/sh
case "\${1:-} \${2:-}" in
  "serve "*)
    "$work/bin/stop_serving"
    : >"$work/serving"
    "$attend" "\$@" --listen 127.0.0.1:0 >"$work/served" 2>"$work/serving" &
    echo \$! >"$work/server"
    for try in \$(seq 1200); do
      grep -q "listening on" "$work/serving" && exit 0
      kill -0 "\$(cat "$work/server")" 2>/dev/null || break
      sleep 0.05
    done
    cat "$work/serving" >&2
    exit 1
    ;;
  "lab "[a-z]*) exec "$attend" "\$@" --quick ;;
  "train "* | "prepare "*) kind=\$2 ;;
  "distill classification" | "distill embedding") kind=\$2 ;;
  "distill "* | "backtranslate "*) kind=translation ;;
  *) exec "$attend" "\$@" ;;
esac
out=run own=yes
previous=
of=
[ "\$1" = prepare ] && of=prepare-
[ "\$1" = backtranslate ] && of=back-
# The student of translators has their vocabulary.
[ "\$1 \$kind" = "distill translation" ] && of=from-
for word in "\$@"; do
  shift
  case "\$previous" in
    --out) out=\$word ;;
    --max-steps) [ "\$word" -le 6 ] || word=6 ;;
    --max-epochs) word=1 ;;
  esac
  set -- "\$@" "\$word"
  case "\$word" in --config|--resume|--help|--tokenizer-from) own= ;; --prepared) of=prepared- ;; --init-from) of=from- ;; esac
  previous=\$word
done
[ -n "\$own" ] || exec "$attend" "\$@"
rm -rf "\$out"
exec "$attend" "\$@" --config "$work/\$of\$kind.toml"
WRAPPER
# curl, with the port of the server in place of the usual one; an error status is a failure.
cat >"$work/bin/curl" <<WRAPPER
#!/bin/sh
port=\$(sed -n 's/.*listening on .*:\([0-9]*\)\$/\1/p' "$work/serving")
for word in "\$@"; do
  shift
  set -- "\$@" "\$(echo "\$word" | sed "s|127.0.0.1:8080|127.0.0.1:\$port|")"
done
exec $(command -v curl) -sSf "\$@"
WRAPPER
cat >"$work/bin/stop_serving" <<WRAPPER
#!/bin/sh
[ -f "$work/server" ] || exit 0
kill "\$(cat "$work/server")" 2>/dev/null
rm -f "$work/server"
WRAPPER
chmod +x "$work/bin/attend" "$work/bin/curl" "$work/bin/stop_serving"
PATH=$work/bin:$PATH
export PATH

# Small configurations.
common='threads = 1
max-steps = 6
save-every = 1
keep-checkpoints = 0
batch-tokens = 256
warmup-steps = 2
tokenizer = "chars"
vocab-size = 200
d-model = 16
n-heads = 2
d-ff = 16'
layers='n-encoder-layers = 1'
printf '%s\n%s\nn-decoder-layers = 1\nvalid-every = 6\n' "$common" "$layers" >"$work/translation.toml"
# Translators of a few steps repeat themselves.
{ cat "$work/translation.toml"; printf 'max-length-ratio = 0\ndrop-repeating = false\nmin-letters = 0\n'; } >"$work/back-translation.toml"
printf '%s\nn-layers = 1\nsequence-length = 64\n' "$common" >"$work/lm.toml"
printf '%s\n%s\n' "$common" "$layers" >"$work/classification.toml"
printf '%s\n%s\n' "$common" "$layers" >"$work/embedding.toml"
printf '%s\n%s\n' "$common" "$layers" >"$work/tagging.toml"

# The vocabulary of a prepared text is its own.
for task in translation lm; do
  grep -E '^(tokenizer|vocab-size) ' "$work/$task.toml" >"$work/prepare-$task.toml"
  grep -vE '^(tokenizer|vocab-size) ' "$work/$task.toml" >"$work/prepared-$task.toml"
done

# A model keeps its vocabulary and size.
for task in translation lm classification embedding tagging; do
  grep -vE '^(tokenizer|vocab-size|d-|n-)' "$work/$task.toml" >"$work/from-$task.toml"
done

# Small files.
cd "$work/files" || exit 2
for who in "old man:alte Mann" "young man:junge Mann" "old dog:alte Hund" "young dog:junge Hund" "red book:rote Buch"; do
  for what in "sleeps:schläft" "sees the dog:sieht den Hund" "sees the book:sieht das Buch" "comes home:kommt nach Hause"; do
    echo "The ${who%%:*} ${what%%:*}." >>train.en
    echo "Der ${who#*:} ${what#*:}." >>train.de
  done
done
for language in en de; do
  head -n 4 train.$language >valid.$language
  tail -n 4 train.$language >test.$language
done
cp test.en in.txt
cp test.de out.txt
cp train.de mono.de
cp test.de reference.txt
sed 's/ [^ ]*$//' test.de >other.txt
sed 's/^[^ ]* //' test.de >old.txt
cp train.en train.txt
cp valid.en valid.txt
cp test.en lines.txt
cp test.en texts.txt
awk '{ print (NR % 2 ? "good" : "bad") "\t" $0 }' train.en >train.tsv
paste train.en train.de >deu.txt
tar -cf deu-eng.zip deu.txt  # the content of an archive decides, not its name
head -n 6 train.tsv >valid.tsv
tail -n 6 train.tsv >test.tsv
paste train.en train.de >pairs.tsv
head -n 6 pairs.tsv >valid-pairs.tsv
awk -F'\t' '{ print $1 "\t" $2 "\t" (NR % 5) }' pairs.tsv >scored.tsv
awk '{ print $1, $2, $3 "\t" $0 }' train.en >groups.tsv
awk '{ for (i = 1; i <= NF; ++i) print $i, (i == 1 ? "B-WHO" : i <= 3 ? "I-WHO" : "O"); print "" }' train.en >train.conll
head -n 24 train.conll >valid.conll
tail -n 24 train.conll >test.conll
awk -F'\t' '{ print (NR % 3 ? "old" : "") (NR % 2 ? ",man" : "") "\t" $1 }' pairs.tsv >topics.tsv
printf 'animal\tThe bat flies.\nanimal\tA bat sleeps.\nclub\tHe has a bat.\nclub\tThe bat is old.\n' >uses.tsv
cd "$work" || exit 2

# A directory as Hugging Face has it, of a small embedding model.
foreign_embedder() {
  (cd "$work/files" && attend train embedding --train pairs.tsv --tokenizer wordpiece --vocab-size 60 \
    --normalization identity --positions learned --activation gelu --norm-embedding --embedding-scale 1 \
    --token-types 2 --out "$work/embedder" && attend export "$work/embedder" --out "$1") >"$work/log" 2>&1
}

# world KIND: a folder of the small files and a model of that kind in run/, made once.
world() {
  [ -d "$work/$1" ] && return 0
  cp -r "$work/files" "$work/$1"
  task=$1 out=run
  case "$1" in
    none) return 0 ;;
    tatoeba | imdb | shakespeare)
      "$here/tutorial_files.sh" "$1" "$work/$1" "$data" || return 1
      [ "$1" != shakespeare ] || foreign_embedder "$work/$1/all-MiniLM-L6-v2"
      return
      ;;
    demo) task=translation out=demo/run && mkdir "$work/$1/demo" ;;
  esac
  case "$task" in
    translation) files="--src-train train.en --tgt-train train.de --src-valid valid.en --tgt-valid valid.de" ;;
    lm) files="--train train.txt --valid valid.txt" ;;
    classification) files="--train train.tsv --valid valid.tsv" ;;
    tagging) files="--train train.conll --valid valid.conll" ;;
    embedding) files="--train pairs.tsv --valid valid-pairs.tsv" ;;
    *) echo "unknown world $1"; return 1 ;;
  esac
  (cd "$work/$1" && attend train "$task" $files --out "$out") >"$work/log" 2>&1
}

# The blocks of a page: a file with the commands and one with its line, world and reason not to run.
blocks_of() {
  awk -v folder="$work/blocks" '
    /^<!-- not run: .* -->$/ { reason = $0; sub(/^<!-- not run: /, "", reason); sub(/ -->$/, "", reason); next }
    /^<!-- world: .* -->$/ { world = $3; next }
    /^```sh$/ {
      file = sprintf("%s/%03d", folder, ++count)
      print FNR "|" (world == "" ? "none" : world) "|" reason >(file ".about")
      reason = ""
      open = 1
      next
    }
    /^```/ { open = 0; next }
    open { print >(file ".sh") }
  ' "$1"
}

ran=0 skipped=0 failures=0
for page in "$@"; do
  rm -rf "$work/blocks" "$work/page"
  mkdir "$work/blocks" "$work/page"
  blocks_of "$root/$page"
  for about in "$work"/blocks/*.about; do
    [ -e "$about" ] || continue
    line=$(cut -d'|' -f1 "$about") kind=$(cut -d'|' -f2 "$about") reason=$(cut -d'|' -f3 "$about")
    if [ -n "$reason" ]; then
      skipped=$((skipped + 1))
      continue
    fi
    if ! world "$kind"; then
      echo "FAILED: $page:$line: cannot make the world $kind"
      cat "$work/log"
      failures=$((failures + 1))
      continue
    fi
    [ -d "$work/page/$kind" ] || cp -r "$work/$kind" "$work/page/$kind"
    ran=$((ran + 1))
    if ! (cd "$work/page/$kind" && sh -eu "${about%.about}.sh") >"$work/log" 2>&1 </dev/null; then
      echo "FAILED: $page:$line"
      sed 's/^/  $ /' "${about%.about}.sh"
      tail -n 5 "$work/log" | sed 's/^/  /'
      failures=$((failures + 1))
    fi
  done
done
stop_serving
echo "run_commands: $ran blocks ran, $skipped not run, $failures failed"
[ $failures -eq 0 ]
