"""Beside PyTorch in one process, imported in either order. Skipped without PyTorch."""

from __future__ import annotations

import subprocess
import sys

import attend
import pytest
from conftest import ENGLISH, Models

pytest.importorskip("torch")

BOTH = """
import sys
{imports}
import numpy

translator = attend.Translator(sys.argv[1])
embedder = attend.Embedder(sys.argv[1])
matrix = torch.ones(300, 300)
for _ in range(20):
    torch.mm(matrix, matrix).sum().item()
    texts = [one.text for one in translator.translate(sys.argv[2:])]
vectors = embedder.encode(sys.argv[2:])
shared = torch.from_numpy(vectors)
assert shared.data_ptr() == vectors.ctypes.data
shared[0, 0] = 7
assert vectors[0, 0] == 7
assert torch.from_dlpack(vectors).data_ptr() == vectors.ctypes.data
print(*texts, sep="\\n")
"""


@pytest.mark.parametrize("imports", ["import attend, torch", "import torch, attend"])
def test_both_compute_in_one_process(models: Models, imports: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", BOTH.format(imports=imports), str(models.translator), *ENGLISH],
        capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    expected = [one.text for one in attend.Translator(models.translator).translate(ENGLISH)]
    assert run.stdout.splitlines() == expected
