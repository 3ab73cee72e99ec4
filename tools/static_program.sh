#!/bin/sh
# Builds the program as one file that needs nothing of the system it runs on, not even its C library: for any Linux of this processor.
#   tools/static_program.sh [OUT]   OUT: the file to write, by default dist/attend-linux-PROCESSOR
# MPI is left out: its plugin would need the C library of the system.
set -eu
cd "$(dirname "$0")/.."
out=${1:-dist/attend-linux-$(uname -m)}
tools/dependencies.sh ensure build
tools/dependencies.sh ensure static

prefix=$PWD/build/static-libraries/prefix
if [ ! -e "$prefix/done" ]; then
  rm -rf "$prefix"
  tools/static_libraries.sh build/static-libraries/work "$prefix"
  touch "$prefix/done"
fi

mkdir -p "$(dirname "$out")"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig cmake --preset release -B build/static -DATTEND_STATIC=ON -DATTEND_TESTS=OFF -DATTEND_EXAMPLES=OFF \
  -DATTEND_INSTALL=OFF -DCMAKE_PREFIX_PATH="$prefix" >build/static.configure.log 2>&1 || { cat build/static.configure.log; exit 1; }
cmake --build build/static --target attend_program
strip -o "$out" build/static/attend
echo "$out: $(du -h "$out" | cut -f1)"
