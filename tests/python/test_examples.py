"""The examples on a few sentences; each is skipped without the package it shows."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import attend
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

EXAMPLES = SOURCE / "examples"


def run_example(name: str | pathlib.Path, *arguments: object) -> str:
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    run = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)],
        capture_output=True, encoding="utf-8", timeout=300, env=environment,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_torch_dataset_learns_the_labels(models: Models) -> None:
    pytest.importorskip("torch")
    printed = run_example("torch_dataset.py", models.classifier, models.folder / "train.tsv")
    found = re.fullmatch(r"accuracy (\S+) on 32 examples\n", printed)
    assert found and float(found[1]) > 0.9


def require_spark() -> None:
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java (sudo apt-get install default-jre-headless)")


def test_spark_translates_the_lines_in_order(models: Models, tmp_path: pathlib.Path) -> None:
    require_spark()
    lines = ENGLISH * 20
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    run_example("spark_translate.py", models.translator, tmp_path / "in.txt", tmp_path / "out")
    parts = sorted((tmp_path / "out").glob("part-*"))
    assert len(parts) >= 2
    written = [line for part in parts for line in part.read_text().splitlines()]
    expected = attend.Translator(models.translator).translate(lines)
    assert written == [one.text for one in expected]


KILLED = """
import os, pathlib, signal, sys
import attend
from pyspark.sql import SparkSession

master, model, source, out, marker = sys.argv[1:]
translator = attend.Translator(model, threads=1)


def victim():
    \"\"\"The process of this worker or, on a cluster, of its executor: two above it.\"\"\"
    process = os.getpid()
    for _ in range(2 if master.startswith("local-cluster") else 0):
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rpartition(")")[2].split()[1])
    return process


def translate(lines):
    for number, one in enumerate(translator.translate_iterable(lines, window=4)):
        if number == 5 and not pathlib.Path(marker).exists():
            pathlib.Path(marker).touch()
            os.kill(victim(), signal.SIGKILL)
        yield one.text

builder = SparkSession.builder.master(master).config("spark.executor.memory", "512m")
path = os.environ.get("PYTHONPATH", "")
spark = builder.config("spark.executorEnv.PYTHONPATH", path).getOrCreate()
spark.sparkContext.textFile(source, 4).mapPartitions(translate).saveAsTextFile(out)
"""


# A worker of one process, and an executor of a cluster of two with its workers.
@pytest.mark.parametrize("master", ["local[2,4]", "local-cluster[2,1,512]"])
def test_spark_loses_nothing_when_a_worker_is_killed(
    models: Models, tmp_path: pathlib.Path, master: str
) -> None:
    require_spark()
    lines = ENGLISH * 20
    (tmp_path / "in.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "killed.py").write_text(KILLED)
    marker, out = tmp_path / "killed", tmp_path / "out"
    run_example(tmp_path / "killed.py", master, models.translator, tmp_path / "in.txt", out, marker)
    assert marker.exists()
    parts = sorted(out.glob("part-*"))
    written = [line for part in parts for line in part.read_text().splitlines()]
    expected = attend.Translator(models.translator).translate(lines)
    assert written == [one.text for one in expected]


def test_ray_embeds_every_line(models: Models, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("ray.data")
    parquet = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "in.txt").write_text("\n".join(ENGLISH) + "\n")
    run_example("ray_embed.py", models.translator, tmp_path / "in.txt", tmp_path / "out")
    rows = parquet.read_table(tmp_path / "out").to_pylist()
    assert sorted(row["text"] for row in rows) == sorted(ENGLISH)
    embedder = attend.Embedder(models.translator)
    for row in rows:
        numpy.testing.assert_array_equal(numpy.float32(row["vector"]), embedder.encode(row["text"]))
