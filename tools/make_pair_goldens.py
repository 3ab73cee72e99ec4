#!/usr/bin/env python3
"""How tokenizers of transformers join two texts: tests/interchange/data/pairs_of_texts.json.

    make_pair_goldens.py

Each case is a model directory of the fixtures with other settings in its files. "ids" are null for a
form that attend refuses.
"""

import json
import logging
import pathlib
import shutil
import tempfile

from transformers import AutoTokenizer

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/interchange/data"
FIRST, SECOND = "A man", "is walking"


def template(pair):
    """TemplateProcessing with a form of pairs: names with token types."""
    def element(name):
        piece, kind = name.rsplit(":", 1)
        key = "Sequence" if piece in "AB" else "SpecialToken"
        return {key: {"id": piece, "type_id": int(kind)}}

    special = {piece: {"id": piece, "ids": [i], "tokens": [piece]} for piece, i in (("[CLS]", 2), ("[SEP]", 3))}
    return {"type": "TemplateProcessing", "single": [element(e) for e in ("[CLS]:0", "A:0", "[SEP]:0")],
            "pair": [element(e) for e in pair.split()], "special_tokens": special}


def processing(kind, begin, end):
    more = {"trim_offsets": True, "add_prefix_space": False} if kind == "Roberta" else {}
    return {"type": kind + "Processing", "sep": end, "cls": begin, **more}


BERT = ["[CLS]", 2], ["[SEP]", 3]
FAIRSEQ = ["<s>", 0], ["</s>", 2]
WITHOUT_TYPES = {"model_input_names": ["input_ids", "attention_mask"]}
# A fixture, what changes in its tokenizer.json and in its tokenizer_config.json, whether attend refuses pairs.
CASES = [
    ("bert_regression", None, {}, False),
    ("bert_regression", None, WITHOUT_TYPES, False),
    ("bert_regression", None, {"model_input_names": None}, False),
    ("bert_regression", None, {"tokenizer_class": "BertTokenizer", "model_input_names": None}, False),
    ("bert_regression", None, {"tokenizer_class": "DistilBertTokenizer", "model_input_names": None}, False),
    ("bert_regression", processing("Bert", *BERT), {}, False),
    ("bert_regression", processing("Roberta", *BERT), {}, False),
    ("bert_regression", template("[CLS]:0 A:0 [SEP]:0 [SEP]:0 B:1 [SEP]:1"), {}, False),
    ("bert_regression", template("[CLS]:0 A:0 [SEP]:0 B:0 [SEP]:0"), {}, False),
    ("bert_regression", template("A:0 B:1"), {}, True),
    ("bert_regression", template("[CLS]:0 A:0 [SEP]:1 B:1 [SEP]:1"), {}, True),
    ("bert_regression", template("[CLS]:0 B:0 [SEP]:0 A:1 [SEP]:1"), {}, True),
    ("distilbert_classifier", processing("Bert", *BERT), {}, False),
    ("distilbert_classifier", processing("Roberta", *BERT), {}, False),
    ("roberta_multi_label", None, {}, False),
    ("roberta_multi_label", processing("Bert", *FAIRSEQ), {}, False),
    ("xlm_roberta_classifier", None, {}, False),
    ("mpnet_classifier", None, {}, False),
    ("electra_classifier", None, {}, False),
    ("camembert_classifier", None, {}, False),
    ("albert_classifier", None, {}, False),
    ("nomic_bert_classifier", None, {}, False),
    ("deberta_classifier", None, {}, False),
]


def changed(path, change):
    content = json.loads(path.read_text()) | change
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path.read_text()


def main():
    logging.disable(logging.WARNING)
    cases = []
    for fixture, processor, settings, refused in CASES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / fixture
            shutil.copytree(DATA / "models" / fixture, folder)
            files = {}
            if processor:
                changed(folder / "tokenizer.json", {"post_processor": processor})
                files["post_processor"] = processor
            if settings:
                files["tokenizer_config.json"] = changed(folder / "tokenizer_config.json", settings)
            read = AutoTokenizer.from_pretrained(folder)(FIRST, SECOND)
        ids = read["input_ids"]
        if json.loads((DATA / "models" / fixture / "config.json").read_text()).get("type_vocab_size") == 0:
            read.pop("token_type_ids", None)  # the model has none
        cases.append({"fixture": fixture, **files, "ids": None if refused else ids,
                      "types": read.get("token_type_ids", [0] * len(ids))})
    lines = ",\n".join(json.dumps(case) for case in cases)
    (DATA / "pairs_of_texts.json").write_text(f"[\n{lines}\n]\n")


main()
