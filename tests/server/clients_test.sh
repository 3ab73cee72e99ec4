#!/usr/bin/env bash
# Real clients from PyPI against a running server: libretranslatepy, deepl, openai, litellm, huggingface_hub and the parser of prometheus-client;
# LangChain, where it can be installed; and promtool, where it is. Skipped, with exit status 77, where PyPI or pip is out of reach.
#
#   clients_test.sh ROOT ATTEND CACHE
set -euo pipefail

root=$1 attend=$2 cache=$3
python=$cache/bin/python

installed=$cache/installed-with-deepl  # another name when a package is added
if ! [ -e "$installed" ]; then
  if ! python3 -m venv "$cache" || ! timeout 500 "$python" -m pip install --quiet --disable-pip-version-check \
      libretranslatepy==2.1.4 deepl openai litellm huggingface_hub numpy prometheus-client; then
    echo "skipped: the clients cannot be installed from PyPI"
    exit 77
  fi
  touch "$installed"
fi

. "$root/tests/server/small_models.sh"
"$python" "$root/tests/server/clients_test.py" "$attend" "$url"
# It may need an older huggingface_hub than the newest.
langchain=$cache/langchain
if [ -e "$langchain/installed" ] || { python3 -m venv "$langchain" &&
  timeout 300 "$langchain/bin/python" -m pip install --quiet --disable-pip-version-check langchain-huggingface numpy && touch "$langchain/installed"; }; then
  "$langchain/bin/python" "$root/tests/server/langchain_test.py" "$attend" "$url"
else
  echo "LangChain cannot be installed from PyPI; its check is skipped"
fi
if command -v promtool >/dev/null; then
  python3 -c "import sys, urllib.request as u; sys.stdout.write(u.urlopen(sys.argv[1] + '/metrics').read().decode())" "$url" |
    promtool check metrics
else
  echo "promtool is not installed (Debian: prometheus); its check of /metrics is skipped"
fi
