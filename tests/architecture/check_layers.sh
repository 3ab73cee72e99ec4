#!/bin/sh
# Enforces the layers as ARCHITECTURE.md, beside this script, draws them. Fails, naming file and line, if the sources under
# ROOT/src break one of these rules:
#   - a layer includes only layers on rows below its own: neither up nor sideways
#   - what is in the folders of backend (cpu, reference, fast) is private to it
#   - only backend/fast includes Highway, and backend/reference does not include backend/fast
#   - only server/http includes Boost
#   - project headers are included as "attend/<layer>/<file>.h", public headers as "attend/<file>.h"
#   - the public headers in ROOT/include/attend include only each other and the standard library; those in its folder c that of C
#   - the interface of C, api/c, is made of the public headers, options by name, and what core has
#   - the library does not print, exit or abort: only the command line does, through cli/output.h
#   - JSON is parsed in core/json/json.cpp, which bounds its depth, and in the parser of safetensors headers, which builds nothing
#   - the messages of the library name options without dashes: core/options/option_error.h
#   - a file has at most 400 lines
#   - ROOT/CMakeLists.txt, if there is one, builds all layers but python, from the lowest row to the highest
# Usage: check_layers.sh ROOT
set -eu

line_limit=400

root="${1:?usage: check_layers.sh ROOT}"
# One "layer row" per line.
layers=$(awk -F'│' '/^## /{ on = $0 == "## Layers" } on && $1 ~ /^ *[0-9]+ *$/ {
  for (i = 2; i < NF; ++i) { gsub(/ /, "", $i); print $i, $1 + 0 }
}' "$(dirname "$0")/../../ARCHITECTURE.md")
[ -n "$layers" ] || { echo "check_layers: no layers in ARCHITECTURE.md" >&2; exit 2; }
[ -d "$root/src/attend" ] || { echo "check_layers: no folder src/attend under $root" >&2; exit 2; }

cd "$root"
files=$(find src/attend -name '*.h' -o -name '*.cpp' | sort)
public=$(find include -name '*.h' 2>/dev/null | sort)
[ -n "$files" ] || { echo "check_layers: no sources in src/attend under $root" >&2; exit 2; }

status=0
awk -v table="$layers" -v line_limit="$line_limit" -v public="$public" '
function complain(message) {
  printf "%s:%d: %s\n", FILENAME, FNR, message
  ++complaints
}

function check_project_include(path,    parts, other) {
  split(path, parts, "/")
  other = parts[2]
  if (!(other in row)) {
    complain("includes \"" path "\", whose folder is not among the layers")
  } else if (other != layer && row[other] == row[layer]) {
    complain("includes sideways: " layer " and " other " are both on row " row[layer])
  } else if (row[other] > row[layer]) {
    complain("includes upwards: " layer " is on row " row[layer] ", " other " on row " row[other])
  } else if (layer != "backend" && path ~ /^attend\/backend\/[^\/]*\//) {
    complain("includes \"" path "\": the folders of backend are private to it")
  } else if (folder == "backend/reference" && path ~ /^attend\/backend\/fast\//) {
    complain("the reference kernels must not depend on the fast ones")
  }
}

