"""The other side of the comparison of language models: PyTorch's layers on the same sequences and the same weights.

usage: train_lm_torch.py OPTIONS.json [--variant f32|bf16|f32-compiled|bf16-compiled]

A stack of pre-norm layers under a causal mask, attention through scaled_dot_product_attention, the fused Adam. Prints one line of JSON, as
train_lm_attend.cpp does.
"""

import json
import math

import torch
from torch import nn
from torch.nn import functional as F
from train_torch import WARM_UP, adam, load_weights, losses, read_ids, read_options, sinusoids, train_for


class LanguageModel(nn.Module):
    def __init__(self, config, vocabulary, length):
        super().__init__()
        d = config["d_model"]
        layer = nn.TransformerEncoderLayer(d, config["n_heads"], config["d_ff"], dropout=config["dropout"], activation="gelu", batch_first=True,
                                           norm_first=True)
        layer.dropout.p = layer.self_attn.dropout = 0.0  # residual dropout only
        self.decoder = nn.TransformerEncoder(layer, config["n_layers"], norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.embedding = nn.Embedding(vocabulary, d)
        self.dropout = nn.Dropout(config["dropout"])
        self.register_buffer("positions", sinusoids(length, d), persistent=False)
        self.scale = math.sqrt(d)

    def forward(self, ids):
        x = self.dropout(self.embedding(ids) * self.scale + self.positions[: ids.shape[1]])
        return self.decoder(x, mask=nn.Transformer.generate_square_subsequent_mask(ids.shape[1]), is_causal=True)


def loss_of(model, batch, variant):
    with torch.autocast("cpu", torch.bfloat16, enabled=variant.startswith("bf16")):
        logits = F.linear(model(batch[:, :-1]), model.embedding.weight)
        return F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


def main():
    options, variant = read_options()
    ids = torch.tensor(read_ids(options["ids"]))
    batches = ids.split(options["sequences"])
    model = LanguageModel(options["model"], options["vocabulary"], ids.shape[1])
    result = {"parameters": load_weights(model, options["weights"])}
    result.update(losses(loss_of, model, batches[0], variant))
    optimizer = adam(model.parameters())
    compiled = variant.endswith("compiled")
    if compiled:
        model.decoder = torch.compile(model.decoder)

    def step(i):
        batch = batches[i % len(batches)]
        loss_of(model, batch, variant).backward()
        return batch[:, 1:].numel(), 0

    result.update(train_for(options["seconds"], 6 if compiled else WARM_UP, optimizer, step))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
