#!/usr/bin/env python3
"""Writes tests/interchange/data/tokenizer_classes.json: small model directories of the tokenizer classes that transformers builds from a
vocabulary and the settings of tokenizer_config.json, and the ids that AutoTokenizer gives there.

    python3 tools/make_tokenizer_class_goldens.py > new.json && mv new.json tests/interchange/data/tokenizer_classes.json

Needs transformers (the committed file was made with the version named in it). The tests themselves need no Python.
"""
import json
import os
import pathlib
import random
import tempfile

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "The small Dog reads a red house, doesn't it? It's 1234.",
    "Der alte Mann kauft den grünen Apfel; Straße, naïve café.",
    "北京 大学 と 東京 の 学生 hello Hello world",
] * 3
TEXTS = ["The small dog", " The SMALL Dog ", "grüne Straße naïve", "北京大学 hello", "don't It's 12345", "e\u0301 a  b\tc", "İ ß", ""]

# The letters of many scripts, and what stands between words.
LETTERS = ["small Dog", "grüne Straße", "北京大学", "東京の", "привет", "Ελλάδα", "שלום", "مرحبا", "नमस्ते", "สวัสดี", "안녕", "გამარჯობა", "ողջույն", "ሰላም", "ខ្មែរ", "ᎣᏏᏲ",
           "𝔘𝔫𝔦", "e\u0301", "ﬁ", "Ⅷ", "👩‍👩‍👧", "1234", "١٢٣", "ａＢ", "<s>", "</s>", "[CLS]", "<mask>", "…", "don't", "\u200b", "\ufeff", "\u00ad"]
SPACES = [" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u2028", "\u0085", "\v", " \n ", ""]


def odd_texts(count):
    generator = random.Random(5)
    return ["".join(generator.choice(SPACES) + generator.choice(LETTERS) for _ in range(generator.randint(1, 7))) + generator.choice(SPACES)
            for _ in range(count)]


