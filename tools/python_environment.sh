#!/bin/sh
# A virtual environment in FOLDER to build and test the Python module with; with "peers", also what tests compare attend
# with. Prints the flags for CMake; where that is impossible, nothing but the reason, on standard error. PYTHON names
# another interpreter than python3. With "site": one to make the site of the pages with; prints its interpreter.
#   tools/python_environment.sh FOLDER [peers|site]
set -eu
folder="${1:?usage: python_environment.sh FOLDER [peers|site]}"
python="${PYTHON:-python3}"
root=$(cd "$(dirname "$0")/.." && pwd)
own=tools/python_requirements.txt
all="$own tools/peer_requirements.txt"
requirements=$own
reached="the Python module"
case "${2:-}" in
  peers) requirements=$all ;;
  site) requirements=tools/site/requirements.txt all=$requirements reached="the site" ;;
esac

without() {
  echo "without $reached: $*" >&2
  exit 0
}

command -v "$python" >/dev/null || without "there is no $python (tools/dependencies.sh ensure python)"
"$python" -c 'import os, sys, sysconfig; sys.exit(sys.version_info < (3, 10) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' ||
  without "it needs $python 3.10 or later with its development files (tools/dependencies.sh ensure python)"
"$python" -c 'import ensurepip, venv' 2>/dev/null || without "$python has no venv (tools/dependencies.sh ensure python)"

texts() { (cd "$root" && cat "$@"); }
made_from() { texts "$@" | cmp -s - "$folder/requirements.txt"; }

# Made anew when the requirements change; one with the peers serves without them, too.
if ! made_from $requirements && ! made_from $all; then
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  { "$python" -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check $(printf -- "-r $root/%s " $requirements); } >"$folder.log" 2>&1 ||
    without "pip cannot install $requirements (see $folder.log)"
  texts $requirements >"$folder/requirements.txt"
fi
[ "${2:-}" != site ] || { echo "$(cd "$folder" && pwd)/bin/python"; exit 0; }
echo "-DATTEND_PYTHON=ON -DPython_EXECUTABLE=$(cd "$folder" && pwd)/bin/python"
