#!/usr/bin/env python3
"""Compares `attend generate` and `attend evaluate` with transformers, on random models with random tokenizers.

    python check_language_models.py ATTEND [COUNT [SEED]]

ATTEND is the program. COUNT models (12) of all families of decoders get tokenizers of several
kinds (half of them with the steps that published models of their family have), begin tokens or none,
and settings of generation. The ids of odd texts and the log-probabilities of their tokens have to be those of transformers,
every greedy text after every prompt that of generate(do_sample=False), and the perplexity of a text that of transformers'
recipe. Fails if one is not. Needs torch, transformers and tokenizers.
"""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
import transformers
from attend_server import Server
from family_tokenizers import OF_FAMILY, family_tokenizer
from make_language_goldens import answer, recipe
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = ["A man is walking with his dog.\n\nTwo children play football in the rain!\n", "def f(x):\n    return x + 1\n", "日本語のテキスト",
         "I don't know; do you?\r\n\tIt costs 3.50 €, which is 20 % less.", "The quick brown fox jumps over the lazy dog  and runs away.",
         "Ein alter Mann kauft drei Äpfel. Où est la bibliothèque ?", "Привет, как дела?"]
PIECES = ["A man", " is", " ", "  ", "\n", "\n\n", "\t", "dog", "Äpfel", "日本", "🙂", ".", "!?", "x", "é", "e\u0301", "\u00a0", "\u2581", "return", "<", "</", "\r\n"]
ODD = ["\ufeff", "\u200b", "\u200d", "\u2028", "\u0085", "\x0c", "\x0b", "\r", "\x1c", "\x7f", "\u00ad", "\u3000", "\u2009", "İ", "ß", "ſ", "Ǆ", "ﬁ", "½", "²", "Ⅷ", "①",
       "٣", "१२", "1234567", "3.14", "가", "ᄀ\u1161", "ｶﾞ", "\u0301", "a\u0323\u0307", "Å", "\u212b", "\u0344", "क्षि", "👩‍👩‍👧", "🇩🇪", "\U00013000", "\U0010ffff", "\ue000", "\ufffd", "𝔹", "don't",
       "DON'T", "I'LL", "’s", "_", "__init__", "//", "...\n\n", " \n ", "\n ", " \n", "\t\t\t", "       ", "    x", "---", "<|endoftext|>", "<s>", "</s>", "<unk>", "<bos>", "<|end|>", "<|end|> \n",
       "<BOS_TOKEN>", "<|YES_TOKEN|>", "<|user|>", "<start_of_turn>", "\n\n\n\n", "▁▁", "<h1>", "</h1>", "<0x41>", "<|im_start|>", "<think>", ">>TITLE<<", "<|extratoken_1|>", "<fim_prefix>", "|||IP_ADDRESS|||"]
LLAMA_SPLIT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LENGTH = 96


