#!/usr/bin/env python3
"""Compares the tokenizers that attend imports with Hugging Face's tokenizers library: random tokenizers of all kinds with random flags, random
texts of all scripts. Both must give the same ids and the same decoded text, or attend must refuse the tokenizer by name.

    python3 tools/fuzz_tokenizers.py --texts 100000 build/release/tests/test_interchange   # before a release; minutes
    python3 tools/fuzz_tokenizers.py --texts 1000 --write tests/interchange/data/tokenizer_cases.jsonl

The first runs the test TokenizerCases of the program on what it has made; `--seed` tries others. The second writes the cases that the suite
keeps. Each line of a file of cases is a tokenizer ("tokenizer": the content of a tokenizer.json), or a text for the one above: its ids, its
ids when special tokens are text ("plain"), the text of the ids, and where it is known the places of the tokens before and after the
post-processor ("offsets", "trimmed"). Needs the package tokenizers.
"""
import argparse
import base64
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

from tokenizers import Tokenizer

META = "▁"
WORDS = """the a small dog reads red house doesn't it's We'll I'M grün Bäume Straße élève 北京 大学と 東京 학생 мир ДОМ שלום سلام नमस्ते ไทย ΣΑΣ İstanbul
ﬁsh Ｔｈｅ ½ ² 1234567 3.14 x=y __init__ {'a': e.V. 👩‍👩‍👧 🤖 🇩🇪 e\u0301 a\u0327\u0301 \u1e9b\u0323 가각 \u1100\u1161 </s> <s> [SEP] <unk> <0x0A> ##ing ▁the ▁ Ġthe""".split()
SPACES = [" "] * 12 + ["  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u00a0", "\u3000", "\u2003", "\u200b", "\u2028", "\u0085", "▁", "\u180e", "\x1c", "\ufeff"]
ODD = list("aAbZ09.,!?'-_()[]{}<>@#$%^&*+=~`|\\/\":;") + list("ßäéñçøżЖжΩωאبकกあア漢字한ǅſKÅµ№™…—“”«»¡¿€£️\u0301\u0308\u0327\u200d\u200c\u00ad\x00\x01\x7f\ufffd")
ASSIGNED = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]


def random_text(rng, added):
    parts = []
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 8])):
        kind = rng.random()
        if kind < 0.35:
            parts.append(rng.choice(WORDS))
        elif kind < 0.6:
            parts.append(rng.choice(SPACES))
        elif kind < 0.75:
            parts.append("".join(rng.choice(ODD) for _ in range(rng.randint(1, 6))))
        elif kind < 0.85 and added:
            parts.append(rng.choice(added))
        elif kind < 0.95:
            parts.append("".join(rng.choice("abcd ▁") for _ in range(rng.randint(1, 9))))
        else:
            parts.append("".join(chr(rng.choice(ASSIGNED)) for _ in range(rng.randint(1, 3))))
    return "".join(parts)


def chance(rng, share=0.5):
    return rng.random() < share


