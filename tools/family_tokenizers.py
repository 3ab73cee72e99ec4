"""Small tokenizers with the steps, settings and names of class that the published models of a family have.

`family_tokenizer(family, rng, folder)` writes tokenizer.json and tokenizer_config.json into FOLDER; returns the number of pieces. The pieces are made
up, the steps around them are not. Needs tokenizers.
"""

import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = ["A man is walking with his dog.\n\nTwo children play football in the rain!\n", "def f(x):\n    return x + 1\n", "日本語のテキスト",
          "I don't know; do you?\r\n\tIt costs 3.50 €, which is 20 % less.", "The quick brown fox jumps over the lazy dog  and runs away.",
          "Ein alter Mann kauft drei Äpfel. Où est la bibliothèque ?", "Привет, как дела?", "x = 1234567890  # 42", "HELLO World's", "한국어 텍스트 ١٢٣"] * 3
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
END = "<|endoftext|>"
RUNS = [" " * count for count in (7, 4, 3, 2)] + ["\t\t", "\t\t\t"]


def plain(content, **flags):
    return AddedToken(content, special=False, **flags)


def special(content, **flags):
    return AddedToken(content, special=True, **flags)


def with_begin(tokenizer, begin):
    tokenizer.post_processor = processors.TemplateProcessing(single=f"{begin} $A", special_tokens=[(begin, tokenizer.token_to_id(begin))])
    return tokenizer


def of_bytes(rng, first, steps, normalizer=None):
    """Byte-level BPE; `steps` before the bytes, None: the pattern of GPT-2 alone."""
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    own = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=steps is None or not any(isinstance(s, pre_tokenizers.Split) for s in steps))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*steps, own]) if steps else own
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=rng.choice([320, 400]), special_tokens=first, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return tokenizer


