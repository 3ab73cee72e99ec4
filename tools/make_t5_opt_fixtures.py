#!/usr/bin/env python3
"""Small T5, T5Gemma, OPT and BLOOM models with random weights, for the tests of import: tests/interchange/data/models/*.

    python tools/make_t5_opt_fixtures.py [FAMILY ...]

As tools/make_import_fixtures.py, which says what a fixture is. Vocabularies are padded: the models have more embeddings than pieces.
"""

import json
import sys

import sentencepiece
import tokenizers
import torch
import transformers
from safetensors.torch import load_file, save_file

import fixture_parts as parts
import make_import_fixtures as fixtures

PADDING = 4  # embeddings without a piece


def t5_tokenizer(folder, sentinels):
    """spiece.model with T5's special tokens, and the tokenizer.json of the same pieces and of sentinels. Returns how many they are."""
    parts.spm(folder, "spiece", "en", 70, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    path = (folder / "spiece.spm").rename(folder / "spiece.model")
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    pieces = [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]
    pieces += [(f"<extra_id_{i}>", 0.0) for i in reversed(range(sentinels))]
    transformers.T5Tokenizer(vocab=pieces, extra_ids=sentinels).save_pretrained(folder)
    return len(pieces)


def t5_config(kind, size, **options):
    return kind(vocab_size=size + PADDING, d_model=16, d_kv=6, d_ff=24, num_layers=2, num_decoder_layers=1, num_heads=3,
                relative_attention_num_buckets=8, relative_attention_max_distance=12, pad_token_id=0, eos_token_id=1, decoder_start_token_id=0,
                **options)


def t5(folder):
    """The first T5: relu, tied embeddings whose output is scaled; a tokenizer.json with sentinels."""
    config = t5_config(transformers.T5Config, t5_tokenizer(folder, 3), feed_forward_proj="relu")
    parts.randomize(transformers.T5ForConditionalGeneration(config), 5).save_pretrained(folder)


def with_own_output(folder, kind, model_kind, seed):
    """Version 1.1, as Flan-T5 and mT5: gated gelu, an output projection of its own."""
    config = t5_config(kind, t5_tokenizer(folder, 0), feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    parts.randomize(model_kind(config), seed).save_pretrained(folder)
    # transformers ties what it makes; files from elsewhere have both.
    weights = load_file(folder / "model.safetensors")
    generator = torch.Generator().manual_seed(seed + 1)
    weights["lm_head.weight"] = 0.15 * torch.randn(weights["shared.weight"].shape, generator=generator)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    written = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**written, "tie_word_embeddings": False}, indent=2))


def opt(folder, **options):
    size = parts.byte_bpe(folder, 262, ["</s>"], begins=True)
    config = transformers.OPTConfig(vocab_size=size + PADDING, hidden_size=16, ffn_dim=24, num_hidden_layers=2, num_attention_heads=2,
                                    max_position_embeddings=96, bos_token_id=0, eos_token_id=0, pad_token_id=None, **options)
    parts.randomize(transformers.OPTForCausalLM(config), 9).save_pretrained(folder)


def umt5(folder):
    """Relative positions of every layer; tied embeddings whose output is scaled."""
    config = t5_config(transformers.UMT5Config, t5_tokenizer(folder, 0), feed_forward_proj="gated-gelu")
    parts.randomize(transformers.UMT5ForConditionalGeneration(config), 10).save_pretrained(folder)


def longt5(folder):
    """An encoder whose tokens see two on both sides."""
    config = t5_config(transformers.LongT5Config, t5_tokenizer(folder, 0), feed_forward_proj="gated-gelu", local_radius=2)
    parts.randomize(transformers.LongT5ForConditionalGeneration(config), 12).save_pretrained(folder)


def t5gemma(folder):
    """Stacks of several sizes; windows and caps that matter."""
    size = fixtures.gemma_tokenizer(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(folder)
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    shared = dict(vocab_size=size, num_hidden_layers=2, head_dim=8, max_position_embeddings=96, sliding_window=3, query_pre_attn_scalar=9,
                  attn_logit_softcapping=1.5)
    encoder = dict(hidden_size=16, intermediate_size=24, num_attention_heads=4, num_key_value_heads=2, **shared)
    decoder = dict(hidden_size=12, intermediate_size=20, num_attention_heads=2, num_key_value_heads=1, final_logit_softcapping=2.0, **shared)
    config = transformers.T5GemmaConfig(encoder=encoder, decoder=decoder, vocab_size=size)
    fixtures.without_one(parts.randomize(transformers.T5GemmaForConditionalGeneration(config), 13)).save_pretrained(folder)


def bloom(folder):
    """Three heads, so that one slope is between those of four."""
    level = tokenizers.pre_tokenizers.ByteLevel
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    words = tokenizers.Regex(r" ?[^(\s|[.,!?…。，、।۔،])]+")
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Split(words, "isolated"), level(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    tokenizer.train_from_iterator(parts.SENTENCES["en"], tokenizers.trainers.BpeTrainer(
        vocab_size=270, special_tokens=["<unk>", "<s>", "</s>", "<pad>"], initial_alphabet=level.alphabet(), show_progress=False))
    size = parts.pretrained(tokenizer, folder, unk_token="<unk>", bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    config = transformers.BloomConfig(vocab_size=size + PADDING, hidden_size=18, n_layer=2, n_head=3, pad_token_id=3)
    parts.randomize(transformers.BloomForCausalLM(config), 11).save_pretrained(folder)


FAMILIES = {
    "t5": t5,
    "flan_t5": lambda folder: with_own_output(folder, transformers.T5Config, transformers.T5ForConditionalGeneration, 6),
    "mt5": lambda folder: with_own_output(folder, transformers.MT5Config, transformers.MT5ForConditionalGeneration, 7),
    "umt5": umt5,
    "longt5": longt5,
    "t5gemma": t5gemma,
    "bloom": bloom,
    "opt": lambda folder: opt(folder),
    "opt_post_norm": lambda folder: opt(folder, do_layer_norm_before=False, enable_bias=False),
    "opt_narrow": lambda folder: opt(folder, do_layer_norm_before=False, word_embed_proj_dim=12),
}

# Files that are left out in the end: one of the two tokenizers. transformers reads spiece.model only with more packages.
REMOVED = {"t5": "spiece.model", "flan_t5": "spiece.model", "mt5": "tokenizer.json", "umt5": "spiece.model", "longt5": "spiece.model"}


def main():
    fixtures.FAMILIES = FAMILIES
    fixtures.main()
    for name in sys.argv[1:] or FAMILIES:
        folder = parts.DATA / name
        if name in REMOVED:
            (folder / REMOVED[name]).unlink()
        for path in folder.glob("tokenizer.json"):  # written with a line for each number
            path.write_text(json.dumps(json.loads(path.read_text()), ensure_ascii=False))


if __name__ == "__main__":
    main()
