"""Train a classifier of PyTorch on vectors that the workers of a DataLoader compute.

    python torch_dataset.py MODEL EXAMPLES.tsv

EXAMPLES.tsv has a label, a tab and a text per line; MODEL is any model of attend. Prints the accuracy
on the examples. The model travels to the workers as its path, and each of them reads it once.
"""

from __future__ import annotations

import sys

import attend
import torch
from torch.utils.data import DataLoader, Dataset


class Embedded(Dataset[tuple[torch.Tensor, int]]):
    """Vectors of texts, and their labels as numbers."""

    def __init__(self, embedder: attend.Embedder, path: str) -> None:
        self.embedder = embedder
        with open(path, encoding="utf-8") as file:
            self.rows = [line.rstrip("\n").split("\t") for line in file]
        self.labels = sorted({label for label, _ in self.rows})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        label, text = self.rows[index]
        vector = torch.from_numpy(self.embedder.encode(text))
        return vector, self.labels.index(label)


def main() -> None:
    data = Embedded(attend.Embedder(sys.argv[1], threads=1), sys.argv[2])
    torch.manual_seed(1)
    layer = torch.nn.Linear(data.embedder.width, len(data.labels))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    loader = DataLoader(data, batch_size=16, shuffle=True, num_workers=2)
    correct = 0
    for _ in range(10):
        correct = 0
        for vectors, labels in loader:
            logits = layer(vectors)
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits, labels).backward()
            optimizer.step()
            correct += int((logits.argmax(dim=1) == labels).sum())
    print(f"accuracy {correct / len(data):.3f} on {len(data)} examples")


if __name__ == "__main__":
    main()