def of_pieces(rng, first, normalizer, pre_tokenizer=None):
    """BPE of SentencePiece, with tokens for bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    lines = [line for text in CORPUS for line in text.split("\n")]
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=rng.choice([430, 500]), special_tokens=[*first, *bytes_], show_progress=False))
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] not in bytes_]
    return Tokenizer.from_str(json.dumps(content))


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def llama2(rng):
    tokenizer = of_pieces(rng, ["<unk>", "<s>", "</s>"], normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return tokenizer


LLAMA2 = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_eos_token": False, "legacy": False, "tokenizer_class": "LlamaTokenizer"}


def mistral(rng):
    return with_begin(llama2(rng), "<s>"), LLAMA2 | {"add_bos_token": True, "legacy": rng.random() < 0.5}


def phi3(rng):
    if rng.random() < 0.5:  # Phi-3
        tokenizer = llama2(rng)
        tokenizer.add_tokens([plain("</s>", rstrip=True, normalized=False)])
        tokenizer.add_special_tokens([special(name, rstrip=name != END, normalized=False) for name in (END, "<|assistant|>", "<|user|>", "<|end|>")])
        return tokenizer, LLAMA2 | {"eos_token": END, "pad_token": END, "add_bos_token": False}
    tokenizer = of_bytes(rng, [], [split(O200K)])  # Phi-4-mini
    tokenizer.add_special_tokens([special(END), special("<|end|>", rstrip=True), special("<|user|>", rstrip=True)])
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "add_prefix_space": False, "tokenizer_class": "GPT2Tokenizer"}


def gpt2(rng):
    tokenizer = of_bytes(rng, [END], None)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "add_prefix_space": False, "tokenizer_class": "GPT2Tokenizer"}


def gptj(rng):
    tokenizer, settings = gpt2(rng)
    tokenizer.add_tokens([plain(f"<|extratoken_{i}|>") for i in range(3)])
    return tokenizer, settings


def phi(rng):
    tokenizer, settings = gpt2(rng)
    tokenizer.add_tokens([plain(run, normalized=rng.random() < 0.5) for run in RUNS])
    return tokenizer, settings | {"tokenizer_class": "CodeGenTokenizer"}


def gpt_neox(rng):
    tokenizer = of_bytes(rng, [END, "<|padding|>"], None, normalizers.NFC())
    tokenizer.add_tokens([plain(run, normalized=True) for run in RUNS])
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False)
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "add_prefix_space": False,
                       "tokenizer_class": rng.choice(["GPTNeoXTokenizer", "GPTNeoXTokenizerFast"])}


def stablelm(rng):
    if rng.random() < 0.5:
        return gpt_neox(rng)
    tokenizer = of_bytes(rng, [END, "<|im_start|>"], [split(LLAMA3)])
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "tokenizer_class": "GPT2Tokenizer"}


def olmo2(rng):
    tokenizer = of_bytes(rng, [], [split(LLAMA3)])
    tokenizer.add_special_tokens([special(END), special("<|im_start|>")])
    tokenizer.add_tokens([plain("|||IP_ADDRESS|||", normalized=False), plain("<|extra_id_0|>", normalized=False)])
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "add_prefix_space": False, "tokenizer_class": "GPT2Tokenizer"}


def granite(rng):
    tokenizer = of_bytes(rng, [END, "<fim_prefix>", "<|start_of_role|>"], [pre_tokenizers.Digits(individual_digits=True)])
    return tokenizer, {"bos_token": END, "eos_token": END, "unk_token": END, "add_prefix_space": False, "tokenizer_class": "GPT2Tokenizer"}


def falcon(rng):
    tokenizer = of_bytes(rng, [">>TITLE<<", END], None)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=False), pre_tokenizers.Digits(individual_digits=False),
        split("[0-9][0-9][0-9]")])
    return tokenizer, {"eos_token": END, "add_prefix_space": False, "tokenizer_class": "PreTrainedTokenizerFast"}


def cohere(rng):
    first = ["<PAD>", "<UNK>", "<CLS>", "<SEP>", "<MASK_TOKEN>", "<BOS_TOKEN>", "<EOS_TOKEN>", "<EOP_TOKEN>"]
    tokenizer = of_bytes(rng, first, [pre_tokenizers.Digits(individual_digits=True)], normalizers.NFC())
    tokenizer.add_special_tokens([special("<|START_OF_TURN_TOKEN|>"), special("<|END_OF_TURN_TOKEN|>"), special("<|USER_TOKEN|>")])
    tokenizer.add_tokens([plain("<|YES_TOKEN|>", normalized=False)])
    return with_begin(tokenizer, "<BOS_TOKEN>"), {
        "bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>", "pad_token": "<PAD>", "unk_token": None, "add_bos_token": True,
        "add_eos_token": False, "add_prefix_space": False, "legacy": True, "tokenizer_class": rng.choice(["CohereTokenizer", "CohereTokenizerFast"])}


def llama3(rng):
    tokenizer = of_bytes(rng, [], [split(LLAMA3)])
    content = json.loads(tokenizer.to_str())
    content["model"]["ignore_merges"] = True
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.add_special_tokens([special(name) for name in ("<|begin_of_text|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>")])
    tokenizer.add_tokens([plain("<think>", normalized=False), plain("</think>", normalized=False)])
    if rng.random() < 0.5:
        with_begin(tokenizer, "<|begin_of_text|>")
    return tokenizer, {"bos_token": "<|begin_of_text|>", "eos_token": "<|im_end|>", "tokenizer_class": "PreTrainedTokenizerFast"}


def gemma(rng):
    tokenizer = of_pieces(rng, ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"], normalizers.Replace(" ", "▁"),
                          pre_tokenizers.Split(" ", "merged_with_previous"))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    runs = ["\n" * count for count in (2, 3, 4)] + ["▁" * count for count in (2, 3, 4)] + ["\t\t", "<table>", "</h1>", "[multimodal]", "<unused0>"]
    tokenizer.add_tokens([plain(run, normalized=False) for run in runs])
    tokenizer.add_special_tokens([special("<start_of_turn>", normalized=False), special("<end_of_turn>", normalized=False)])
    return with_begin(tokenizer, "<bos>"), {"bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "<unk>", "pad_token": "<pad>", "add_bos_token": True,
                                            "add_eos_token": False, "tokenizer_class": rng.choice(["GemmaTokenizer", "GemmaTokenizerFast"])}


OF_FAMILY = {"mistral": mistral, "phi3": phi3, "gptj": gptj, "phi": phi, "gpt_neox": gpt_neox, "mpt": gpt_neox, "stablelm": stablelm, "olmo2": olmo2,
             "granite": granite, "falcon": falcon, "cohere": cohere, "smollm3": llama3, "gemma": gemma, "gemma2": gemma, "gemma3_text": gemma}


def family_tokenizer(family, rng, folder):
    tokenizer, settings = OF_FAMILY[family](rng)
    tokenizer.save(str(folder / "tokenizer.json"))
    listed = {token_id: {"content": token.content, "lstrip": token.lstrip, "normalized": token.normalized, "rstrip": token.rstrip,
                         "single_word": token.single_word, "special": token.special} for token_id, token in tokenizer.get_added_tokens_decoder().items()}
    if rng.random() < 0.8:
        settings["added_tokens_decoder"] = {str(token_id): token for token_id, token in listed.items()}
    settings["clean_up_tokenization_spaces"] = False
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return tokenizer.get_vocab_size()