def double_array(entries):
    """A character map in the form of SentencePiece: a double array (Darts) of the keys, then the replacements."""
    strings, offsets = b"", {}
    for key, value in sorted(entries.items()):
        offsets[key.encode()] = len(strings)
        strings += value.encode() + b"\0"
    units, used, bases = {0: 0}, {0}, set()

    def children(prefix):
        found = {}
        for key in offsets:
            if key.startswith(prefix) and len(key) >= len(prefix):
                found.setdefault(key[len(prefix)] if len(key) > len(prefix) else None, None)
        return sorted(found, key=lambda x: -1 if x is None else x)

    def place(index, prefix):
        labels = [0 if label is None else label for label in children(prefix)]
        base = 1
        while base in bases or any((base ^ label) in used for label in labels) or (index ^ base) >= 1 << 21:
            base += 1
        bases.add(base)
        for label in labels:
            used.add(base ^ label)
        units[index] = units.get(index, 0) | (index ^ base) << 10
        if None in children(prefix):
            units[index] |= 1 << 8
            units[base] = offsets[prefix] | 1 << 31
        for label in children(prefix):
            if label is not None:
                units[base ^ label] = label
                place(base ^ label, prefix + bytes([label]))

    place(0, b"")
    size = (max(used) // 256 + 2) * 256
    trie = b"".join(units.get(i, 1 << 31).to_bytes(4, "little") for i in range(size))
    return base64.b64encode(len(trie).to_bytes(4, "little") + trie + strings).decode()


def random_map(rng):
    entries = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": " ", "\ufeff": "", "ﬁ": "fi", "Ｔ": "T", "½": "1⁄2", "e\u0301": "é",
               "\x01": "", "A": "a", "\u1100\u1161": "가", "İ": "i\u0307", "…": "...", "\u00ad": "", "\u200d": " ", "ab": "c"}
    return double_array({key: value for key, value in entries.items() if chance(rng, 0.7)} or {"A": "a"})


