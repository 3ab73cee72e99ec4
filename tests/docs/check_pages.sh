#!/bin/sh
# The pages are true where that can be checked. Fails, naming page and line, on
#   - a link to a file or heading that does not exist
#   - a link such as [`linear`](../src/attend/ops/linear.cpp) to a source that lacks this name
#   - a block after <!-- from: FILE --> that is not in this file, line by line (indentation aside)
#   - a numbered step of docs/tutorials/paper.md without a formula, quoted code or a picture; another number of steps than ten
#   - a page of docs that no links from docs/index.md lead to; a README of more than 150 lines
#   - a stated number of kernels that is not that of backend/backend.h
#   - a line of more than 100 columns, other than tables, images, output, addresses of links and the generated docs/lab.md
#   - with ATTEND, the program: an option in README or docs that no command has, and a stated default
#     (`--window` (1024), `--beam-size` (default 5)) that no command has for it
# Usage: check_pages.sh ROOT [ATTEND]
set -eu
root="${1:?usage: check_pages.sh ROOT [ATTEND]}"
attend="${2:-}"
[ -f "$root/README.md" ] || { echo "check_pages: no README.md in $root" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Options and defaults of all commands, one "option default" per line.
options_of() {
  "$attend" "$@" --help >"$work/help"
  awk '/^  (-[a-zA-Z],)?--/ {
    name = $1
    sub(/^-[a-zA-Z],/, "", name)
    value = $2 ~ /=/ ? substr($2, index($2, "=") + 1) : "-"
    if (sub(/\[no-\]/, "", name)) print "--no-" substr(name, 3), "-"
    print name, value
  }' "$work/help"
  for command in $(awk '/^Subcommands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }' "$work/help"); do
    options_of "$@" "$command"
  done
}
if [ -n "$attend" ]; then
  attend=$(cd "$(dirname "$attend")" && pwd)/$(basename "$attend")
  options_of >"$work/options"
fi

cd "$root"
pages=$(ls README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md 2>/dev/null || true)

# "page:line:text" for all text outside of code blocks; GitHub's anchor for every heading.
prose() {
  awk '/^ *```/ { code = !code; next } !code { printf "%s:%d:%s\n", FILENAME, FNR, $0 }' "$1"
}
anchors() {
  awk '/^ *```/ { code = !code; next }
  !code && /^#+ / {
    sub(/^#+ +/, "")
    text = tolower($0)
    gsub(/[^a-z0-9 _-]/, "", text)
    gsub(/ /, "-", text)
    print text
  }' "$1"
}

: >"$work/problems"
complain() { echo "$1" >>"$work/problems"; }

for page in $pages; do
  folder=$(dirname "$page")
  prose "$page" | sed 's/`[^`]*`//g' | awk '{
    place = $0
    sub(/^[^:]*:[0-9]*:/, "", $0)
    place = substr(place, 1, length(place) - length($0) - 1)
    while (match($0, /\]\([^)]*\)/)) {
      print place, substr($0, RSTART + 2, RLENGTH - 3)
      $0 = substr($0, RSTART + RLENGTH)
    }
  }' >"$work/links"
  while read -r place target; do
    case "$target" in http://*|https://*) continue ;; esac
    file=${target%%#*}
    if [ -z "$file" ]; then file=$page; else file=$folder/$file; fi
    [ -e "$file" ] || { complain "$place: links to $target, which does not exist"; continue; }
    case "$target" in
      *\#*) anchors "$file" | grep -qx -- "${target#*\#}" || complain "$place: links to $target: no such heading" ;;
    esac
  done <"$work/links"
done

# Names in links to sources.
grep -noE '\[`[A-Za-z0-9_:~]+(\(\))?`\]\([^)#]*\.(cpp|h|py|js)\)' $pages | sed 's/:\[`/ /; s/`\](/ /; s/)$//' |
  while read -r place name target; do
    name=${name%()}
    file=$(dirname "${place%:*}")/$target
    [ ! -e "$file" ] || grep -qw -- "${name##*::}" "$file" || complain "$place: $target has no $name"
  done

# Quoted sources.
for page in $pages; do
  awk '
    function content(path,    text, line) {
      text = "\n"
      while ((getline line < path) > 0) { sub(/^ +/, "", line); text = text line "\n" }
      close(path)
      return text
    }
    /^<!-- from: .* -->$/ { source = $3; next }
    source == "" { next }
    /^```/ && !open { open = FNR; block = "\n"; next }
    /^```/ {
      if (index(content(source), block) == 0) printf "%s:%d: is not what %s has\n", FILENAME, open, source
      open = 0
      source = ""
      next
    }
    open { line = $0; sub(/^ +/, "", line); block = block line "\n" }
  ' "$page" >>"$work/problems"
done

# The steps through the paper: a formula is a code block without a language.
awk '
  function end_step() {
    if (step && !(formula && code && picture))
      printf "%s:%d: this step needs a formula, quoted code and a picture\n", FILENAME, step
    step = formula = code = picture = 0
  }
  /^## / { end_step() }
  /^## [0-9]+\. / { step = FNR; ++steps }
  /^```/ { if (!open && $0 == "```") formula = 1; open = !open }
  /^<!-- from: / { code = 1 }
  /^!\[/ { picture = 1 }
  END { end_step(); if (steps != 10) printf "%s: has %d steps, expected ten\n", FILENAME, steps }
' docs/tutorials/paper.md >>"$work/problems"

# The way from docs/index.md to every page.
links_of() {
  prose "$1" | grep -oE '\]\([^)#]*\.md' | sed 's/^](//' | while read -r target; do
    case "$target" in http*) ;; *) realpath -m --relative-to=. "$(dirname "$1")/$target" ;; esac
  done
}
echo docs/index.md >"$work/reached"
: >"$work/read"
while page=$(grep -vxFf "$work/read" "$work/reached" | head -n 1) && [ -n "$page" ]; do
  echo "$page" >>"$work/read"
  [ ! -e "$page" ] || links_of "$page" | grep '^docs/' >>"$work/reached" || true
