#!/bin/sh
# The package in a bare Debian: tests/package/debian_test.sh RELEASE    e.g. trixie
# Builds the package in a root of that release with its g++, then builds and tests the program with its clang; with CCACHE_DIR,
# by that cache. In another root, it installs the package with only its dependencies, trains the demo's model, and builds a
# program against it. Needs root and the network.
set -eu
release=${1:?usage: debian_test.sh RELEASE}
[ "$(id -u)" -eq 0 ] || { echo "debian_test: needs root, for debootstrap and chroot" >&2; exit 1; }
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d /tmp/attend-debian.XXXXXX)
root=$work/root

# Removes nothing that is still mounted.
remove() {
  umount "$1/proc" 2>/dev/null || true
  umount "$1/ccache" 2>/dev/null || true
  if grep -q " $1/" /proc/mounts; then echo "debian_test: leaves $1, where something is mounted" >&2; else rm -rf "$1"; fi
}
trap 'remove "$work/build"; remove "$work/root"; remove "$work"' EXIT
trap 'exit 1' HUP INT TERM

in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
# The output of a long command matters only if it fails.
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }; }
bare_root() { quietly debootstrap --variant=minbase "$@" "$release" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"; }

build_with_clang() {
  # Debian 12's own is 14, which is too old.
  if [ "$release" = bookworm ]; then clang=clang-16; else clang=clang; fi
  echo "== a build with $clang"
  quietly in_root apt-get install -y -q --no-install-recommends "$clang"
  quietly in_root ${CCACHE_DIR:+CCACHE_DIR=/ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache} cmake --preset release -S /root/attend \
    -DCMAKE_CXX_COMPILER="clang++${clang#clang}"
  tests="test_tensor test_backend test_nn test_text test_decode test_documents"
  # shellcheck disable=SC2086  # each name is a word
  quietly in_root ${CCACHE_DIR:+CCACHE_DIR=/ccache} cmake --build /root/attend/build/release --target attend_program $tests
  for test in $tests; do
    quietly in_root sh -c "cd /root/attend/build/release/tests && ./$test --gtest_brief=1"
    tail -n 1 "$work/log"
  done
  in_root /root/attend/build/release/attend demo --out /demo | grep 'BLEU on'
}

build_package() {
  echo "== a build in $release"
  root=$work/build
  bare_root --include=ca-certificates,make
  mount -t proc proc "$root/proc"
  if [ -n "${CCACHE_DIR:-}" ]; then
    mkdir "$root/ccache"
    mount --bind "$CCACHE_DIR" "$root/ccache"
  fi
  mkdir "$root/root/attend"
  tar -C "$source" --exclude=./build --exclude=./dist --exclude=./.git -c . | tar -C "$root/root/attend" -x
  quietly in_root ${CCACHE_DIR:+CCACHE_DIR=/ccache} make -C /root/attend package
  in_root sh -c 'c++ --version | head -n 1'
  mv "$root"/root/attend/build/package/*.deb "$work"
  package=$(echo "$work"/*.deb)
  build_with_clang
  remove "$root"
  root=$work/root
}
build_package

echo "== lintian"
# One package for people who want all of it: the library and its headers have no packages of their own.
lintian --fail-on error,warning --allow-root \
  --suppress-tags package-name-doesnt-match-sonames,link-to-shared-library-in-wrong-package "$package"

echo "== a bare $release"
bare_root
cp "$package" "$root/attend.deb"
in_root sh -c 'dpkg -i /attend.deb >/dev/null 2>&1 || true; apt-get update -q >/dev/null; apt-get install -f -y -q --no-install-recommends' |
  grep -E '^(Setting up|E:)' || true
in_root dpkg --status attend | grep -q '^Status: install ok installed'
in_root attend --version
if in_root ldd /usr/bin/attend | grep 'not found'; then exit 1; fi

echo "== attend demo"
in_root attend demo --out /demo | grep 'BLEU on'
[ -s "$root/demo/attention.html" ]
in_root sh -c 'echo "The old dog sleeps." | attend translate /demo/run/model.safetensors' | grep .

echo "== a program of one's own"
in_root apt-get install -y -q --no-install-recommends g++ cmake make pkg-config >/dev/null 2>&1
cp -r "$source/examples" "$root/examples"
in_root sh -c 'cmake -S /examples -B /examples/build && cmake --build /examples/build && /examples/run_examples.sh /examples/build' \
  >"$root/examples.log" 2>&1 || { tail -30 "$root/examples.log"; exit 1; }
in_root sh -c 'g++ /examples/translate.cpp $(pkg-config --cflags --libs attend) -o /translate && ldd /translate' | grep libattend.so.0.2

echo "== completions and the manual page"
in_root apt-get install -y -q --no-install-recommends bash-completion zsh fish >/dev/null 2>&1
in_root bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader attend; complete -p attend' |
  grep -q _attend
in_root zsh -fc 'autoload -U compinit; compinit -u; print $_comps[attend]' | grep -q _attend
in_root env HOME=/root fish -c "complete -C 'attend tra'" | grep -q '^translate'
gzip -cd "$root"/usr/share/man/man1/attend.1* 2>/dev/null | grep -q '^.SH EXIT STATUS' ||
  grep -q '^.SH EXIT STATUS' "$root/usr/share/man/man1/attend.1"

echo "== and away again"
in_root apt-get purge -y -q attend >/dev/null 2>&1
[ ! -e "$root/usr/bin/attend" ] && [ ! -e "$root/usr/include/attend" ]