function check_include(line,    path) {
  path = line
  sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", path)
  sub(/[>"].*$/, "", path)
  if (path ~ /^attend\/(c\/)?[a-z_]+\.h$/) {
    if (!(path in is_public)) complain("includes \"" path "\", which include/attend does not have")
  } else if (FILENAME ~ /^include\/attend\/c\//) {
    if (line ~ /"/ || path !~ /^std[a-z]+\.h$/) complain("includes \"" path "\": the headers of C include nothing but the standard library of C")
  } else if (layer == "") {
    if (line ~ /"/ || path ~ /[\/.]/) complain("includes \"" path "\": a public header includes nothing but attend/<file>.h and the standard library")
  } else if (folder == "api/c" && path ~ /^attend\// && path !~ /^attend\/(api\/c\/|api\/named_options[.]h|core\/|tasks\/[a-z]+\/engine[.]h)/) {
    complain("includes \"" path "\": the interface of C is made of the public headers")
  } else if (path ~ /^attend\//) {
    check_project_include(path)
  } else if (path ~ /^hwy\//) {
    if (folder != "backend/fast") complain("includes <" path ">: only backend/fast may see Highway")
  } else if (path ~ /^boost\//) {
    if (folder != "server/http") complain("includes <" path ">: only server/http may see Boost")
  } else if (line ~ /"/) {
    complain("includes \"" path "\": write project headers as \"attend/<layer>/<file>.h\", others in angle brackets")
  }
}

BEGIN {
  n = split(table, words, /[ \t\n]+/)
  m = split(public, headers, /[ \t\n]+/)
  for (i = 1; i <= m; ++i) is_public[substr(headers[i], length("include/") + 1)] = 1
  for (i = 1; i <= n; ++i) if (words[i] ~ /^[a-z]+$/) row[words[i]] = words[i + 1] + 0
}

FNR == 1 {
  split(FILENAME, parts, "/")
  layer = parts[1] == "include" ? "" : parts[3]
  folder = parts[3] "/" parts[4]
  if (layer != "" && !(layer in row)) {
    complain("the folder src/attend/" layer " is not among the layers")
    row[layer] = 99
  }
}

FNR == line_limit + 1 { complain("is longer than " line_limit " lines: split it by what its parts are for") }

/^[ \t]*#[ \t]*include[ \t]*[<"]/ { check_include($0) }

FILENAME ~ /[.]cpp$/ && layer ~ /^(core|text|nn|models|data|optim|checkpoint|documents|decode|tasks|api|interchange)$/ && FILENAME !~ /option_error[.]cpp$/ {
  code = $0
  while (match(code, /"([^"\\]|\\.)*"/)) {
    if (substr(code, RSTART, RLENGTH) ~ /["( ]--[a-z{]/) complain("writes an option as a flag: use OptionError and as_flag()")
    code = substr(code, RSTART + RLENGTH)
  }
}

layer != "cli" {
  code = $0
  sub(/\/\/.*/, "", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  if (code ~ /std::(cout|cerr|clog|exit|abort|terminate)/ || code ~ /fmt::print/ || code ~ /(^|[^a-z_:])(printf|puts|exit|abort)\(/) {
    complain("prints or ends the process: throw an error of attend/error.h, or take a callback")
  }
}

FILENAME !~ /(core\/json\/json(_search)?|checkpoint\/safetensors\/safetensors_header)\.cpp$/ {
  code = $0
  sub(/\/\/.*/, "", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  if (code ~ /[jJ]son *:: *(parse|accept|sax_parse|from_[a-z]+)/) complain("parses JSON of any depth: use parse_json of core/json/json.h")
}

FILENAME ~ /^src\/attend\/cli\// {
  code = $0
  sub(/\/\/.*/, "", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  if (code ~ /std::(cout|cerr|clog|fwrite|fputs)/ || code ~ /fmt::print/ || code ~ /(^|[^a-z_:])(printf|puts|fputs|fwrite)\(/) {
    complain("prints past cli/output.h: nobody would learn that it could not be written")
  }
}

END {
  if (complaints) {
    printf "check_layers: %d broken rule%s\n", complaints, complaints == 1 ? "" : "s"
    exit 1
  }
}' $files $public || status=1

if [ -e CMakeLists.txt ]; then
  awk -v table="$layers" '
  BEGIN {
    n = split(table, words, /[ \n]+/)
    for (i = 1; i < n; i += 2) if (words[i] != "python") row[words[i]] = words[i + 1] + 0
  }
  /^ *attend_layer\(/ {
    name = $0
    sub(/^ *attend_layer\(/, "", name)
    sub(/[ )].*/, "", name)
    if (!(name in row)) { printf "CMakeLists.txt:%d: %s is not among the layers\n", FNR, name; failed = 1; next }
    if (row[name] < last) { printf "CMakeLists.txt:%d: %s is on a lower row than the layer before it\n", FNR, name; failed = 1 }
    last = row[name]
    built[name] = 1
  }
  END {
    for (name in row) if (!(name in built)) { print "CMakeLists.txt:1: does not build the layer " name; failed = 1 }
    exit failed
  }' CMakeLists.txt || status=1
fi
exit $status
