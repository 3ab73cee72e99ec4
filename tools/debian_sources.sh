#!/bin/sh
# Unpacks the sources of Debian packages, which apt checks, in FOLDER, with a list of sources of its own, so that none is added to the system's.
# Those that are there stay.
#   tools/debian_sources.sh FOLDER PACKAGE...
set -eu
folder=$(realpath -m "${1:?usage: debian_sources.sh FOLDER PACKAGE...}")
shift
[ "$(cat "$folder/done" 2>/dev/null)" != "$*" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder/lists/partial" "$folder/cache"
. /etc/os-release
printf 'deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
  "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" "$VERSION_CODENAME" >"$folder/sources.list"
apt_get() {
  apt-get -q -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::State::lists="$folder/lists" \
    -o Dir::Cache="$folder/cache" -o APT::Sandbox::User=root "$@"
}
apt_get update
(cd "$folder" && apt_get source "$@")
echo "$*" >"$folder/done"
