#!/bin/sh
# The package in a bare Debian 12: tests/package/debian_test.sh attend.deb
# Installs it with only its dependencies, trains the demo's model, and builds a program against it. Needs
# root and the network.
set -eu
package=$1
[ "$(id -u)" -eq 0 ] || { echo "debian_test: needs root, for debootstrap and chroot" >&2; exit 1; }
root=$(mktemp -d /tmp/attend-debian.XXXXXX)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
in_root() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

echo "== lintian"
# One package for people who want all of it: the library and its headers have no packages of their own.
lintian --fail-on error,warning --allow-root \
  --suppress-tags package-name-doesnt-match-sonames,link-to-shared-library-in-wrong-package "$package"

echo "== a bare Debian 12"
debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
rm -f "$root.log"
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
cp -r "$(dirname "$0")/../../examples" "$root/examples"
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