def random_normalizer(rng):
    def step():
        return rng.choice([
            lambda: {"type": rng.choice(["NFC", "NFD", "NFKC", "NFKD"])},
            lambda: {"type": "Lowercase"},
            lambda: {"type": "StripAccents"},
            lambda: {"type": "Strip", "strip_left": chance(rng), "strip_right": chance(rng)},
            lambda: {"type": "Prepend", "prepend": META},
            lambda: {"type": "Replace", "pattern": {"String": " "}, "content": META},
            lambda: {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": rng.choice([" ", META])},
            lambda: {"type": "Replace", "pattern": {"String": rng.choice(["``", "a", "  ", "\n"])}, "content": rng.choice(["", "\"", "bb"])},
            lambda: {"type": "Replace", "pattern": {"Regex": rng.choice([r"\n", r"\s+", r"[a-c]+"])}, "content": " "},
            lambda: {"type": "Precompiled", "precompiled_charsmap": random_map(rng)},
            lambda: {"type": "BertNormalizer", "clean_text": chance(rng), "handle_chinese_chars": chance(rng),
                     "strip_accents": rng.choice([None, True, False]), "lowercase": chance(rng)},
        ])()
    steps = [step() for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
    if not steps:
        return None
    return steps[0] if len(steps) == 1 and chance(rng) else {"type": "Sequence", "normalizers": steps}


def random_pre_tokenizer(rng, kind):
    behavior = lambda: rng.choice(["Removed", "Isolated", "Contiguous", "MergedWithPrevious", "MergedWithNext"])
    metaspace = lambda: {"type": "Metaspace", "replacement": META, "prepend_scheme": rng.choice(["always", "first", "never"]), "split": chance(rng)}
    byte_level = lambda: {"type": "ByteLevel", "add_prefix_space": chance(rng), "trim_offsets": chance(rng), "use_regex": chance(rng, 0.7)}

    def step():
        return rng.choice([
            lambda: {"type": "WhitespaceSplit"},
            lambda: {"type": "Whitespace"},
            lambda: {"type": "BertPreTokenizer"},
            lambda: {"type": "Punctuation", "behavior": behavior()},
            lambda: {"type": "Digits", "individual_digits": chance(rng)},
            lambda: {"type": "CharDelimiterSplit", "delimiter": rng.choice(["a", "-", "。"])},
            lambda: {"type": "Split", "pattern": {"String": rng.choice([" ", "a", "▁"])}, "behavior": behavior(), "invert": chance(rng, 0.2)},
            lambda: {"type": "Split", "pattern": {"Regex": rng.choice([r"\p{L}+| ?\p{N}+", r"\s+(?!\S)|\s+", r"(?i:'s|'t)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"])},
                     "behavior": behavior(), "invert": chance(rng, 0.2)},
        ])()
    if kind == "bytes":
        steps = [step() for _ in range(rng.choice([0, 0, 1]))] + [byte_level()]
    elif kind == "metaspace":
        steps = [step() for _ in range(rng.choice([0, 0, 1]))] + [metaspace()]
    elif kind == "none":
        steps = []
    else:
        steps = [step() for _ in range(rng.choice([1, 1, 2]))]
    if not steps:
        return None
    return steps[0] if len(steps) == 1 and chance(rng) else {"type": "Sequence", "pretokenizers": steps}


def parts_of(around, texts):
    """The parts that a model would get."""
    probe = Tokenizer.from_str(json.dumps(dict(around, version="1.0", model={"type": "BPE", "vocab": {}, "merges": []})))
    parts = []
    for text in texts:
        if probe.normalizer is not None:
            text = probe.normalizer.normalize_str(text)
        if not text:
            continue
        parts += [part for part, _ in probe.pre_tokenizer.pre_tokenize_str(text)] if probe.pre_tokenizer is not None else [text]
    return [part for part in parts if part]


def bytes_of_fallback(rng):
    share = rng.choice([0, 0, 0.97, 1])
    return [f"<0x{byte:02X}>" for byte in range(256) if rng.random() < share]


def random_substring(rng, part, most=6):
    begin = rng.randrange(len(part))
    return part[begin:begin + rng.randint(1, most)]


def random_unigram(rng, parts, specials):
    pieces = list(dict.fromkeys(specials))
    fallback = bytes_of_fallback(rng)
    pieces += fallback
    chars = sorted({c for part in parts for c in part})
    pieces += [c for c in chars if chance(rng, 0.8)]
    pieces += [random_substring(rng, rng.choice(parts)) for _ in range(40)] if parts else []
    pieces = list(dict.fromkeys(pieces))
    vocab = [[piece, 0.0 if piece in specials or piece in fallback else -round(rng.uniform(1, 12), rng.choice([0, 1, 6]))] for piece in pieces]
    return {"type": "Unigram", "unk_id": pieces.index("<unk>"), "vocab": vocab, "byte_fallback": chance(rng)}


def random_bpe(rng, parts, specials, on_bytes):
    prefix = rng.choice(["", "", "", "##"]) if not on_bytes else ""
    suffix = rng.choice(["", "", "", "</w>"]) if not on_bytes else ""
    fallback = bytes_of_fallback(rng)
    vocab = dict.fromkeys(specials + fallback)
    if on_bytes and chance(rng, 0.9):
        vocab.update(dict.fromkeys(Tokenizer.from_str(json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}})) and byte_letters()))
    words = []
    for part in parts:
        symbols = [(prefix if i else "") + c + (suffix if i + 1 == len(part) else "") for i, c in enumerate(part)]
        words.append(symbols)
        for symbol in symbols:
            if chance(rng, 0.9):
                vocab.setdefault(symbol)
    merges, seen = [], set()
    for _ in range(rng.choice([0, 30, 60])):
        word = rng.choice(words) if words else []
        if len(word) < 2:
            continue
        at = rng.randrange(len(word) - 1)
        left, right = word[at], word[at + 1]
        if left not in vocab or right not in vocab or (left, right) in seen or left in specials or right in specials:
            continue
        joined = left + right[len(prefix):]
        vocab.setdefault(joined)
        seen.add((left, right))
        merges.append([left, right])
        for other in words:
            i = 0
            while i + 1 < len(other):
                if other[i] == left and other[i + 1] == right:
                    other[i:i + 2] = [joined]
                i += 1
    rng.shuffle(merges) if chance(rng, 0.2) else None
    for part in parts[:5]:
        if chance(rng):
            vocab.setdefault(part)
    return {"type": "BPE", "dropout": None, "unk_token": rng.choice(["<unk>", None]), "continuing_subword_prefix": prefix or None, "end_of_word_suffix": suffix or None,
            "fuse_unk": chance(rng), "byte_fallback": chance(rng), "ignore_merges": chance(rng, 0.3),
            "vocab": {piece: i for i, piece in enumerate(vocab)}, "merges": merges}


