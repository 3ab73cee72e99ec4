#!/usr/bin/env python3
"""Compares directories that have a SentencePiece model (or a tokenizer.json made of it) and the files that transformers reads beside it, with
the tokens that AutoTokenizer gives: random classes, models, settings and added tokens, random texts of all scripts.

    python3 tools/fuzz_tokenizer_directories.py --directories 300 build/release/tests/test_interchange   # minutes
    python3 tools/fuzz_tokenizer_directories.py --directories 80 --texts 8 --write tests/interchange/data/tokenizer_directories.jsonl

The first runs the test TokenizerDirectoryCases of the program on what it has made; `--seed` tries others. The second writes the cases that the
suite keeps. Each line is a directory: its files (those named *.model in base64, or "@N" for the model of the directory N), texts with their ids
and the ids around a text; or "fails": transformers cannot read it. Needs the packages transformers, sentencepiece and protobuf.
"""
import argparse
import base64
import contextlib
import io
import json
import os
import random
import sys
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"

import sentencepiece
import transformers

from fuzz_tokenizers import WORDS, chance, compare, random_text

# Class -> the model file, model_type of config.json, special pieces of its usual vocabulary.
CLASSES = {
    "T5Tokenizer": ("spiece.model", "t5", dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)),
    "XLMRobertaTokenizer": ("sentencepiece.bpe.model", "xlm-roberta", dict(unk_id=0, bos_id=1, eos_id=2)),
    "MBartTokenizer": ("sentencepiece.bpe.model", "mbart", dict(unk_id=0, bos_id=1, eos_id=2)),
    "MBart50Tokenizer": ("sentencepiece.bpe.model", "mbart", dict(unk_id=0, bos_id=1, eos_id=2)),
    "NllbTokenizer": ("sentencepiece.bpe.model", "m2m_100", dict(unk_id=0, bos_id=1, eos_id=2)),
    "PegasusTokenizer": ("spiece.model", "pegasus", dict(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)),
    "LlamaTokenizer": ("tokenizer.model", "llama", dict(unk_id=0, bos_id=1, eos_id=2)),
    "TokenizersBackend": ("tokenizer.model", "mistral", dict(unk_id=0, bos_id=1, eos_id=2)),
    "GemmaTokenizer": ("tokenizer.model", "llama", dict(pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", bos_piece="<bos>", eos_piece="<eos>")),
    "AlbertTokenizer": ("spiece.model", "bert", dict(pad_id=0, unk_id=1, bos_id=-1, eos_id=-1, control_symbols=["[CLS]", "[SEP]", "[MASK]"])),
    "XLNetTokenizer": ("spiece.model", "gpt2", dict(unk_id=0, bos_id=1, eos_id=2, control_symbols=["<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>"])),
    "DebertaV2Tokenizer": ("spm.model", "bert", dict(pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]", unk_piece="[UNK]",
                                                     control_symbols=["[MASK]"])),
    "CamembertTokenizer": ("sentencepiece.bpe.model", "roberta", dict(unk_id=0, bos_id=1, eos_id=2)),
}
RULES = [("\t", " "), ("\n", " "), ("\u00a0", " "), ("\u3000", " "), ("ﬁ", "fi"), ("Ｔ", "T"), ("½", "1⁄2"), ("e\u0301", "é"), ("…", "...")]
MANY_BYTES = {"LlamaTokenizer", "GemmaTokenizer", "TokenizersBackend"}
NEW = ["<tool>", "new", "newword", " sp ", "A B", "[x]", "é", "ab", "▁the", "<pad>", "[PAD]", "<extra_id_0>", "<extra_id_7>", "fra_Latn", "zzz_Latn", "en_XX", "xx_XX", "<mask>",
       "<sep>", "北京", "the", "a", "\n", "<|im_start|>", "[MASK]", "<unk>"]


