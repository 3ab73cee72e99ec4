"""Translate a text on a cluster with Spark.

    spark-submit spark_translate.py MODEL INPUT OUTPUT

MODEL is a path that every worker can read; each worker process reads it once. OUTPUT becomes a folder
of parts whose lines are those of INPUT, in order. A task whose worker dies is run again by Spark.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import attend
from pyspark.sql import SparkSession


def main() -> None:
    model, source, out = sys.argv[1:]
    translator = attend.Translator(model, threads=1)  # travels as its path

    def translate(lines: Iterator[str]) -> Iterator[str]:
        return (one.text for one in translator.translate_iterable(lines))

    spark = SparkSession.builder.appName("translate").getOrCreate()
    text = spark.sparkContext.textFile(source, minPartitions=8)
    text.mapPartitions(translate).saveAsTextFile(out)
    spark.stop()


if __name__ == "__main__":
    main()
