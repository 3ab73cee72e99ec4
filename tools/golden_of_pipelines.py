"""Writes what the pipelines of transformers answer to small models: tests/interchange/data/models.

    golden_of_pipelines.py [NAME...]

pipeline.json of a model for token classification: for each strategy and text the groups, with their
label, word, place in characters and score.
"""

import json
import logging
import pathlib
import sys

from transformers import pipeline

MODELS = pathlib.Path(__file__).resolve().parent.parent / "tests/interchange/data/models"
TEXTS = [
    "A man is walking.",
    '"(A man)" sleeps, doesn\'t he?',
    "the old dog  sees   a CAT ",
    "caf\u00e9 na\u00efve Z\u00fcrich 12,345.67 U.S.",
    "\u6771\u4eac \U0001f44d\U0001f3fd e\u0301",
    "a [SEP] man [MASK]. </s> dog <mask>!",
    "hello-world a/b ... [UNK]",
    " ".join(["The old man sees two dogs and a cat."] * 5),
    " A man is walking.",
    "    A man  ",
    "\n\tA\u00a0man\r\n",
    "\u00a0 \u2003dog ",
    "A  <mask>  man</s>dog </s> cat[SEP]a",
    "  " + "   ".join(["The old man\n sees two dogs"] * 5),
]
STRATEGIES = ["none", "simple", "first", "average", "max"]


def groups(found):
    return [
        [one.get("entity", one.get("entity_group")), one["word"], one["start"], one["end"], round(float(one["score"]), 5)]
        for one in found
    ]


def tagger(directory):
    cases = []
    for strategy in STRATEGIES:
        tag = pipeline("token-classification", model=str(directory), aggregation_strategy=strategy, ignore_labels=[])
        positions = tag.model.config.max_position_embeddings
        tag.tokenizer.model_max_length = positions - (2 if tag.model.config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet") else 0)
        strides = [0] if strategy == "none" else [0, 4]
        for text in TEXTS:
            for stride in strides:
                cases.append(
                    {
                        "strategy": strategy,
                        "stride": stride,
                        "text": text,
                        "groups": groups(tag(text, **({"stride": stride} if stride else {}))),
                    }
                )
    return cases


def main():
    logging.disable(logging.WARNING)
    for directory in map(MODELS.joinpath, sys.argv[1:]) if sys.argv[1:] else sorted(MODELS.glob("*_tagger")):
        target = directory / "pipeline.json"
        target.write_text(json.dumps(tagger(directory), ensure_ascii=False, separators=(",", ":")) + "\n")
        print(target, target.stat().st_size)


if __name__ == "__main__":
    main()
