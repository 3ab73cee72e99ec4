#!/bin/sh
# Unpacks packages for another processor into build/sysroot-ARCHITECTURE: what a cross compiler links and qemu loads. Nothing is
# installed: apt works on lists of its own, and needs no root.
#   tools/sysroot.sh arm64                the libraries that attend needs
#   tools/sysroot.sh arm64 interpreter    another group of tools/dependencies.sh, into build/sysroot-arm64-interpreter
set -eu
cd "$(dirname "$0")/.."
architecture="${1:?usage: sysroot.sh ARCHITECTURE [GROUP]}"
root="$PWD/build/sysroot-$architecture${2:+-$2}"
packages=$(tools/dependencies.sh list "${2:-libraries}")
[ "$(cat "$root/packages" 2>/dev/null)" != "$packages" ] || exit 0

apt="$root.apt"
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
apt_get() {
  apt-get -q -y -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Install-Recommends=false \
    -o APT::Sandbox::User= -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" "$@"
}
apt_get update
apt_get install --download-only $packages

# Debian 12 has /lib in /usr. Links to absolute paths would lead out of the folder.
rm -rf "$root"
mkdir -p "$root/usr/lib"
ln -s usr/lib "$root/lib"
for package in "$apt"/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$root"
done
find "$root" -type l -lname '/*' | while read -r link; do
  ln -sfr "$root$(readlink "$link")" "$link"
done
printf '%s\n' "$packages" >"$root/packages"
rm -rf "$apt"
echo "sysroot: $root"
