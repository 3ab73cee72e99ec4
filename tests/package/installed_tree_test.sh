#!/bin/sh
# An outside project against an installed tree: tests/package/installed_tree_test.sh SOURCE BUILD
# Moves the tree after installation, so it must be relocatable. Builds and runs the examples, found by CMake
# and by pkg-config, and every C++ program of docs/cpp.md.
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/installed" >"$work/install.log"
mv "$work/installed" "$work/moved"
prefix=$work/moved
libraries=$(dirname "$(find "$prefix" -name libattend.so)")

echo "== what is installed"
[ -x "$prefix/bin/attend" ]
(cd "$source/include" && find . | sort) >"$work/headers"
(cd "$prefix/include" && find . | sort) | cmp - "$work/headers"
share=$prefix/share
for file in man/man1/attend.1 bash-completion/completions/attend zsh/site-functions/_attend fish/vendor_completions.d/attend.fish; do
  [ -s "$share/$file" ] || { echo "$file is not installed"; exit 1; }
done
grep -q '^.SS attend train translation' "$share/man/man1/attend.1"
bash -c ". '$share/bash-completion/completions/attend' && complete -p attend" | grep -q _attend
# The library exports its own symbols and those of the standard library, none of its dependencies.
if nm -DC --defined-only "$libraries/libattend.so" | grep -E 'sentencepiece|hwy|fmt::|nlohmann|toml::|Backend|Tensor|autograd'; then
  echo "libattend.so shows names that are not public"
  exit 1
fi

echo "== find_package(attend)"
cp -r "$source/examples" "$work/examples"
cmake -S "$work/examples" -B "$work/by_cmake" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
cmake --build "$work/by_cmake" --parallel 2 >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
"$work/examples/run_examples.sh" "$work/by_cmake"

echo "== find_package(attend) of a project in C"
mkdir "$work/in_c"
printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(in_c LANGUAGES C)' 'find_package(attend 0.2 REQUIRED)' \
  "add_executable(in_c $source/examples/c/translate.c)" 'target_link_libraries(in_c PRIVATE attend::attend)' >"$work/in_c/CMakeLists.txt"
{ cmake -S "$work/in_c" -B "$work/in_c/build" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/in_c/build"; } >"$work/cmake.log" 2>&1 ||
  { cat "$work/cmake.log"; exit 1; }
"$work/in_c/build/in_c" 2>&1 | grep -q '^usage:'

echo "== find_package of another version"
sed -i 's/find_package(attend 0.2/find_package(attend 0.1/' "$work/examples/CMakeLists.txt"
if cmake -S "$work/examples" -B "$work/refused" -DCMAKE_PREFIX_PATH="$prefix" >"$work/cmake.log" 2>&1; then
  echo "a project that was written for 0.1 accepts this version"
  exit 1
fi

echo "== pkg-config attend"
export PKG_CONFIG_PATH="$libraries/pkgconfig"
flags=$(pkg-config --cflags attend)
links="$(pkg-config --libs attend) -Wl,-rpath,$libraries"
c++ $flags "$source/examples/translate.cpp" -o "$work/translate" $links
"$work/translate" 2>&1 | grep -q '^usage:'

echo "== pkg-config attend-c"
cc -std=c99 -Wall -Wextra -Werror "$source/examples/c/translate.c" -o "$work/translate_c" $(pkg-config --cflags --libs attend-c) "-Wl,-rpath,$libraries"
"$work/translate_c" 2>&1 | grep -q '^usage:'

echo "== the programs of docs/cpp.md"
awk -v prefix="$work/cpp_" '/^```cpp/ {++n; inside = 1; next} /^```/ {inside = 0} inside {print > (prefix n ".cpp")}' "$source/docs/cpp.md"
for program in "$work"/cpp_*.cpp; do
  echo "$(basename "$program")"
  c++ $flags -Wall -Wextra -Werror "$program" -o "${program%.cpp}" $links || { cat "$program"; exit 1; }
done
