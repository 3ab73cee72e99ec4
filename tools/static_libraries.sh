#!/bin/sh
# Builds Highway, SentencePiece and fmt as static libraries, from Debian's sources, which apt checks: Debian's packages have none.
#   tools/static_libraries.sh FOLDER PREFIX [OPTION...]   installs them in PREFIX, and works in FOLDER. The options are for CMake;
#                                                         AR names another ar.
set -eu
folder=$(realpath -m "${1:?usage: static_libraries.sh FOLDER PREFIX [OPTION...]}")
prefix=$(realpath -m "${2:?usage: static_libraries.sh FOLDER PREFIX [OPTION...]}")
shift 2
cd "$(dirname "$0")/.."
sources=$PWD/build/static-sources

# library NAME TARGETS [OPTION...]: builds static libraries
library() {
  name=$1 targets=$2
  shift 2
  # Functions that nothing calls are left out where they are linked.
  CXXFLAGS="-ffunction-sections -fdata-sections" \
  cmake -S "$(find "$sources" -maxdepth 1 -type d -name "$name-*")" -B "$folder/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@"
  cmake --build "$folder/$name" --target $targets
}

rm -rf "$folder"
mkdir -p "$folder"
(
  set -e
  tools/debian_sources.sh "$sources" highway sentencepiece fmtlib
  library highway install -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF -DBUILD_TESTING=OFF "$@"
  mkdir -p "$prefix/include/hwy/contrib" # of which attend needs headers only
  cp -r "$sources"/highway-*/hwy/contrib/math "$prefix/include/hwy/contrib"
  # Debian's SentencePiece builds shared libraries and programs only; the objects make static libraries as well.
  library sentencepiece "sentencepiece sentencepiece_train" -DSPM_ENABLE_TCMALLOC=OFF "$@"
  for part in sentencepiece sentencepiece_train; do
    find "$folder/sentencepiece" -path "*/$part.dir/*" -name '*.o' -exec "${AR:-ar}" rcs "$prefix/lib/lib$part.a" {} +
  done
  cp "$sources"/sentencepiece-*/src/sentencepiece_processor.h "$sources"/sentencepiece-*/src/sentencepiece_trainer.h "$prefix/include"
  cp "$folder/sentencepiece/sentencepiece.pc" "$prefix/lib/pkgconfig"
  library fmtlib install -DFMT_TEST=OFF -DFMT_DOC=OFF "$@"
) >"$folder/log" 2>&1 & # not in a condition, in which -e has no effect
wait $! || { tail -n 30 "$folder/log"; exit 1; }