def byte_letters():
    printable = list(range(ord("!"), ord("~") + 1)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    return [chr(b) for b in printable] + [chr(0x100 + i) for i in range(256 - len(printable))]


def random_wordpiece(rng, parts, specials):
    prefix = rng.choice(["##", "##", "##", "@@", ""])
    vocab = dict.fromkeys(specials)
    for c in sorted({c for part in parts for c in part}):
        if chance(rng, 0.8):
            vocab.setdefault(c)
        if chance(rng, 0.8):
            vocab.setdefault(prefix + c)
    for _ in range(60):
        if parts:
            piece = random_substring(rng, rng.choice(parts))
            vocab.setdefault(rng.choice(["", prefix]) + piece)
    return {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": prefix, "max_input_chars_per_word": rng.choice([100, 100, 5]),
            "vocab": {piece: i for i, piece in enumerate(vocab)}}


def random_decoder(rng, kind, model):
    byte_level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    if kind == "bytes":
        return byte_level
    if model["type"] == "WordPiece":
        return {"type": "WordPiece", "prefix": model["continuing_subword_prefix"] or "##", "cleanup": chance(rng)}
    llama = [{"type": "Replace", "pattern": {"String": META}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]
    if chance(rng):
        llama.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return rng.choice([
        {"type": "Metaspace", "replacement": META, "prepend_scheme": rng.choice(["always", "first", "never"]), "split": True},
        {"type": "Sequence", "decoders": llama},
        {"type": "BPEDecoder", "suffix": "</w>"},
    ])


def random_tokenizer(rng):
    specials = ["<unk>", "<s>", "</s>"] + rng.choice([[], ["[SEP]", "[MASK]"], ["<pad>"]])
    type_of_model = rng.choice(["Unigram", "BPE", "BPE", "WordPiece"])
    kind = rng.choice(["metaspace", "metaspace", "bytes", "none", "words"] if type_of_model != "WordPiece" else ["words", "words", "bytes", "none"])
    around = {"normalizer": random_normalizer(rng), "pre_tokenizer": random_pre_tokenizer(rng, kind)}
    added = rng.choice([[], [], ["<tool>"], ["new", "newword", " sp "], ["A B", "[x]", "é", "ab"]])
    texts = [random_text(rng, added) for _ in range(25)]
    parts = parts_of(around, texts)
    if type_of_model == "Unigram":
        model = random_unigram(rng, parts, specials)
        size = len(model["vocab"])
    else:
        model = random_bpe(rng, parts, specials, kind == "bytes") if type_of_model == "BPE" else random_wordpiece(rng, parts, specials)
        size = len(model["vocab"])
    vocab = {piece: i for i, (piece, _) in enumerate(model["vocab"])} if type_of_model == "Unigram" else model["vocab"]
    tokens = []
    for text in [special for special in specials if chance(rng, 0.9)] + added:
        plain = chance(rng, 0.6)
        special = text in specials
        tokens.append({"id": vocab.get(text, size), "content": text, "single_word": not plain and chance(rng, 0.4), "lstrip": not plain and chance(rng),
                       "rstrip": not plain and chance(rng), "normalized": chance(rng, 0.1 if special else 0.6), "special": special or chance(rng, 0.2)})
        size += text not in vocab
    return dict(version="1.0", truncation=None, padding=None, added_tokens=sorted(tokens, key=lambda t: t["id"]), **around, post_processor=None,
                decoder=random_decoder(rng, kind, model), model=model), [token["content"] for token in tokens]


def has_true_offsets(model):
    """Those of BPE do not count characters that it drops, but count prefixes and suffixes; unknown characters come after bytes."""
    mixes_bytes = model["type"] == "BPE" and model["byte_fallback"] and not all(f"<0x{byte:02X}>" in model["vocab"] for byte in range(256))
    return model["type"] != "BPE" or (model["unk_token"] and not model["continuing_subword_prefix"] and not model["end_of_word_suffix"] and not mixes_bytes)


def normalized(tokenizer, text):
    return text if tokenizer.normalizer is None else tokenizer.normalizer.normalize_str(text)


def post_processor_of(description):
    """Trims the places of tokens, half of the time. It has random numbers of its own."""
    rng = random.Random(json.dumps(description))
    if not chance(rng):
        return None
    return {"type": "ByteLevel", "add_prefix_space": chance(rng), "trim_offsets": chance(rng, 0.8), "use_regex": True}


def cases_of(rng, texts):
    """A tokenizer that the library takes, and what it makes of texts."""
    while True:
        description, added = random_tokenizer(rng)
        description["post_processor"] = post_processor_of(description)
        try:
            tokenizer = Tokenizer.from_str(json.dumps(description))
        except Exception:
            continue
        if any(token["normalized"] and normalized(tokenizer, token["content"]) == "" for token in description["added_tokens"]):
            continue  # the library would find it everywhere, and not end
        if any(token["normalized"] and normalized(tokenizer, token["content"]) != token["content"] for token in description["added_tokens"]):
            # attend trims what normalization makes of an added token alone
            description["post_processor"] = tokenizer.post_processor = None
        lines = [{"tokenizer": description}]
        processor = tokenizer.post_processor
        for _ in range(texts):
            text = random_text(rng, added)
            try:
                tokenizer.encode_special_tokens = False
                tokenizer.post_processor = None
                encoding = tokenizer.encode(text, add_special_tokens=False)
                ids = encoding.ids
                tokenizer.post_processor = processor
                trimmed = tokenizer.encode(text, add_special_tokens=False).offsets
                tokenizer.encode_special_tokens = True
                plain = tokenizer.encode(text, add_special_tokens=False).ids
            except BaseException as error:  # the library panics on some, which is no Exception
                if isinstance(error, KeyboardInterrupt):
                    raise
                continue
            lines.append({"text": text, "ids": ids, "plain": plain, "decoded": tokenizer.decode(ids, skip_special_tokens=True)})
            if has_true_offsets(description["model"]):
                lines[-1]["offsets"] = encoding.offsets
                if trimmed != encoding.offsets:
                    lines[-1]["trimmed"] = trimmed
        return lines


def compare(program, suite, variables, texts):
    """Runs a suite of the test program on the cases; fails unless it has compared at least half of the texts."""
    result = subprocess.run([program, f"--gtest_filter={suite}.*"], env=dict(os.environ, **variables), stdout=subprocess.PIPE, text=True)
    counts = re.search(r"^compared (\d+) texts.*$", result.stdout, re.MULTILINE)
    compared = int(counts[1]) if counts else 0
    if result.returncode != 0:
        print(result.stdout[-20000:])
    print(f"{suite}: {counts[0] if counts else 'compared nothing'}{' and found differences' if result.returncode != 0 else ''}")
    if 2 * compared < texts:
        print(f"{suite}: expected at least {texts // 2} compared texts, found {compared}: is {program} the right test program?")
        return 1
    return result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="the test program of the layer interchange")
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--texts-per-tokenizer", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="write the cases to a file instead of trying them")
    arguments = parser.parse_args()
    if not arguments.write and not arguments.program:
        parser.error("expected the test program, or --write")
    rng = random.Random(arguments.seed)
    path = arguments.write or os.path.join(tempfile.mkdtemp(), "cases.jsonl")
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        while count < arguments.texts:
            lines = cases_of(rng, arguments.texts_per_tokenizer)
            for line in lines:
                file.write(json.dumps(line, ensure_ascii=True, separators=(",", ":")) + "\n")
            count += len(lines) - 1
    if arguments.write:
        return 0
    return compare(arguments.program, "TokenizerCases", {"ATTEND_TOKENIZER_CASES": path}, arguments.texts)


if __name__ == "__main__":
    sys.exit(main())