def byte_level(rng, special):
    tokenizer = Tokenizer(models.BPE())
    if rng.random() < 0.5:
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(LLAMA_SPLIT), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    else:
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=rng.random() < 0.3)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(TEXTS * 3, trainers.BpeTrainer(
        vocab_size=rng.choice([300, 360]), special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    return tokenizer


def with_fallback(rng, special):
    """As that of Llama 2."""
    tokenizer = Tokenizer(models.BPE(unk_token=special[0], fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    lines = [line for text in TEXTS * 3 for line in text.split("\n")]
    tokenizer.train_from_iterator(lines, trainers.BpeTrainer(vocab_size=rng.choice([420, 500]), special_tokens=[*special, *bytes_], show_progress=False))
    content = json.loads(tokenizer.to_str())
    content["added_tokens"] = [token for token in content["added_tokens"] if token["content"] not in bytes_]
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    return tokenizer


def random_tokenizer(rng, folder):
    special = ["<unk>", "<s>", "</s>", "<turn>"]
    tokenizer = (with_fallback if rng.random() < 0.35 else byte_level)(rng, special)
    begin = rng.choice([None, "<s>", "</s>"])
    if begin:
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{begin} $A", special_tokens=[(begin, tokenizer.token_to_id(begin))])
    names = {"eos_token": "</s>", "unk_token": "<unk>"} | ({"bos_token": begin} if begin else {})
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)
    return tokenizer.get_vocab_size()


def random_config(rng, family, size):
    wide = dict(vocab_size=size, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                max_position_embeddings=LENGTH)
    t = transformers
    window = rng.choice([2, 3, 7, 30, 200])  # with 1, transformers writes one text with its cache and another without
    layers = rng.choice([["sliding_attention", "full_attention"], ["full_attention", "sliding_attention"], ["sliding_attention"] * 2])
    of_gemma = dict(head_dim=rng.choice([8, 12]), **wide)
    local = dict(query_pre_attn_scalar=rng.choice([4, 11]), sliding_window=window, layer_types=layers, **of_gemma)
    part = {"rope_type": "default", "rope_theta": 300.0, "partial_rotary_factor": rng.choice([0.25, 0.5, 0.75, 1.0])}
    pairs = int(8 * part["partial_rotary_factor"]) // 2
    grown = {**part, "rope_type": "longrope", "short_factor": [rng.uniform(1, 2) for _ in range(pairs)],
             "long_factor": [rng.uniform(1, 9) for _ in range(pairs)]}
    alone = {key: value for key, value in wide.items() if key != "num_key_value_heads"}
    falcon = {key: value for key, value in alone.items() if key != "intermediate_size"}
    gpt = dict(vocab_size=size, n_positions=LENGTH, n_embd=32, n_layer=2, n_head=4)
    none = dict(pad_token_id=None)
    return {
        "phi3": [lambda: t.Phi3Config(sliding_window=rng.choice([None, window]), rope_parameters=part, **none, **wide),
                 lambda: t.Phi3Config(rope_parameters=grown, original_max_position_embeddings=80, **none, **wide)],
        "olmo2": [lambda: t.Olmo2Config(**none, **wide)],
        "gpt_neox": [lambda: t.GPTNeoXConfig(rope_parameters=part, use_parallel_residual=rng.random() < 0.5, attention_bias=rng.random() < 0.5, **alone)],
        "stablelm": [lambda: t.StableLmConfig(rope_parameters=part, use_parallel_residual=rng.random() < 0.5, use_qkv_bias=rng.random() < 0.5, **wide)],
        "granite": [lambda: t.GraniteConfig(embedding_multiplier=2.5, logits_scaling=3.0, residual_multiplier=0.3, attention_multiplier=0.2, **wide)],
        "phi": [lambda: t.PhiConfig(rope_parameters=part, qk_layernorm=rng.random() < 0.5, **wide)],
        "falcon": [lambda: t.FalconConfig(multi_query=rng.random() < 0.5, parallel_attn=rng.random() < 0.5, bias=rng.random() < 0.5, **falcon),
                   lambda: t.FalconConfig(new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=rng.choice([1, 2]), **falcon)],
        "gptj": [lambda: t.GPTJConfig(rotary_dim=rng.choice([2, 4, 8]), **gpt)],
        "cohere": [lambda: t.CohereConfig(logit_scale=0.5, attention_bias=rng.random() < 0.5, **none, **wide)],
        "mpt": [lambda: t.MptConfig(vocab_size=size, d_model=24, n_heads=3, n_layers=2, max_seq_len=LENGTH)],
        "mistral": [lambda: t.MistralConfig(sliding_window=window, **wide), lambda: t.MistralConfig(sliding_window=None, **wide)],
        "qwen2": [lambda: t.Qwen2Config(use_sliding_window=True, sliding_window=window, layer_types=layers, **wide), lambda: t.Qwen2Config(**wide)],
        "qwen3": [lambda: t.Qwen3Config(head_dim=8, **wide)],
        "smollm3": [lambda: t.SmolLM3Config(no_rope_layers=rng.choice([[0, 1], [1, 0], [0, 0]]), **none, **wide)],
        "gemma": [lambda: t.GemmaConfig(**of_gemma)],
        "gemma2": [lambda: t.Gemma2Config(attn_logit_softcapping=5.0, final_logit_softcapping=8.0, **local)],
        "gemma3_text": [lambda: t.Gemma3TextConfig(rope_parameters={
            "full_attention": {"rope_type": rng.choice(["default", "linear"]), "factor": 3.0, "rope_theta": 300.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 20.0}}, **local)],
        "gpt2": [lambda: t.GPT2Config(**gpt)],
        "llama": [lambda: t.LlamaConfig(**wide)],
        "bloom": [lambda: t.BloomConfig(vocab_size=size, hidden_size=32, n_layer=2, n_head=4, pad_token_id=0)],
        "opt": [lambda: t.OPTConfig(vocab_size=size, hidden_size=32, ffn_dim=48, num_hidden_layers=2, num_attention_heads=4, word_embed_proj_dim=32,
                                    max_position_embeddings=LENGTH, pad_token_id=0)]}[family]


FAMILIES = ["phi3", "olmo2", "gpt_neox", "stablelm", "granite", "phi", "falcon", "gptj", "cohere", "mpt", "mistral", "qwen2", "qwen3", "smollm3", "gemma", "gemma2",
            "gemma3_text", "gpt2", "llama", "bloom", "opt"]


def random_model(rng, number, folder):
    t, family = transformers, FAMILIES[number % len(FAMILIES)]
    is_own = family in OF_FAMILY and rng.random() < 0.7
    size = family_tokenizer(family, rng, folder) if is_own else random_tokenizer(rng, folder)
    size += rng.choice([0, 0, 5])  # published models often have more rows than pieces
    config = rng.choice(random_config(rng, family, size))()
    model = t.AutoModelForCausalLM.from_config(config).float().eval()
    generator = torch.Generator().manual_seed(rng.randrange(1 << 30))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            centre = 1.0 if parameter.dim() == 1 and "norm" in name.lower() and name.endswith("weight") else 0.0
            parameter.copy_(centre + 0.25 * torch.randn(parameter.shape, generator=generator))
    model.generation_config = t.GenerationConfig()
    model.save_pretrained(folder)
    ends = rng.choice([None, 2, [2, 3], rng.sample(range(size), size // 12)])
    settings = {"bos_token_id": rng.choice([None, 1, 2]), "eos_token_id": ends}
    if rng.random() < 0.3:
        settings["repetition_penalty"] = rng.choice([1.1, 1.5, 0.9])
    if rng.random() < 0.2:
        settings |= {"no_repeat_ngram_size": 2, "suppress_tokens": rng.sample(range(size), 5)}
    if rng.random() < 0.3:
        settings["min_new_tokens"] = 5
    (folder / "generation_config.json").write_text(json.dumps({key: value for key, value in settings.items() if value is not None}))
    return f"{family} with {'its own' if is_own else 'a random'} tokenizer"


def run(*arguments):
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, encoding="utf-8", check=False)


def compare_answers(program, file, model, tokenizer, prompts):
    wrong = 0
    for prompt in prompts:
        expected = answer(model, tokenizer, prompt)
        found = run(program, "generate", file, f"--prompt={prompt}", "--top-k", 1, "--max-tokens", 12, "--format", "json")
        if expected is None:
            wrong += "prompt has no tokens" not in found.stderr
            continue
        result = json.loads(found.stdout) if found.returncode == 0 else {"text": found.stderr, "tokens": []}
        ours, pieces = result["text"], tokenizer.convert_ids_to_tokens(expected["written"])  # None: a row without a piece
        agree = all(piece in (None, token) for piece, token in zip(pieces, result["tokens"]))
        if any((piece or "").startswith("<0x") for piece in pieces) and agree and 0 <= len(pieces) - len(result["tokens"]) <= 1:
            continue  # bytes that are not UTF-8 together are written in another way (docs/import.md)
        if ours != expected["text"]:
            wrong += 1
            print(f"prompt {prompt!r}: expected {expected['text']!r}, found {ours!r}")
    return wrong


def compare_tokens(server, tokenizer, texts):
    wrong = 0
    for begin in range(0, len(texts), 32):
        some = texts[begin:begin + 32]
        for text, tokens in zip(some, server.post("/tokenize", inputs=some), strict=True):
            expected, found = tokenizer(text, add_special_tokens=False, split_special_tokens=True).input_ids, [token["id"] for token in tokens]
            if found != expected:
                wrong += 1
                print(f"ids of {text!r}: expected {expected}, found {found}")
    return wrong


def compare_scores(server, model, tokenizer, texts):
    """Of the tokens of prompts, special ones among them."""
    wrong = 0
    for text in texts:
        ids = tokenizer(text).input_ids[:LENGTH]
        if not ids or max(ids) >= model.config.vocab_size:
            continue
        scores = torch.log_softmax(model(torch.tensor([ids])).logits[0], dim=-1)
        expected = [scores[place, token].item() for place, token in enumerate(ids[1:])]
        answer_ = server.post("/v1/completions", prompt=text, special_tokens=True, echo=True, logprobs=0, max_tokens=1, temperature=0)
        found = [value for value in answer_["choices"][0]["logprobs"]["token_logprobs"][:answer_["usage"]["prompt_tokens"]] if value is not None]
        if len(found) == len(expected) + 1 and tokenizer.bos_token_id is None:
            found = found[1:]
        if len(found) != len(expected) or any(abs(a - b) > 1e-4 + 1e-4 * abs(a) for a, b in zip(expected, found)):
            wrong += 1
            print(f"log-probabilities of {text!r}: expected {expected}, found {found}")
    return wrong


def compare_perplexity(program, file, model, tokenizer, folder):
    text = folder / "text"
    text.write_text("".join(TEXTS).replace("\r\n", "\n"), newline="")
    ids = tokenizer(text.read_text()).input_ids
    wrong = 0
    for window, stride in (LENGTH, LENGTH // 2), (40, 16), (30, 30):
        expected = recipe(model, ids, window, stride)
        found = run(program, "evaluate", file, "--text", text, "--context", window, "--stride", stride, "--format", "json")
        ours = json.loads(found.stdout)["perplexity"] if found.returncode == 0 else math.nan
        if not abs(ours - expected) <= 1e-4 * expected:
            wrong += 1
            print(f"perplexity {window}/{stride}: expected {expected}, found {ours} {found.stderr}")
    return wrong


def main():
    program, count, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    transformers.logging.set_verbosity_error()
    wrong = 0
    for number in range(count):
        with tempfile.TemporaryDirectory() as name, torch.no_grad():
            folder = pathlib.Path(name) / "model"
            folder.mkdir()
            kind = random_model(rng, number, folder)
            file = pathlib.Path(name) / "model.safetensors"
            imported = run(program, "import", folder, "--out", file)
            if imported.returncode != 0:
                print(f"{number} {kind}: {imported.stderr}")
                wrong += 1
                continue
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            model = transformers.AutoModelForCausalLM.from_pretrained(folder).float().eval()
            prompts = ["", *("".join(rng.choice(rng.choice([PIECES, ODD])) for _ in range(rng.randrange(1, 8))) for _ in range(8))]
            mine = compare_answers(program, file, model, tokenizer, prompts)
            texts = ["".join(rng.choice(rng.choice([PIECES, ODD])) for _ in range(rng.randrange(1, 9))) for _ in range(200)]
            with Server(program, file) as server:
                mine += compare_tokens(server, tokenizer, ODD + PIECES + texts + TEXTS)
                mine += compare_scores(server, model, tokenizer, texts[:40])
            mine += compare_perplexity(program, file, model, tokenizer, pathlib.Path(name))
            print(f"{number} {kind}: {mine} differences")
            wrong += mine
    print(f"{count} models, {wrong} differences")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
