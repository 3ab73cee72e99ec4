"""The Python of the pages runs, block after block."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import shutil

import attend
import numpy
import pytest
from conftest import COMET, ENGLISH, GERMAN, SOURCE, Models


def blocks_of(page: str) -> list[str]:
    text = (SOURCE / "docs" / page).read_text()
    return re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)


BLOCKS = blocks_of("python.md")


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
    attend.import_model(COMET, tmp_path / "comet.safetensors")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, 1):
        if "import torch" in block and importlib.util.find_spec("torch") is None:
            continue
        exec(compile(block, f"Python block {number} of the pages", "exec"), names)
    assert isinstance(names["model"], attend.Translator)


def test_the_search_of_the_tutorial_finds_the_text_itself(
    models: Models,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (block,) = blocks_of("tutorials/search.md")
    monkeypatch.chdir(tmp_path)
    embedder = attend.train_embedding(
        out="run", examples=[*zip(ENGLISH, GERMAN, strict=True)] * 8, max_steps=5, valid_every=0,
        vocab_size=60, d_model=16, n_heads=2, d_ff=32, n_encoder_layers=1,
    )  # fmt: skip
    shutil.copy("run/model.safetensors", "minilm.safetensors")
    pathlib.Path("texts.txt").write_text("\n".join(ENGLISH) + "\n")
    numpy.save("vectors.npy", embedder.encode(ENGLISH))
    names: dict[str, object] = {}
    exec(compile(block, "search.py", "exec"), names)
    capsys.readouterr()
    names["search"](ENGLISH[2], count=1)
    assert capsys.readouterr().out == f"1.000  {ENGLISH[2]}\n"


def test_the_notebook_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((SOURCE / "examples" / "attend_tour.ipynb").read_text())
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(cells) > 4 and not any(c.get("outputs") for c in notebook["cells"])
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, cell in enumerate(cells, 1):
        exec(compile(cell, f"cell {number} of attend_tour.ipynb", "exec"), names)
    assert isinstance(names["translator"], attend.Translator)
