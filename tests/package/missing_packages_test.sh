#!/bin/sh
# What is missing is named, with the command that installs it: every package of the build for `pip install .`, and what the
# Python module needs for `make test`. Nothing is installed or removed: programs that answer otherwise stand in for those of the system.
#   missing_packages_test.sh SOURCE
set -eu
source=$(realpath "${1:?usage: missing_packages_test.sh SOURCE}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"

expect() {  # WHAT FILE LINE...: the file holds the lines
  what=$1 file=$2
  shift 2
  for line in "$@"; do
    grep -qF -e "$line" "$file" || { echo "$what: expected the line '$line', got:"; cat "$file"; exit 1; }
  done
}
stand_in() {  # NAME: the program of that name, from standard input
  cat >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

echo "== pip install . without a package"
# Every package is installed but the one in ABSENT.
stand_in dpkg-query <<'SH'
#!/bin/sh
for argument in "$@"; do
  case "$argument" in -* | "$ABSENT") ;; *) printf '%s=installed ' "$argument" ;; esac
done
SH
cat >"$work/dependencies.cmake" <<CMAKE
set(SKBUILD ON)
set(PROJECT_SOURCE_DIR "$source")
include("$source/cmake/dependencies.cmake")
CMAKE
packages=$("$source/tools/dependencies.sh" list build)
[ "$(echo "$packages" | wc -w)" -gt 10 ]
for package in $packages; do
  if ABSENT=$package PATH="$work/bin:$PATH" cmake -P "$work/dependencies.cmake" >"$work/log" 2>&1; then
    echo "$package: not missed"
    exit 1
  fi
  expect "$package" "$work/log" "These packages are missing: $package" "Install them with: sudo apt-get install $package"
done
# With all of them, it goes on to look for them.
ABSENT= PATH="$work/bin:$PATH" cmake -P "$work/dependencies.cmake" >"$work/log" 2>&1 || true
if grep -q 'These packages are missing' "$work/log"; then cat "$work/log"; exit 1; fi

echo "== systems without apt"
mkdir "$work/no_apt"
ln -s "$(command -v sh)" "$work/no_apt/sh"
for manager in dnf zypper apk pacman; do
  printf '#!/bin/sh\n' >"$work/no_apt/$manager"
  chmod +x "$work/no_apt/$manager"
  PATH="$work/no_apt" "$source/tools/dependencies.sh" ensure build >"$work/log" 2>&1
  expect "$manager" "$work/log" "no apt on this system; unless they are there, install them with: $manager "
  grep -q -i sentencepiece "$work/log"
  # A command to copy, without remarks.
  if grep -q "$manager .*," "$work/log"; then cat "$work/log"; exit 1; fi
  rm "$work/no_apt/$manager"
done
PATH="$work/no_apt" "$source/tools/dependencies.sh" ensure build >"$work/log" 2>&1
expect "no manager" "$work/log" "install them with: the equivalents of: g++ cmake"

echo "== the Python module without its parts"
without() {  # WHAT MESSAGE [PYTHON]: no flags for CMake, and the reason on standard error
  PYTHON=${3:-$work/bin/python} "$source/tools/python_environment.sh" "$work/venv" >"$work/flags" 2>"$work/log"
  [ ! -s "$work/flags" ] || { echo "$1: expected no flags, got:"; cat "$work/flags"; exit 1; }
  expect "$1" "$work/log" "without the Python module: $2"
}
without "no Python" "there is no $work/none (tools/dependencies.sh ensure python)" "$work/none"
# A Python that fails in what FAILS names.
stand_in python <<'SH'
#!/bin/sh
case "$*" in
  *Python.h*) [ "$FAILS" != headers ] ;;
  *ensurepip*) [ "$FAILS" != venv ] ;;
  "-m venv "*) mkdir -p "$3/bin" && printf '#!/bin/sh\nexit 1\n' >"$3/bin/pip" && chmod +x "$3/bin/pip" ;;
esac
SH
export FAILS
FAILS=headers without "no headers" "it needs $work/bin/python 3.10 or later with its development files (tools/dependencies.sh ensure python)"
FAILS=venv without "no venv" "$work/bin/python has no venv (tools/dependencies.sh ensure python)"
FAILS=pip without "no packages" "pip cannot install tools/python_requirements.txt (see $work/venv.log)"

echo "== the tests of the Python module without their parts"
skipped() {  # WHAT MESSAGE
  status=0
  "$source/tests/python/run_tests.sh" "$source" "$work/build" "$work/bin/python" >"$work/log" || status=$?
  [ $status -eq 77 ] || { echo "$1: expected status 77, got $status"; exit 1; }
  expect "$1" "$work/log" "$2"
}
skipped "no module" "skipped: the Python module was not built (needs python3-dev and python3-venv; see tools/python_environment.sh)"
mkdir -p "$work/build/python/attend"
: >"$work/build/python/attend/_attend.abi3.so"
printf '#!/bin/sh\nexit 1\n' | stand_in python
skipped "no NumPy" "skipped: $work/bin/python has no numpy or no pytest"
echo "what is missing is named"
