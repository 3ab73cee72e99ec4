#!/bin/sh
# Builds the program as one file that needs nothing of the system it runs on, not even its C library: for any Linux of this processor.
#   tools/static_program.sh [OUT]   OUT: the file to write, by default dist/attend-linux-PROCESSOR
# Debian's packages of Highway, SentencePiece and fmt have no static libraries, so these are built from Debian's sources, which apt checks.
# MPI is left out: its plugin would need the C library of the system.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist/attend-linux-$(uname -m)}
tools/dependencies.sh ensure build
tools/dependencies.sh ensure static

libraries=$PWD/build/static-libraries
sources=$libraries/sources
prefix=$libraries/prefix

# apt with a list of sources of its own, so that none is added to the system's.
fetch_sources() {
  mkdir -p "$sources/lists/partial" "$sources/cache"
  . /etc/os-release
  printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" "$VERSION_CODENAME" >"$sources/sources.list"
  set -- -q -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::sourcelist="$sources/sources.list" -o Dir::State::lists="$sources/lists" \
    -o Dir::Cache="$sources/cache" -o APT::Sandbox::User=root
  apt-get "$@" update
  (cd "$sources" && apt-get "$@" source highway sentencepiece fmtlib)
}

# library NAME [OPTION...]: builds and installs a static library
library() {
  name=$1
  shift
  cmake -S "$(find "$sources" -maxdepth 1 -type d -name "$name-*")" -B "$libraries/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$libraries/$name" --target install
}

mkdir -p "$libraries" "$(dirname "$out")"
if [ ! -e "$prefix/done" ]; then
  rm -rf "$sources" "$prefix"
  (
    set -e
    fetch_sources
    library highway -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF -DBUILD_TESTING=OFF
    # Debian's SentencePiece builds shared libraries only; their objects make static ones as well.
    library sentencepiece -DSPM_ENABLE_TCMALLOC=OFF
    for part in sentencepiece sentencepiece_train; do
      find "$libraries/sentencepiece" -path "*/$part.dir/*" -name '*.o' -exec ar rcs "$prefix/lib/lib$part.a" {} +
    done
    library fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
    touch "$prefix/done"
  ) >"$libraries/log" 2>&1 & # not in a condition, in which -e has no effect
  wait $! || { tail -n 30 "$libraries/log"; exit 1; }
fi

PKG_CONFIG_PATH=$prefix/lib/pkgconfig cmake --preset release -B build/static -DATTEND_STATIC=ON -DATTEND_TESTS=OFF -DATTEND_EXAMPLES=OFF \
  -DATTEND_INSTALL=OFF -DCMAKE_PREFIX_PATH="$prefix" >build/static.configure.log 2>&1 || { cat build/static.configure.log; exit 1; }
cmake --build build/static --target attend_program
strip -o "$out" build/static/attend
echo "$out: $(du -h "$out" | cut -f1)"
