#!/bin/sh
# Builds and runs the example of a language on a model: examples/run_language.sh LANGUAGE HEADERS LIBRARIES MODEL
# LANGUAGE is c, rust, go, java, csharp or node; the folders hold attend/c/attend.h and libattend.so. MODEL translates
# "the dog sleeps". Exits with 77, and a message, where the language is not installed.
set -eu
language=$1 headers=$2 libraries=$3 model=$4
source=$(cd "$(dirname "$0")" && pwd)/$language
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

skip() {
  echo "skipped: examples.$language: $1 is not installed (tools/dependencies.sh ensure test)"
  exit 77
}
need() { command -v "$1" >/dev/null || skip "$1"; }

# As an installed attend has it.
printf 'Name: attend-c\nDescription: attend\nVersion: 0\nLibs: -L%s -lattend\nCflags: -I%s\n' "$libraries" "$headers" >"$work/attend-c.pc"
export PKG_CONFIG_PATH="$work"
compile() { cc -Wall -Wextra -Werror "$@" $(pkg-config --cflags --libs attend-c); }

case "$language" in
  c)
    need cc
    compile -std=c99 -pedantic "$source/translate.c" -o "$work/translate"
    set -- "$work/translate"
    ;;
  rust)
    need rustc
    rustc --edition 2021 -D warnings "$source/translate.rs" -L "$libraries" -o "$work/translate"
    set -- "$work/translate"
    ;;
  go)
    need go
    GOCACHE="$work/cache" GO111MODULE=off go build -o "$work/translate" "$source/translate.go"
    set -- "$work/translate"
    ;;
  java)
    need javac
    [ -e /usr/share/java/jna.jar ] || skip libjna-java
    javac -encoding UTF-8 -Xlint:all -Werror -cp /usr/share/java/jna.jar -d "$work" "$source/Translate.java"
    set -- java -cp "$work:/usr/share/java/jna.jar" "-Djna.library.path=$libraries" Translate
    ;;
  csharp)
    need mcs
    mcs -warnaserror "$source/Translate.cs" "-out:$work/translate.exe"
    set -- mono "$work/translate.exe"
    ;;
  node)
    need node
    [ -e /usr/include/node/node_api.h ] || skip libnode-dev
    compile -shared -fPIC -I/usr/include/node "$source/attend_addon.c" -o "$work/attend_addon.node"
    export ATTEND_ADDON="$work/attend_addon.node"
    set -- node "$source/translate.js"
    ;;
  *)
    sed -n '2,4s/^# *//p' "$0" >&2
    exit 2
    ;;
esac

expect() {
  [ "$2" = "$3" ] || { printf '%s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3"; exit 1; }
}
expect "translations" "$(printf 'der hund schläft\ndie katze sieht einen fisch')" \
  "$(printf 'the dog sleeps\nthe cat sees a fish\n' | "$@" "$model")"
if printf 'the dog sleeps\n' | "$@" "$work/absent" >"$work/out" 2>"$work/error"; then
  echo "a model that does not exist is no error"
  exit 1
fi
expect "output after an error" "" "$(cat "$work/out")"
grep -q "$work/absent" "$work/error" || { echo "the error does not name the file:"; cat "$work/error"; exit 1; }