def random_model(rng, name, folder, small):
    file, _, special = CLASSES[name]
    sentences = [" ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 9))) for _ in range(60)]
    kind = "bpe" if name in MANY_BYTES or name == "NllbTokenizer" else "unigram"
    options = dict(special, model_type=kind if chance(rng, 0.9) else rng.choice(["bpe", "unigram"]), byte_fallback=name in MANY_BYTES and chance(rng, 0.9),
                   add_dummy_prefix=chance(rng, 0.8), remove_extra_whitespaces=chance(rng, 0.7),
                   character_coverage=rng.choice([1.0, 0.98]))
    rule = rng.choice(["small", "small", "identity"] if small else ["nmt_nfkc", "nmt_nfkc", "identity", "nfkc_cf"])
    if rule == "small":  # the maps of the others take 200 KB
        options["normalization_rule_tsv"] = os.path.join(folder, "rules.tsv")
        with open(options["normalization_rule_tsv"], "w", encoding="utf-8") as rules:
            rules.writelines(f"{' '.join(f'{ord(c):X}' for c in a)}\t{' '.join(f'{ord(c):X}' for c in b)}\n" for a, b in RULES)
    else:
        options["normalization_rule_name"] = rule
    if chance(rng, 0.3):
        options["user_defined_symbols"] = rng.sample(["<tool>", "newword", "A B", "[x]", "▁the", "ab", "x=y"] + ["<mask>"] * ("control_symbols" not in special), rng.randint(1, 3))
    size = 60
    while True:
        try:
            sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(sentences), model_prefix=os.path.join(folder, "trained"), vocab_size=size, minloglevel=9,
                                                     hard_vocab_limit=False, **options)
            break
        except Exception as error:
            size += 40
            if size > 800:
                raise error
    os.unlink(os.path.join(folder, "trained.vocab"))
    with open(os.path.join(folder, "trained.model"), "rb") as model:
        bytes_of_model = model.read()
    os.unlink(os.path.join(folder, "trained.model"))
    return file, bytes_of_model


def token(rng, text, typed=False):
    if chance(rng, 0.4) and not typed:
        return text
    flags = {"content": text, "lstrip": chance(rng, 0.3), "rstrip": chance(rng, 0.3), "single_word": chance(rng, 0.15), "normalized": chance(rng, 0.4)}
    return dict(flags, __type="AddedToken") if typed else flags


def random_settings(rng, name, size):
    """tokenizer_config.json, special_tokens_map.json and added_tokens.json."""
    settings, tokens, added = {}, {}, {}
    if chance(rng, 0.9):
        settings["tokenizer_class"] = name + rng.choice(["", "", "Fast"]) if name != "TokenizersBackend" else rng.choice(["LlamaTokenizer", "PreTrainedTokenizerFast"])
    for flag in ("legacy", "add_prefix_space", "add_bos_token", "add_eos_token", "do_lower_case", "keep_accents", "split_by_punct", "legacy_behaviour"):
        if chance(rng, 0.25):
            settings[flag] = chance(rng)
    if name == "T5Tokenizer" and chance(rng, 0.7):
        settings["extra_ids"] = rng.choice([0, 3, 10])
    if name == "PegasusTokenizer":
        settings["offset"] = rng.choice([3, 5, 103])
    if name in ("MBartTokenizer", "MBart50Tokenizer") and chance(rng, 0.5):
        settings["src_lang"] = rng.choice(["de_DE", "fr_XX"])
    if name == "NllbTokenizer":
        languages = ["ace_Arab", "deu_Latn", "eng_Latn", "fra_Latn"]
        if chance(rng, 0.8):
            settings[rng.choice(["additional_special_tokens", "extra_special_tokens"])] = languages + (["zzz_Latn"] if chance(rng) else [])
        settings["src_lang"] = "deu_Latn"
    elif chance(rng, 0.35):
        settings[rng.choice(["additional_special_tokens", "extra_special_tokens"])] = [
            t if chance(rng) else token(rng, t, True) for t in rng.sample(NEW, rng.randint(0, 4))]
    style = rng.choice(["none", "older", "newer", "newer"])
    chosen = rng.sample(NEW, rng.randint(1, 5))
    if style == "newer":
        settings["added_tokens_decoder"] = {str(size + i): dict(token(rng, t, True), special=chance(rng, 0.6)) for i, t in enumerate(chosen)}
        for entry in settings["added_tokens_decoder"].values():
            del entry["__type"]
    if style == "older":
        added = {t: size + i for i, t in enumerate(chosen)}
    if chance(rng, 0.4):
        for key, usual in rng.sample([("mask_token", "<mask>"), ("pad_token", "<pad>"), ("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>"), ("sep_token", "[SEP]")], 2):
            value = usual if chance(rng, 0.8) else rng.choice(NEW)
            if key == "unk_token":
                value = "[UNK]" if name == "DebertaV2Tokenizer" else "<unk>"
            if chance(rng):
                settings[key] = value if chance(rng) else token(rng, value, True)
            else:
                tokens[key] = token(rng, value)
    if chance(rng, 0.2):
        tokens["additional_special_tokens"] = rng.sample(NEW, 2)
    return settings, tokens, added


