#!/bin/sh
# Enforces the layer table. Fails, naming file and line, if the sources under ROOT/src break one of its rules:
#   - a layer includes only layers on rows below its own: neither up nor sideways
#   - what is in the folders of backend (cpu, reference, fast) is private to it
#   - only backend/fast includes Highway, and backend/reference does not include backend/fast
#   - only server/http includes Boost
#   - project headers are included as "attend/<layer>/<file>.h", public headers as "attend/<file>.h"
#   - the public headers in ROOT/include/attend include only each other and the standard library
#   - the library does not print, exit or abort: only the command line does, through cli/output.h
#   - JSON is parsed in core/json/json.cpp, which bounds its depth, and in the parser of safetensors headers, which builds nothing
#   - a file has at most 400 lines
# Usage: check_layers.sh ROOT
set -eu

layers="
core       0
tensor     1
plot       1
backend    2
autograd   3
collective 3
ops        4
nn         5
text       5
metrics    5
demo       5
models     6
data       6
optim      6
checkpoint 6
documents  6
train      7
decode     7
tasks      8
inspect    9
interchange 9
lab        9
api        9
server    10
cli       11
python    12
"
line_limit=400

root="${1:?usage: check_layers.sh ROOT}"
[ -d "$root/src/attend" ] || { echo "check_layers: no folder src/attend under $root" >&2; exit 2; }

cd "$root"
files=$(find src/attend -name '*.h' -o -name '*.cpp' | sort)
public=$(find include -name '*.h' 2>/dev/null | sort)
[ -n "$files" ] || { echo "check_layers: no sources in src/attend under $root" >&2; exit 2; }

awk -v table="$layers" -v line_limit="$line_limit" -v public="$public" '
function complain(message) {
  printf "%s:%d: %s\n", FILENAME, FNR, message
  ++complaints
}

function check_project_include(path,    parts, other) {
  split(path, parts, "/")
  other = parts[2]
  if (!(other in row)) {
    complain("includes \"" path "\", whose folder is not in the layer table")
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
  if (path ~ /^attend\/[a-z_]+\.h$/) {
    if (!(path in is_public)) complain("includes \"" path "\", which include/attend does not have")
  } else if (layer == "") {
    if (line ~ /"/ || path ~ /[\/.]/) complain("includes \"" path "\": a public header includes nothing but attend/<file>.h and the standard library")
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
    complain("the folder src/attend/" layer " is not in the layer table")
    row[layer] = 99
  }
}

FNR == line_limit + 1 { complain("is longer than " line_limit " lines: split it by what its parts are for") }

/^[ \t]*#[ \t]*include[ \t]*[<"]/ { check_include($0) }

layer != "cli" {
  code = $0
  sub(/\/\/.*/, "", code)
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  if (code ~ /std::(cout|cerr|clog|exit|abort|terminate)/ || code ~ /fmt::print/ || code ~ /(^|[^a-z_:])(printf|puts|exit|abort)\(/) {
    complain("prints or ends the process: throw an error of attend/error.h, or take a callback")
  }
}

FILENAME !~ /(core\/json\/json(_search)?|checkpoint\/safetensors_header)\.cpp$/ {
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
}' $files $public
