"""The scripts of docs/migration: the same calls give the same, with the other program and with attend."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys

import attend
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


def block_of(page: str, kind: str) -> str:
    text = (SOURCE / "docs" / "migration" / page).read_text()
    (block,) = re.findall(rf"^<!-- {kind} -->\n```python\n(.*?)^```", text, re.S | re.M)
    return block


def names_after(page: str, kind: str, **names: object) -> dict[str, object]:
    """What a script knows at its end: a block of one program, then that of both."""
    for block in kind, "both":
        exec(compile(block_of(page, block), f"{block} of {page}", "exec"), names)
    return names


def test_ctranslate2_and_attend_translate_alike(
    models: Models, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("ctranslate2", "sentencepiece", "safetensors"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    shutil.copy(models.translator, "en-de.safetensors")
    script = SOURCE / "bench" / "compare" / "convert_to_ctranslate2.py"
    subprocess.run([sys.executable, script, "en-de.safetensors", "en-de", "float32"], check=True)
    tokenizer = attend.Translator("en-de.safetensors").source_tokenizer
    tokens = [tokenizer.pieces(sentence) for sentence in ENGLISH]
    ours, theirs = (
        names_after("ctranslate2.md", kind, tokens=tokens) for kind in ("ours", "theirs")
    )
    assert type(ours["translator"]) is not type(theirs["translator"])
    assert ours["texts"] == theirs["texts"]
    assert numpy.allclose(ours["scores"], theirs["scores"], atol=1e-4)


def test_sentence_transformers_and_attend_embed_alike(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sentence_transformers")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(FOREIGN / "bert_sentences", "minilm")
    ours, theirs = (
        names_after("sentence-transformers.md", kind) for kind in ("ours", "theirs")
    )
    assert type(ours["model"]) is not type(theirs["model"])
    for name in "queries", "documents", "scores":
        numpy.testing.assert_allclose(
            numpy.asarray(ours[name]), numpy.asarray(theirs[name]), atol=1e-5
        )