def directory_of(rng, models, small):
    name = rng.choice(list(CLASSES))
    with tempfile.TemporaryDirectory() as folder:
        if len(models.setdefault(name, [])) < (2 if small else 6):
            models[name].append(random_model(rng, name, folder, small))
        file, content = rng.choice(models[name])
        size = sentencepiece.SentencePieceProcessor(model_proto=content).get_piece_size()
        settings, tokens, added = random_settings(rng, name, size + 4)
        files = {file: content, "config.json": json.dumps({"model_type": CLASSES[name][1]} | ({} if "tokenizer_class" in settings else {"tokenizer_class": name}))}
        if chance(rng, 0.9) or "tokenizer_class" in settings:
            files["tokenizer_config.json"] = json.dumps(settings, ensure_ascii=False)
        if tokens:
            files["special_tokens_map.json"] = json.dumps(tokens, ensure_ascii=False)
        if added:
            files["added_tokens.json"] = json.dumps(added, ensure_ascii=False)
        write(folder, files)
        if chance(rng, 0.25):  # the same with a tokenizer.json
            with contextlib.suppress(Exception):
                made = tempfile.mkdtemp(dir=folder)
                quiet(lambda: transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(made))
                with open(os.path.join(made, "tokenizer.json"), encoding="utf-8") as saved:
                    files["tokenizer.json"] = saved.read()
                del files[file]
                os.unlink(os.path.join(folder, file))
                write(folder, files)
        special = [t for t in NEW if chance(rng, 0.5)]
        special += ["<s>", "</s>", "<pad>", "<mask>", "<extra_id_1>", "eng_Latn", "de_DE", "[CLS]"]
        try:
            tokenizer = quiet(lambda: transformers.AutoTokenizer.from_pretrained(folder))
        except BaseException as error:
            return name, files, None, str(error), special
        return name, files, tokenizer, "", special


def quiet(function):
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        return function()


def write(folder, files):
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())


def case_of(rng, models, texts, small):
    name, files, tokenizer, error, special = directory_of(rng, models, small)
    case = {"class": name, "files": files}
    if tokenizer is None:
        return case | {"fails": error[:200]}
    case["texts"] = [random_text(rng, special) for _ in range(texts)]
    try:
        case["ids"] = [quiet(lambda: tokenizer(text, add_special_tokens=False).input_ids) for text in case["texts"]]
        case["marks"] = quiet(lambda: tokenizer("").input_ids)
        case["size"] = len(tokenizer)
    except BaseException as problem:
        return {"class": name, "files": files, "fails": str(problem)[:200]}
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="the test program of the layer interchange")
    parser.add_argument("--directories", type=int, default=300)
    parser.add_argument("--texts", type=int, default=20, help="of each directory")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="write the cases to a file instead of trying them")
    arguments = parser.parse_args()
    if not arguments.write and not arguments.program:
        parser.error("expected the test program, or --write")
    rng = random.Random(arguments.seed)
    path = arguments.write or os.path.join(tempfile.mkdtemp(), "cases.jsonl")
    models, places = {}, {}
    with open(path, "w", encoding="utf-8") as out:
        for line in range(arguments.directories):
            case = case_of(rng, models, arguments.texts, arguments.write is not None)
            for file, content in case["files"].items():
                if isinstance(content, bytes):
                    place = places.setdefault(content, line)
                    case["files"][file] = base64.b64encode(content).decode() if place == line else f"@{place}"
            out.write(json.dumps(case, separators=(",", ":")) + "\n")
    if arguments.write:
        return 0
    return compare(arguments.program, "TokenizerDirectoryCases", {"ATTEND_DIRECTORY_CASES": path}, arguments.directories * arguments.texts)


if __name__ == "__main__":
    sys.exit(main())
