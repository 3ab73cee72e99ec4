#!/bin/sh
# The tests of the Python package in the build folder. Skipped (77), with the reason, where the module was not
# built or its Python lacks pytest or NumPy.
#   run_tests.sh SOURCE_DIR BUILD_DIR PYTHON [arguments for pytest]
set -eu
source=$1 build=$2 python=$3
shift 3
[ -e "$build/python/attend/_attend.abi3.so" ] || {
  echo "skipped: the Python module was not built (needs python3-dev and python3-venv; see tools/python_environment.sh)"
  exit 77
}
"$python" -c 'import numpy, pytest' 2>/dev/null || {
  echo "skipped: $python has no numpy or no pytest"
  exit 77
}
export PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1 ATTEND_PROGRAM="$build/attend" ATTEND_SOURCE="$source"
exec "$python" -m pytest -q -rs --rootdir "$source" "$source/tests/python" "$@"
