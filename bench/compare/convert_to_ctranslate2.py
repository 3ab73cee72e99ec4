"""Gives CTranslate2 the weights and the vocabulary of one of our translation models.

usage: convert_to_ctranslate2.py MODEL.safetensors OUT_FOLDER float32|int8
"""

import json
import os
import shutil
import sys

import ctranslate2
import numpy as np
import sentencepiece
from safetensors import safe_open


def sinusoids(length, width):
    position = np.arange(length)[:, None]
    frequency = 10000.0 ** (-np.arange(0, width, 2) / width)
    table = np.empty((length, width), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(position * frequency), np.cos(position * frequency)
    return table


def pieces(tokenizer):
    processor = sentencepiece.SentencePieceProcessor(model_proto=tokenizer)
    return [processor.id_to_piece(i) for i in range(processor.get_piece_size())]


class Model:
    def __init__(self, path):
        with safe_open(path, "np") as file:
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
            self.config = json.loads(file.metadata()["attend.config"])
        if self.config["positions"] != "sinusoidal" or self.config["tie_embeddings"] == "none":
            sys.exit("only models with sinusoids and a tied output projection are converted")
        joint = self.config["tie_embeddings"] == "all"
        self.src_embedding, self.tgt_embedding = (self.tensors["embedding.weight" if joint else f"{side}_embedding.weight"] for side in ("src", "tgt"))
        self.tokenizers = {side: self.tensors[name].tobytes() for side, name in (("src", "tokenizer"), ("src", "tokenizer.src"), ("tgt", "tokenizer.tgt"))
                           if name in self.tensors}  # of a joint vocabulary one

    def linear(self, spec, *paths):
        """Several projections of one input as one product."""
        spec.weight = np.concatenate([self.tensors[path + ".weight"] for path in paths])
        spec.bias = np.concatenate([self.tensors[path + ".bias"] for path in paths])

    def norm(self, spec, path):
        spec.gamma, spec.beta = self.tensors[path + ".weight"], self.tensors[path + ".bias"]

    def self_attention(self, spec, path, norm):
        self.linear(spec.linear[0], *(f"{path}.{part}_proj" for part in "qkv"))
        self.linear(spec.linear[1], f"{path}.out_proj")
        self.norm(spec.layer_norm, norm)

    def cross_attention(self, spec, path, norm):
        self.linear(spec.linear[0], f"{path}.q_proj")
        self.linear(spec.linear[1], f"{path}.k_proj", f"{path}.v_proj")
        self.linear(spec.linear[2], f"{path}.out_proj")
        self.norm(spec.layer_norm, norm)

    def feed_forward(self, spec, path, norm):
        self.linear(spec.linear_0, f"{path}.linear1")
        self.linear(spec.linear_1, f"{path}.linear2")
        self.norm(spec.layer_norm, norm)

    def side(self, spec, path, embedding, table):
        embedding.weight = table
        embedding.multiply_by_sqrt_depth = True
        spec.position_encodings.encodings = sinusoids(1024, self.config["d_model"])
        if self.config["norm_first"]:
            self.norm(spec.layer_norm, f"{path}.norm")

    def spec(self):
        c = self.config
        spec = ctranslate2.specs.TransformerSpec.from_config((c["n_encoder_layers"], c["n_decoder_layers"]), c["n_heads"],
                                                         pre_norm=c["norm_first"], alignment_heads=0)  # the mean of all
        self.side(spec.encoder, "encoder", spec.encoder.embeddings[0], self.src_embedding)
        self.side(spec.decoder, "decoder", spec.decoder.embeddings, self.tgt_embedding)
        for i, layer in enumerate(spec.encoder.layer):
            path = f"encoder.layers.{i}."
            self.self_attention(layer.self_attention, path + "self_attn", path + "norm1")
            self.feed_forward(layer.ffn, path + "feed_forward", path + "norm2")
        for i, layer in enumerate(spec.decoder.layer):
            path = f"decoder.layers.{i}."
            self.self_attention(layer.self_attention, path + "self_attn", path + "norm1")
            self.cross_attention(layer.attention, path + "cross_attn", path + "norm2")
            self.feed_forward(layer.ffn, path + "feed_forward", path + "norm3")
        spec.decoder.projection.weight = self.tgt_embedding
        spec.register_source_vocabulary(pieces(self.tokenizers["src"]))
        spec.register_target_vocabulary(pieces(self.tokenizers.get("tgt", self.tokenizers["src"])))
        spec.config.add_source_eos = True
        return spec


def main():
    model = Model(sys.argv[1])
    spec = model.spec()
    spec.validate()
    spec.optimize(quantization=None if sys.argv[3] == "float32" else sys.argv[3])
    shutil.rmtree(sys.argv[2], ignore_errors=True)  # the vocabularies of another model would count
    os.makedirs(sys.argv[2])
    spec.save(sys.argv[2])
    for side, tokenizer in model.tokenizers.items():
        with open(os.path.join(sys.argv[2], f"tokenizer.{side}.model"), "wb") as file:
            file.write(tokenizer)


if __name__ == "__main__":
    main()
