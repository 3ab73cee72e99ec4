#!/usr/bin/env python3
"""Small models of other makers with random weights, for the tests of import: tests/interchange/data/models/*.

    python tools/make_import_fixtures.py [FAMILY ...]

Each is a model directory as transformers writes it, with golden.safetensors (tools/golden_of_huggingface.py) and training.safetensors
(tools/golden_of_training.py) beside it. Weights have a
standard deviation of 0.15, biases and normalizations are random, too: a small error shows. Needs torch, transformers, sentencepiece.
"""

import json
import shutil
import subprocess
import sys

import tokenizers
import torch
import transformers
from encoder_fixtures import ENCODERS, PAIRS, as_authors_have_it
from fixture_parts import DATA, ROOT, SENTENCES, byte_bpe, randomize, sentence_modules, spm
from safetensors.torch import load_file, save_file

SIZES = dict(hidden_size=32, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=96, pad_token_id=None)
FALCON = {key: value for key, value in SIZES.items() if key != "intermediate_size"}


def marian(folder, separate=False, **options):
    src = spm(folder, "source", "en", 70, bos_id=-1, eos_id=0, unk_id=1)
    tgt = spm(folder, "target", "de", 70, bos_id=-1, eos_id=0, unk_id=1)
    special = ["</s>", "<unk>"]

    def ids(pieces):
        return {piece: i for i, piece in enumerate([*special, *sorted(set(pieces) - set(special)), "<pad>"])}

    vocabularies = [ids(src), ids(tgt)] if separate else [ids(src + tgt)]
    (folder / "vocab.json").write_text(json.dumps(vocabularies[0], ensure_ascii=False))
    if separate:
        (folder / "target_vocab.json").write_text(json.dumps(vocabularies[1], ensure_ascii=False))
    pad = vocabularies[-1]["<pad>"]
    config = transformers.MarianConfig(
        vocab_size=len(vocabularies[0]), decoder_vocab_size=len(vocabularies[-1]), d_model=16, encoder_layers=2, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=24, decoder_ffn_dim=24, max_position_embeddings=64,
        activation_function="swish", scale_embedding=True, share_encoder_decoder_embeddings=not separate, pad_token_id=pad, eos_token_id=0,
        bos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0, **options)
    model = randomize(transformers.MarianMTModel(config), 1)
    with torch.no_grad():
        model.final_logits_bias.normal_(0, 0.15, generator=torch.Generator().manual_seed(2))
        model.final_logits_bias[0, pad] = 0
        for table in {model.get_input_embeddings(), model.model.decoder.embed_tokens}:
            table.weight[pad if table is model.model.decoder.embed_tokens or not separate else vocabularies[0]["<pad>"]] = 0
    model.generation_config = transformers.GenerationConfig(
        bad_words_ids=[[pad]], num_beams=4, max_length=64, pad_token_id=pad, eos_token_id=0, bos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=0)
    model.save_pretrained(folder)
    tokenizer = {"tokenizer_class": "MarianTokenizer", "source_lang": "en", "target_lang": "de", "model_max_length": 64,
                 "separate_vocabs": separate}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))


def gpt2(folder):
    size = byte_bpe(folder, 262, ["<|endoftext|>"])
    config = transformers.GPT2Config(vocab_size=size, n_positions=96, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
    model = randomize(transformers.GPT2LMHeadModel(config), 3)
    model.save_pretrained(folder)


def llama(folder, config, pad_token=None, **options):
    size = byte_bpe(folder, 262, ["<|begin|>", "<|end|>"], begins=True)
    if pad_token:
        transformers.AutoTokenizer.from_pretrained(folder, pad_token=pad_token).save_pretrained(folder)
    config = config(vocab_size=size, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
                    max_position_embeddings=96, bos_token_id=0, eos_token_id=1, pad_token_id=None, **options)
    randomize(transformers.AutoModelForCausalLM.from_config(config), 4).save_pretrained(folder)


def ends_with(folder, before, after):
    """The tokens that the tokenizer puts around a text."""
    path = folder / "tokenizer.json"
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    marks = [piece for piece in (before, after) if piece]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=" ".join([*([before] if before else []), "$A", after]), special_tokens=[(piece, tokenizer.token_to_id(piece)) for piece in marks])
    tokenizer.save(str(path))


