"""The Python of the pages runs, block after block."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import shutil

import attend
import pytest
from conftest import SOURCE, Models

BLOCKS = [
    block
    for page in (SOURCE / "README.md", SOURCE / "docs" / "python.md")
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M)
]


def test_every_block_of_the_pages_runs(
    models: Models, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(BLOCKS) > 8
    for name, model in {
        "en-de": models.translator,
        "reviews": models.classifier,
        "stories": models.generator,
    }.items():
        shutil.copy(model, tmp_path / f"{name}.safetensors")
    shutil.copy(models.folder / "train.en", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, 1):
        if "import torch" in block and importlib.util.find_spec("torch") is None:
            continue
        exec(compile(block, f"Python block {number} of the pages", "exec"), names)
    assert isinstance(names["model"], attend.Translator)


def test_the_notebook_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((SOURCE / "examples" / "attend_tour.ipynb").read_text())
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 4 and not any(c.get("outputs") for c in notebook["cells"])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, cell in enumerate(cells, 1):
        exec(compile(cell, f"cell {number} of attend_tour.ipynb", "exec"), names)
    assert isinstance(names["translator"], attend.Translator)
