"""The Python of the pages runs, block after block."""

from __future__ import annotations

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
        exec(compile(block, f"Python block {number} of the pages", "exec"), names)
    assert isinstance(names["model"], attend.Translator)