def embedding_gemma(folder):
    """Windows that look to both sides, and two linear layers."""
    gemma(folder, transformers.Gemma3TextConfig, use_bidirectional_attention=True, sliding_window=4, query_pre_attn_scalar=8,
          layer_types=["sliding_attention", "full_attention"])
    ends_with(folder, "<bos>", "<eos>")
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": "PreTrainedTokenizerFast"}, indent=2) + "\n")
    transformers.AutoModel.from_pretrained(folder).save_pretrained(folder)
    (folder / "generation_config.json").unlink()
    sentence_modules(folder, 40, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=True)
    names = ["Transformer", "Pooling", "Dense", "Dense", "Normalize"]
    (folder / "modules.json").write_text(json.dumps([
        {"idx": i, "name": str(i), "path": f"{i}_{name}" if i else "", "type": f"sentence_transformers.models.{name}"} for i, name in enumerate(names)]))
    generator = torch.Generator().manual_seed(14)
    for place, (rows, columns) in (("2_Dense", (24, 16)), ("3_Dense", (10, 24))):
        (folder / place).mkdir()
        (folder / place / "config.json").write_text(json.dumps(
            {"in_features": columns, "out_features": rows, "bias": False, "activation_function": "torch.nn.modules.linear.Identity"}))
        save_file({"linear.weight": 0.2 * torch.randn((rows, columns), generator=generator)}, folder / place / "model.safetensors",
                  metadata={"format": "pt"})


def decoder_sentences(folder, kind, before, after, prefix, **options):
    """The last token of a text, which is another one than the language model ends with. Names of weights begin with `prefix`."""
    llama(folder, kind, pad_token="<|end|>", **options)
    ends_with(folder, before, after)
    model = transformers.AutoModel.from_pretrained(folder)
    model.save_pretrained(folder)
    if prefix:
        tensors = load_file(folder / "model.safetensors")
        save_file({prefix + name: tensor for name, tensor in tensors.items()}, folder / "model.safetensors", metadata={"format": "pt"})
    sentence_modules(folder, 24, True, pooling_mode_cls_token=False, pooling_mode_mean_tokens=False, pooling_mode_lasttoken=True, include_prompt=True)
    (folder / "config_sentence_transformers.json").write_text(json.dumps(
        {"__version__": {"sentence_transformers": "2.7.0"}, "prompts": {"query": "Instruct: find\nQuery:", "document": ""}, "default_prompt_name": None,
         "similarity_fn_name": "cosine"}))


def decoder(folder, config, **options):
    """One whose class has other names of settings, or heads wide enough to be rotated in part."""
    size = byte_bpe(folder, 262, ["<|begin|>", "<|end|>"], begins=True)
    config = config(vocab_size=size, bos_token_id=0, eos_token_id=1, **options)
    randomize(transformers.AutoModelForCausalLM.from_config(config), 7).save_pretrained(folder)


def rotated(share, theta=500.0, **scaling):
    return {"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": share, **scaling}


def gemma_tokenizer(folder):
    spm(folder, "tokenizer", "en", 350, model_type="bpe", pad_id=0, eos_id=1, bos_id=2, unk_id=3, byte_fallback=True, split_digits=True,
        bos_piece="<bos>", eos_piece="<eos>", user_defined_symbols=["<start_of_turn>", "<end_of_turn>", "\n", "\n\n", "▁▁", "▁▁▁"], add_dummy_prefix=False,
        allow_whitespace_only_pieces=True, remove_extra_whitespaces=False)
    (folder / "tokenizer.spm").rename(folder / "tokenizer.model")
    tokenizer = transformers.GemmaTokenizer.from_pretrained(folder, add_bos_token=True)
    tokenizer.chat_template = ("{{ bos_token }}{% for message in messages %}{% if message['role'] == 'assistant' %}{% set role = 'model' %}"
                               "{% else %}{% set role = message['role'] %}{% endif %}"
                               "{{ '<start_of_turn>' + role + '\n' + message['content'] | trim + '<end_of_turn>\n' }}{% endfor %}"
                               "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}")
    tokenizer.save_pretrained(folder)
    (folder / "tokenizer.model").unlink()
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    for place in ("vocab_file", "is_local", "local_files_only", "extra_special_tokens"):
        settings.pop(place, None)
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    return len(tokenizer)


