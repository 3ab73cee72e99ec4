"""Beside PyTorch in one process, imported in either order. Skipped without PyTorch."""

from __future__ import annotations

import subprocess
import sys

import attend
import numpy
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


SLOWDOWN = """
import sys, time, attend

translator = attend.Translator(sys.argv[1], threads=1)

def cost():
    begin = time.thread_time()
    translator.translate(sys.argv[2:] * 50)
    return time.thread_time() - begin

alone = min(cost() for _ in range(12))  # the least is that of an undisturbed moment
import torch
matrix = torch.ones(300, 300)
beside = alone * 100
for _ in range(12):
    torch.mm(matrix, matrix).sum().item()
    beside = min(beside, cost())
print(beside / alone)
"""


def test_pytorch_in_the_process_slows_nothing_down(models: Models) -> None:
    ratios = []
    for _ in range(6):  # until a moment without other programs
        run = subprocess.run(
            [sys.executable, "-c", SLOWDOWN, str(models.translator), *ENGLISH],
            capture_output=True, encoding="utf-8", timeout=120, check=True,
        )  # fmt: skip
        ratios.append(float(run.stdout))
        if ratios[-1] < 1.10:
            return
    raise AssertionError(f"slower beside PyTorch: {ratios}")


class Vectors:
    """Computes the vector of a sentence where it is asked for: in a worker."""

    def __init__(self, embedder: attend.Embedder) -> None:
        self.embedder = embedder

    def __len__(self) -> int:
        return len(ENGLISH)

    def __getitem__(self, index: int) -> numpy.ndarray:
        vector: numpy.ndarray = self.embedder.encode(ENGLISH[index])
        return vector


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_compute(models: Models, method: str) -> None:
    from torch.utils.data import DataLoader

    embedder = attend.Embedder(models.translator, threads=2)
    expected = embedder.encode(ENGLISH)  # the threads of the parent have worked
    loader = DataLoader(
        Vectors(embedder), batch_size=2, num_workers=2, multiprocessing_context=method, timeout=120
    )
    for _ in range(2):
        found = numpy.concatenate([batch.numpy() for batch in loader])
        numpy.testing.assert_array_equal(found, expected)