done
for page in $pages; do
  case "$page" in docs/*) grep -qxF "$page" "$work/reached" || complain "$page: no links lead here from docs/index.md" ;; esac
done
[ "$(wc -l <README.md)" -le 150 ] || complain "README.md: has $(wc -l <README.md) lines, more than 150"

# Long lines. Output is a code block without a language.
for page in $pages; do
  [ "$page" != docs/lab.md ] || continue
  LC_ALL=C awk '/^```/ { output = $0 == "```" && !code; code = !code; next }
  { gsub(/[\200-\277]/, "") }  # a character of several bytes is one column
  length($0) > 100 && !output && !/^[|!]/ && !/^\[[a-z]*\]: / { printf "%s:%d: has %d columns, more than 100\n", FILENAME, FNR, length($0) }' "$page" >>"$work/problems"
done

# The number of kernels.
header=src/attend/backend/backend.h
kernels=$(sed -n '/^class Backend/,/^};/p' "$header" | tr '\n' ' ' | grep -oE 'virtual [^;]*= 0;' | grep -cvE ' (name|block_sizes)\(')
grep -nE '[0-9]+ kernels' $pages "$header" | while IFS=: read -r file line text; do
  echo "$text" | grep -q "\b$kernels kernels" || complain "$file:$line: states another number of kernels than $kernels, that of $header"
done

# "line:text" without the words of other programs: in docs/migration those are in the first column of a table, and in files
# that a block writes.
ours_of() {
  case "$1" in
    docs/migration/*) awk '/<<.END.$/ { file = 1 } /^\| / { sub(/^\| [^|]*\|/, "|") } { print FNR ": " (file ? "" : $0) } /^END$/ { file = 0 }' "$1" ;;
    *) awk '{ print FNR ": " $0 }' "$1" ;;
  esac
}
if [ -n "$attend" ]; then
  # Options of other programs.
  foreign=' --install --preset --build --target --test-dir --check --cflags --libs --logdir --bind-to --host --mpi --ntasks --cpus-per-task --signal --mca --data-urlencode --no-deps --include '
  for page in README.md docs/*.md docs/migration/*.md docs/tutorials/*.md; do
    ours_of "$page" | grep -oE '^[0-9]+:|(^|[^-a-zA-Z0-9])--[a-z][a-z0-9-]*' | awk '/^[0-9]+:$/ { line = $0; next } { print line $0 }' | sed 's/:[^-:]--/:--/' | while IFS=: read -r line option; do
      option=$(echo "$option" | sed 's/^[^-]*//')
      case "$foreign" in *" $option "*) continue ;; esac
      grep -q -- "^$option " "$work/options" || complain "$page:$line: no command has the option $option"
    done
    grep -noE '`--[a-z][a-z-]*[^`]*` \((default:? )?[0-9][0-9.]*[,;)]' "$page" | while IFS=: read -r line text; do
      option=$(echo "$text" | sed 's/^`\(--[a-z-]*\).*/\1/')
      value=$(echo "$text" | sed 's/.*(\(default:* \)*\([0-9][0-9.]*\)[,;)]$/\2/')
      grep -q -- "^$option $value\(\.0\)*$" "$work/options" ||
        complain "$page:$line: no command has the default $value for $option"
    done
  done
fi

cat "$work/problems"
[ ! -s "$work/problems" ]
