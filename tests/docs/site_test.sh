#!/bin/sh
# `make site`: the site of all pages and of the references is made, every link works, and the references are complete.
# Skipped, with exit status 77, without its generator (make test PEERS=1 installs it) or the Python module, whose stubs it reads.
# Usage: site_test.sh ROOT PYTHON_PACKAGE
set -eu
root=$(cd "${1:?usage: site_test.sh ROOT PYTHON_PACKAGE}" && pwd)
package=${2:?usage: site_test.sh ROOT PYTHON_PACKAGE}
python=$root/build/site-python/bin/python

[ -x "$python" ] && "$python" -c 'import material, mkdocstrings' 2>/dev/null || {
  echo "skipped: the generator of the site is not installed: tools/python_environment.sh build/site-python site"
  exit 77
}
[ -e "$package/_attend.pyi" ] && [ -e "$package/_options.py" ] || {
  echo "skipped: the Python module is not built"
  exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$root/tests/docs/site_test.py" "$root" "$package"
