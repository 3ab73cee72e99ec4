"""Vectors of a text on a cluster with Ray Data.

    python ray_embed.py MODEL INPUT OUTPUT

MODEL is a path that every worker can read; each worker reads it once. OUTPUT becomes a folder of
Parquet files with the columns text and vector.
"""

from __future__ import annotations

import sys
from typing import Any

import attend
import ray


class Embed:
    """One per worker."""

    def __init__(self, model: str) -> None:
        self.embedder = attend.Embedder(model, threads=1)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {"text": batch["text"], "vector": self.embedder.encode(list(batch["text"]))}


def main() -> None:
    model, source, out = sys.argv[1:]
    lines = ray.data.read_text(source)
    # From one worker on: two would leave no core of a machine of two for reading the text.
    workers = ray.data.ActorPoolStrategy(min_size=1, max_size=2)
    lines.map_batches(Embed, fn_constructor_args=(model,), compute=workers).write_parquet(out)


if __name__ == "__main__":
    main()