def wordpiece(special=("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=150, special_tokens=list(special), show_progress=False))
    if "[CLS]" in special:
        t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return t


def mpnet():
    t = wordpiece(["<s>", "<pad>", "</s>", "<unk>", "[UNK]", "<mask>"])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


def bytes_of(special):
    t = Tokenizer(models.BPE())
    # What a class replaces: its own pattern has no rule for digits.
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return t


def roberta():
    t = bytes_of(["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


def cohere():
    t = bytes_of(["<PAD>", "<UNK>", "<CLS>", "<SEP>", "<MASK_TOKEN>", "<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>"])
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)  # what the class replaces
    t.post_processor = processors.TemplateProcessing(single="<BOS_TOKEN> $A", special_tokens=[("<BOS_TOKEN>", 5)])
    return t


def xlm_roberta():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(" {2,}", " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.train_from_iterator(CORPUS, trainers.UnigramTrainer(
        vocab_size=120, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], unk_token="<unk>", show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


def llama():
    special = ["<unk>", "<s>", "</s>", "▁<PRE>", "▁<MID>", "▁<SUF>", "▁<EOT>"]
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=420, special_tokens=special + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False))
    content = json.loads(t.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if not token["content"].startswith("<0x")]
    t = Tokenizer.from_str(json.dumps(content))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return t


TRAINED = {"bert": wordpiece, "mpnet": mpnet, "roberta": roberta, "gpt2": lambda: bytes_of(["<|endoftext|>"]), "llama": llama, "cohere": cohere,
           "xlm-roberta": xlm_roberta}


def tokenizers():
    """Those of the file that is there, since training breaks ties differently each time."""
    path = pathlib.Path(__file__).resolve().parent.parent / "tests/interchange/data/tokenizer_classes.json"
    known = json.loads(path.read_text(encoding="utf-8"))["files"] if path.exists() and path.stat().st_size > 0 else {}
    return {name: Tokenizer.from_str(known[name]["json"]["tokenizer.json"]) if name in known else train() for name, train in TRAINED.items()}


TOKENIZERS = tokenizers()


def files_of(tokenizer, bare):
    content = tokenizer.to_str()
    if not bare or json.loads(content)["model"]["type"] == "Unigram":
        return {"tokenizer.json": content}
    vocabulary = tokenizer.get_vocab()
    if "[UNK]" in vocabulary:
        return {"vocab.txt": "".join(f"{piece}\n" for piece in sorted(vocabulary, key=vocabulary.get))}
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return {"vocab.json": json.dumps(vocabulary, ensure_ascii=False), "merges.txt": "#version: 0.2\n" + "".join(" ".join(m) + "\n" for m in merges)}


def cases():
    bert = [None, {}, {"do_lower_case": False}, {"do_lower_case": True, "strip_accents": False}, {"do_lower_case": False, "strip_accents": True},
            {"tokenize_chinese_chars": False}, {"strip_accents": None, "tokenizer_class": "BertTokenizerFast"},
            {"tokenizer_class": "DistilBertTokenizer", "do_lower_case": False}, {"tokenizer_class": "ElectraTokenizer"}]
    for settings in bert:
        yield "bert", True, {"model_type": "bert"}, settings
        yield "bert", False, {"model_type": "bert"}, settings
    yield "bert", True, {"model_type": "distilbert"}, None
    yield "bert", False, {"model_type": "bert"}, {"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": True}
    yield "bert", False, {"model_type": "bert", "tokenizer_class": "PreTrainedTokenizerFast"}, {}
    mpnet = [None, {"do_lower_case": False}, {"tokenizer_class": "MPNetTokenizerFast", "strip_accents": None}, {"tokenize_chinese_chars": False}]
    for settings in mpnet:
        yield "mpnet", True, {"model_type": "mpnet"}, settings
        yield "mpnet", False, {"model_type": "mpnet"}, settings
    yield "mpnet", False, {"model_type": "bert"}, {"tokenizer_class": "MPNetTokenizer"}
    roberta = [None, {"add_prefix_space": True}, {"tokenizer_class": "RobertaTokenizerFast", "add_prefix_space": False}]
    for settings in roberta:
        yield "roberta", True, {"model_type": "roberta"}, settings
        yield "roberta", False, {"model_type": "roberta"}, settings
    # GTE, which transformers and its authors name differently.
    for model in ["xlm-roberta", "gte"]:
        for settings in [None, {}, {"tokenizer_class": "XLMRobertaTokenizer"}, {"tokenizer_class": "PreTrainedTokenizerFast"}]:
            yield "xlm-roberta", False, {"model_type": model}, settings
    yield "xlm-roberta", False, {"model_type": "new"}, {"tokenizer_class": "XLMRobertaTokenizerFast"}
    for model in ["gte", "new"]:
        yield "bert", False, {"model_type": model}, {"tokenizer_class": "BertTokenizer"}
        yield "bert", True, {"model_type": model}, {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    yield "roberta", True, {"model_type": "bart"}, None
    yield "roberta", False, {"model_type": "bart"}, {"tokenizer_class": "BartTokenizer", "add_prefix_space": True}
    yield "roberta", False, {"model_type": "roberta"}, {"tokenizer_class": "PreTrainedTokenizerFast", "add_prefix_space": True}
    gpt2 = [None, {"add_prefix_space": True}, {"tokenizer_class": "GPT2TokenizerFast", "add_bos_token": True}]
    for settings in gpt2:
        yield "gpt2", True, {"model_type": "gpt2"}, settings
        yield "gpt2", False, {"model_type": "gpt2"}, settings
    yield "gpt2", False, {"model_type": "gpt2"}, {"tokenizer_class": "PreTrainedTokenizerFast"}
    yield "gpt2", True, {"model_type": "qwen2"}, None
    yield "gpt2", False, {"model_type": "qwen2"}, {"tokenizer_class": "PreTrainedTokenizerFast"}
    yield "gpt2", False, {"model_type": "qwen3"}, {"tokenizer_class": "PreTrainedTokenizerFast"}
    yield "gpt2", False, {"model_type": "llama"}, {"tokenizer_class": "LlamaTokenizer"}
    for named in [{"tokenizer_class": "GPTNeoXTokenizerFast"}, {"tokenizer_class": "GPTNeoXTokenizer", "add_prefix_space": True},
                  {"tokenizer_class": "CodeGenTokenizer"}, {"tokenizer_class": "CodeGenTokenizerFast", "add_prefix_space": True}]:
        yield "gpt2", False, {"model_type": "llama"}, named
    for settings in [None, {}, {"tokenizer_class": "CohereTokenizerFast", "add_bos_token": True, "unk_token": None},
                     {"tokenizer_class": "CohereTokenizer", "add_prefix_space": True, "add_eos_token": True}, {"tokenizer_class": "PreTrainedTokenizerFast"}]:
        yield "cohere", False, {"model_type": "cohere"}, settings
        if settings is None or settings.get("tokenizer_class") != "PreTrainedTokenizerFast":
            yield "cohere", True, {"model_type": "cohere"}, settings
    yield "cohere", False, {"model_type": "llama"}, {"tokenizer_class": "CohereTokenizer"}
    # The class that transformers has for the model, where the files name none, or another.
    for model in ["gpt_neox", "mpt", "gptj", "phi", "granite", "olmo2", "phi3", "stablelm", "falcon", "smollm3", "mixtral", "qwen2_moe", "qwen3_moe"]:
        for settings in [{}, {"tokenizer_class": "GPT2Tokenizer"}, {"tokenizer_class": "CodeGenTokenizer", "add_prefix_space": True}]:
            yield "gpt2", False, {"model_type": model}, settings
    yield "llama", False, {"model_type": "phi3"}, {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, "legacy": False}
    for model in ["gemma", "gemma2", "gemma3_text"]:
        yield "llama", False, {"model_type": model}, {}
    for settings in [{}, {"add_prefix_space": False}, {"add_bos_token": True, "add_eos_token": True}]:
        yield "llama", False, {"model_type": "llama"}, settings | {"tokenizer_class": "CodeLlamaTokenizer"}


def golden(name, bare, config, settings):
    files = files_of(TOKENIZERS[name], bare) | {"config.json": json.dumps(config)}
    if settings is not None:
        files["tokenizer_config.json"] = json.dumps(settings)
    texts = TEXTS + odd_texts(12)
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                out.write(content)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        ids = [tokenizer(text, add_special_tokens=False).input_ids for text in texts]
        marks = tokenizer("").input_ids
    case = {"vocabulary": name, "bare": bare, "config": config, "ids": ids, "marks": marks}
    return case if settings is None else case | {"settings": settings}


def main():
    files = {name: {"bare": files_of(t, True), "json": files_of(t, False)} for name, t in TOKENIZERS.items()}
    lines = [json.dumps(golden(*case), ensure_ascii=True) for case in cases()]
    print("{" + f'"made_with": "transformers {transformers.__version__}", "texts": {json.dumps(TEXTS + odd_texts(12))},')
    print(f'"files": {json.dumps(files, ensure_ascii=False)},')
    print('"cases": [\n' + ",\n".join(lines) + "\n]}")


main()