def without_one(model):
    """Gains as Gemma stores them."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "norm" in name:
                p -= 1
    return model


def gemma(folder, config, **options):
    config = config(vocab_size=gemma_tokenizer(folder), hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
                    num_key_value_heads=2, head_dim=8, max_position_embeddings=96, **options)
    without_one(randomize(transformers.AutoModelForCausalLM.from_config(config), 6)).save_pretrained(folder)


FAMILIES = {
    **ENCODERS,
    "llama": lambda folder: llama(folder, transformers.LlamaConfig, rope_parameters={
        "rope_type": "llama3", "rope_theta": 500.0, "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 24}),
    "qwen2": lambda folder: llama(folder, transformers.Qwen2Config, tie_word_embeddings=True),
    "mistral": lambda folder: llama(folder, transformers.MistralConfig, head_dim=6, sliding_window=None, tie_word_embeddings=True),
    "mistral_window": lambda folder: llama(folder, transformers.MistralConfig, sliding_window=5),
    "qwen2_window": lambda folder: llama(folder, transformers.Qwen2Config, tie_word_embeddings=True, use_sliding_window=True, sliding_window=4,
                                         max_window_layers=1),
    "smollm3": lambda folder: llama(folder, transformers.SmolLM3Config, tie_word_embeddings=True, no_rope_layer_interval=2),
    "gemma": lambda folder: gemma(folder, transformers.GemmaConfig),
    "gemma2": lambda folder: gemma(folder, transformers.Gemma2Config, sliding_window=4, query_pre_attn_scalar=9, attn_logit_softcapping=1.5,
                                   final_logit_softcapping=2.0),
    "gemma3": lambda folder: gemma(folder, transformers.Gemma3TextConfig, sliding_window=4, query_pre_attn_scalar=8,
                                   layer_types=["sliding_attention", "full_attention"], rope_parameters={
                                       "full_attention": {"rope_type": "linear", "factor": 4.0, "rope_theta": 500.0},
                                       "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}),
    "qwen3": lambda folder: llama(folder, transformers.Qwen3Config, head_dim=8, tie_word_embeddings=True, rope_parameters={
        "rope_type": "yarn", "rope_theta": 100.0, "factor": 4.0, "original_max_position_embeddings": 24, "beta_slow": 0.25}),
    "mixtral": lambda folder: llama(folder, transformers.MixtralConfig, num_local_experts=4, router_aux_loss_coef=0.0),
    "qwen2_moe": lambda folder: llama(folder, transformers.Qwen2MoeConfig, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=12,
                                      shared_expert_intermediate_size=20, decoder_sparse_step=2, tie_word_embeddings=True,
                                      output_router_logits=True, router_aux_loss_coef=0.5),
    "qwen3_moe": lambda folder: llama(folder, transformers.Qwen3MoeConfig, head_dim=8, num_experts=4, num_experts_per_tok=2,
                                      moe_intermediate_size=12, norm_topk_prob=True, router_aux_loss_coef=0.0),
    "qwen3_sentences": lambda folder: decoder_sentences(folder, transformers.Qwen3Config, "", "<|begin|>", "", head_dim=8, tie_word_embeddings=True),
    "mistral_sentences": lambda folder: decoder_sentences(folder, transformers.MistralConfig, "<|begin|>", "<|end|>", "model.", sliding_window=5),
    "embedding_gemma_sentences": embedding_gemma,
    "phi3": lambda folder: decoder(folder, transformers.Phi3Config, **SIZES, num_key_value_heads=2, sliding_window=9),
    "phi4_mini": lambda folder: decoder(
        folder, transformers.Phi3Config, **SIZES, num_key_value_heads=1, tie_word_embeddings=True, original_max_position_embeddings=64,
        rope_parameters=rotated(0.75, rope_type="longrope", short_factor=[1.0, 1.25, 1.5], long_factor=[1.5, 4.0, 9.0])),
    "olmo2": lambda folder: llama(folder, transformers.Olmo2Config, rope_parameters={"rope_type": "default", "rope_theta": 500.0}),
    "gpt_neox": lambda folder: decoder(folder, transformers.GPTNeoXConfig, **SIZES, rope_parameters=rotated(0.5)),
    "stablelm": lambda folder: decoder(folder, transformers.StableLmConfig, **SIZES, num_key_value_heads=2, use_qkv_bias=True,
                                       rope_parameters=rotated(0.25)),
    "granite": lambda folder: llama(folder, transformers.GraniteConfig, tie_word_embeddings=True, embedding_multiplier=3.0, logits_scaling=4.0,
                                    residual_multiplier=0.375, attention_multiplier=0.25),
    "phi": lambda folder: decoder(folder, transformers.PhiConfig, **SIZES, num_key_value_heads=2, qk_layernorm=True, rope_parameters=rotated(0.5)),
    "falcon": lambda folder: decoder(folder, transformers.FalconConfig, **FALCON, ffn_hidden_size=24),
    "falcon_new": lambda folder: decoder(folder, transformers.FalconConfig, **FALCON, new_decoder_architecture=True, num_kv_heads=2, bias=True),
    "gptj": lambda folder: decoder(folder, transformers.GPTJConfig, n_positions=96, n_embd=32, n_layer=2, n_head=4, rotary_dim=4, n_inner=24),
    "cohere": lambda folder: decoder(folder, transformers.CohereConfig, **SIZES, num_key_value_heads=2, logit_scale=0.5),
    "mpt": lambda folder: decoder(folder, transformers.MptConfig, d_model=24, n_heads=3, n_layers=2, max_seq_len=96),
    "gpt2": gpt2,
    "marian": lambda folder: marian(folder),
    "marian_separate": lambda folder: marian(folder, separate=True, tie_word_embeddings=False),
}
NOT_TRAINED = ["jina_bert", "gte_authors", "bert_older", "electra_encoder", "camembert_classifier", "camembert_tagger", "xlm_roberta_classifier", "xlm_roberta_tagger"]  # whose gradients are not recorded, since others have the same layers


def main():
    for name in sys.argv[1:] or FAMILIES:
        folder = DATA / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        FAMILIES[name](folder)
        # Texts whose unknown characters are in no vocabulary: transformers looks those of a joint one up although the source's model lacks them.
        texts = folder / "texts"
        lines = [*(s[:12] for s in SENTENCES["en"]), "Où est la bibliothèque ?", "x"]
        if name in PAIRS:
            lines = [f"{line}\t{other}" for line, other in zip(lines, reversed(lines))]
        texts.write_text("\n".join(lines) + "\n")
        subprocess.run([sys.executable, ROOT / "tools/golden_of_huggingface.py", folder, folder / "golden.safetensors", texts, "8"], check=True)
        texts.unlink()
        if (folder / "sentencepiece.bpe.model").exists() and (folder / "tokenizer.json").exists():  # older directories have no tokenizer.json
            (folder / "tokenizer.json").unlink()
            settings = json.loads((folder / "tokenizer_config.json").read_text())
            del settings["backend"]
            (folder / "tokenizer_config.json").write_text(json.dumps({**settings, "tokenizer_class": "XLMRobertaTokenizer"}, indent=2))
        if name not in NOT_TRAINED:
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", folder, folder / "training.safetensors"], check=True)
        if name == "gte_authors":
            as_authors_have_it(folder)
        if name == "bert_classifier":
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", "--lora=2", folder, folder / "adapters.safetensors"], check=True)
            subprocess.run([sys.executable, ROOT / "tools/golden_of_training.py", "--steps=10", folder, folder / "steps.safetensors"], check=True)
        print(name, sum(f.stat().st_size for f in folder.rglob("*")), "bytes")


if __name__ == "__main__":
    main()
