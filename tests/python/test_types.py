"""The types of the package and of the examples, as mypy sees them."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import attend
import pytest
from conftest import SOURCE

pytest.importorskip("mypy")


def mypy(*arguments: object) -> subprocess.CompletedProcess[str]:
    package = pathlib.Path(attend.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", SOURCE / "pyproject.toml",
         "--cache-dir", os.devnull, *map(str, arguments)],
        capture_output=True, encoding="utf-8", cwd=SOURCE, env=os.environ | {"MYPYPATH": str(package)},
    )  # fmt: skip


def test_the_package_and_the_examples_are_strictly_typed() -> None:
    run = mypy(pathlib.Path(attend.__file__).parent, *sorted((SOURCE / "examples").glob("*.py")))
    assert run.returncode == 0, run.stdout


WRONG = """
import attend

translator = attend.Translator("model.safetensors")
text: int = translator.translate("a").text
translator.translate("a", beem_size=2)
attend.Embedder(3)
"""


def test_wrong_types_are_noticed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    run = mypy(tmp_path / "wrong.py")
    for line in (5, 6, 7):
        assert f"wrong.py:{line}: error" in run.stdout, run.stdout
