"""A Llama-type model directory of Hugging Face as a GGUF file, for llama.cpp as a peer.

usage: convert_to_gguf.py DIR OUT.gguf [--q8]      --q8: products in 8 bits (Q8_0)
"""

import argparse
import json
import pathlib

import gguf
import numpy
import safetensors.numpy

NAMES = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down"}


def interleaved(weight, heads):
    """llama.cpp rotates neighboring rows of a head, transformers its halves."""
    rows, columns = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("out")
    parser.add_argument("--q8", action="store_true")
    a = parser.parse_args()
    config = json.loads((a.directory / "config.json").read_text())
    tokenizer = json.loads((a.directory / "tokenizer.json").read_text())
    weights = safetensors.numpy.load_file(a.directory / "model.safetensors")

    writer = gguf.GGUFWriter(a.out, "llama")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    writer.add_rope_dimension_count(config["hidden_size"] // config["num_attention_heads"])
    writer.add_vocab_size(config["vocab_size"])
    pieces = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].get)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(pieces)
    writer.add_token_types([gguf.TokenType.CONTROL if i == 0 else gguf.TokenType.NORMAL for i in range(len(pieces))])
    writer.add_token_merges([" ".join(merge) if isinstance(merge, list) else merge for merge in tokenizer["model"]["merges"]])
    writer.add_bos_token_id(config["bos_token_id"])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_add_bos_token(False)

    for name, weight in weights.items():
        weight = weight.astype(numpy.float32)
        kind = name.removesuffix(".weight").removeprefix("model.")
        if kind in ("embed_tokens", "norm", "lm_head"):
            ours = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}[kind]
        else:
            _, layer, part = kind.split(".", 2)
            ours = f"blk.{layer}.{NAMES[part]}"
            if part.endswith("q_proj"):
                weight = interleaved(weight, config["num_attention_heads"])
            if part.endswith("k_proj"):
                weight = interleaved(weight, config["num_key_value_heads"])
        if a.q8 and weight.ndim == 2:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(ours + ".weight", gguf.quants.quantize(weight, kind), raw_dtype=kind)
        else:
            writer.add_tensor(ours + ".weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
