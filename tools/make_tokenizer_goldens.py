#!/usr/bin/env python3
"""Writes tests/interchange/tokenizer_goldens.cpp: small tokenizers of Hugging Face's tokenizers library as their tokenizer.json files, and
the ids that it gives texts made up for the purpose.

    python3 tools/make_tokenizer_goldens.py > tests/interchange/tokenizer_goldens.cpp

Needs the package tokenizers (the committed file was made with the version named in its first line). The tests themselves need no Python.
"""
import json
from importlib.metadata import version

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "The small dog reads a red house, doesn't it?",
    "A young woman is watching the yellow bicycles!",
    "Der alte Mann kauft den grünen Apfel für 12,50 Euro.",
    "Ein Mädchen sieht die Straße; die Bäume sind grün.",
    "Les élèves ont mangé 100 crêpes (à l'école).",
    "北京 大学 と 東京 の 学生",
] * 3
TEXTS = [
    "",
    " ",
    "The small dog reads.",
    "the  SMALL\tdog\n\nreads\u00a0 a\u3000house ",
    "I'm sure we'll DON'T 'S it's",
    "für 1234567 Euro, 12.5 €/kg — 50 %",
    "grüne Bäume, Ｔｈｅ ﬁsh, e\u0301le\u0300ve, \u1e9b\u0323",
    "北京大学と東京",
    "👩\u200d👩\u200d👧 🤖🤖 🇩🇪",
    "a\u0301\u0327\u0301 \u0130stanbul ΣΑΣ ẞ",
    "\x00\x01\x7f\u0085\u200b\u200e\ufeff\ufffd x\u2028y",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b",
    "   x   \n   \r\n  y",
    "__init__(self) -> {'a': [1, 2]}",
    "a\u180eb \u2003\u2003c",
    "e.V. <tool>dog<tool>",
]
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def wordpiece(**normalizer):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(**normalizer)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.decoder = decoders.WordPiece()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=150, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return t


def byte_level(pre_tokenizer, normalizer=None, special=("<|endoftext|>",), added=(), **model):
    t = Tokenizer(models.BPE(**model))
    if normalizer:
        t.normalizer = normalizer
    t.pre_tokenizer = pre_tokenizer
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=330, special_tokens=list(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.add_tokens([AddedToken(text, normalized=False) for text in added])
    return t


def split(*first):
    return pre_tokenizers.Sequence([*first, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def roberta():
    t = byte_level(pre_tokenizers.ByteLevel(add_prefix_space=True), special=("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


def unigram():
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), "▁")])
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.decoder = decoders.Metaspace()
    t.train_from_iterator(CORPUS, trainers.UnigramTrainer(
        vocab_size=120, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return t


def metaspace_bpe():
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace()  # while it is trained: Llama's pieces are parts of words, too
    control = ["<unk>", "<s>", "</s>"]
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=400, special_tokens=control + [f"<0x{byte:02X}>" for byte in range(256)], show_progress=False))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    content = json.loads(t.to_str())
    content["pre_tokenizer"] = None
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] in control]
    return Tokenizer.from_str(json.dumps(content))


def tokenizers():
    nfc = normalizers.NFC()
    return {
        "wordpiece, lower-cased": wordpiece(lowercase=True),
        "wordpiece, as it is": wordpiece(lowercase=False, strip_accents=False),
        "wordpiece, accents kept, no Chinese blanks": wordpiece(lowercase=True, strip_accents=False, handle_chinese_chars=False),
        "GPT-2": byte_level(pre_tokenizers.ByteLevel(add_prefix_space=False)),
        "RoBERTa": roberta(),
        "Llama 3": byte_level(split(pre_tokenizers.Split(Regex(LLAMA3), "isolated")), ignore_merges=True),
        "Qwen 2": byte_level(split(pre_tokenizers.Split(Regex(LLAMA3.replace("{1,3}", "")), "isolated")), nfc, added=["<tool>", "e.V."]),
        "SmolLM": byte_level(pre_tokenizers.Sequence([
            pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])),
        "Unigram": unigram(),
        "Llama 2": metaspace_bpe(),
    }


def literal(text):
    """A string literal of ASCII: each byte that is none in three octal digits, so that nothing goes on it."""
    return '"' + "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode()) + '"'


def main():
    print(f"// Written by tools/make_tokenizer_goldens.py with tokenizers {version('tokenizers')}.")
    print('#include "interchange/tokenizer_goldens.h"\n\nnamespace goldens {\n')
    print("using namespace std::string_literals;\n")
    print("const std::vector<std::string> kTokenizedTexts{")
    for text in TEXTS:
        print(f"    {literal(text)}s,")
    print("};\n\nconst std::vector<ForeignTokenizerGolden> kForeignTokenizers{")
    for name, tokenizer in tokenizers().items():
        content = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False, separators=(",", ":"))
        print(f"    {{{literal(name)},")
        for begin in range(0, len(content), 2000):
            print(f'     R"json({content[begin:begin + 2000]})json"')
        print("     ,\n     {")
        for text in TEXTS:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            print(f"         {{{', '.join(map(str, ids))}}},")
        whole = tokenizer.encode("The small dog reads.").ids
        print(f"     }},\n     {{{', '.join(map(str, whole))}}}}},")
    print("};\n\n}  // namespace goldens")


if __name__ == "__main__":
    main()
