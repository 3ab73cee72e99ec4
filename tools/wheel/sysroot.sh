#!/bin/sh
# Makes build/wheel-PROCESSOR/sysroot: headers and libraries by which Debian 12's GCC builds for systems as old as glibc 2.28.
#   tools/wheel/sysroot.sh PROCESSOR    x86_64 or aarch64
#
# The C library is that of Debian 11 (glibc 2.31), without the functions and the versions that came after 2.28. C++'s is Debian 12's,
# linked statically, except for what throws and catches: exceptions pass from module to module, so all must share one libstdc++.so.6.
# Highway, SentencePiece and fmt are built here; the other libraries are Debian 12's static ones. Nothing is installed: apt works on
# lists of its own, and needs no root.
set -eu
processor=${1:?usage: sysroot.sh PROCESSOR}
cd "$(dirname "$0")/../.."
here=$PWD/tools/wheel
folder=$PWD/build/wheel-$processor
sysroot=$folder/sysroot
library=$processor-linux-gnu
case $processor in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "sysroot: $processor is neither x86_64 nor aarch64" >&2; exit 2 ;;
esac
compiler=$library-g++
packages="libc6/bullseye libc6-dev/bullseye linux-libc-dev/bullseye libcrypt-dev/bullseye libstdc++6/bullseye libgcc-s1/bullseye
  libboost1.74-dev libcli11-dev libpcre2-dev libpython3.11-dev libssl-dev libtomlplusplus-dev libutf8proc-dev libzstd-dev
  nlohmann-json3-dev zlib1g-dev"
made="$packages $(cat "$0" tools/static_libraries.sh "$here"/*.py "$here"/*.cpp | sha256sum)"
[ "$(cat "$sysroot/made" 2>/dev/null)" != "$made" ] || exit 0

apt=$folder/apt
apt_get() {
  apt-get -q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User= -o Dir::State="$apt" \
    -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" "$@"
}

fetch() {
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  : >"$apt/status"
  mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian} old=
  curl --silent --fail --head --location "$mirror/dists/bullseye/Release" >/dev/null || old=http://archive.debian.org/debian
  key=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg
  printf 'deb [%s] %s bookworm main\n' "$key" "$mirror" >"$apt/sources.list"
  printf 'deb [%s%s] %s bullseye main\n' "$key" "${old:+ check-valid-until=no}" "${old:-$mirror}" >>"$apt/sources.list"
  apt_get update
  (cd "$apt/archives" && apt_get download $packages)
}

unpack() {
  mkdir -p "$sysroot/usr/lib"
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$sysroot"
  done
  # Links to absolute paths would lead out of the folder.
  find "$sysroot" -type l -lname '/*' | while read -r link; do
    ln -sfr "$sysroot$(readlink "$link")" "$link"
  done
  # The module opens OpenSSL itself (python/openssl.cpp).
  for name in ssl crypto; do
    rm -f "$sysroot/usr/lib/$library/lib$name".*
    "$library-ar" rcs "$sysroot/usr/lib/$library/lib$name.a"
  done
}

stub() { python3 "$here/stub_library.py" "$library-gcc" "$@"; }
older_libraries() {
  stubs=$folder/stubs
  for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1; do
    stub "$sysroot/lib/$library/$name" "$stubs/$name" GLIBC_2.28
  done
  # Exceptions, terminate(), type_info, and memory.
  stub "$sysroot/usr/lib/$library/libstdc++.so.6" "$stubs/libstdc++.so.6" CXXABI_1.3.11 GLIBCXX_3.4.24 \
    --names '__cxa_.*|__gxx_.*|__dynamic_cast|_Z(N|NK|T[ISV]N?K?)(St|10__cxxabiv1).*(exception|type_info|bad_alloc).*|_ZTI.|_Zn[aw].*|_Zd[al].*|_ZSt(9terminate|13get_terminate|13set_terminate|1[89]uncaught_exceptions?|17current_exception|17rethrow_exception).*'
  for name in libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 librt.so.1; do
    mv -f "$stubs/$name" "$(realpath "$sysroot/lib/$library/$name")"
  done
  mv "$stubs/libstdc++.so.6" "$sysroot/usr/lib/$library/libexceptions.so"
  "$compiler" -O2 -fPIC -fvisibility=hidden -c "$here/newer_functions.cpp" -o "$sysroot/usr/lib/$library/newer_functions.o"
}

mkdir -p "$folder"
rm -rf "$sysroot" "$apt"
(
  set -e
  fetch
  unpack
  older_libraries
  rm -rf "$apt"
  AR=$library-ar tools/static_libraries.sh "$folder/libraries" "$sysroot/usr" --toolchain "$PWD/cmake/toolchains/wheel.cmake" -DATTEND_PROCESSOR="$processor"
  sed -i "s,$sysroot,," "$sysroot"/usr/lib/pkgconfig/*.pc
  printf '%s\n' "$made" >"$sysroot/made"
) >"$folder/sysroot.log" 2>&1 & # not in a condition, in which -e has no effect
wait $! || { tail -n 30 "$folder/sysroot.log"; exit 1; }
