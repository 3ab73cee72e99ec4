"""The other side of a training comparison: PyTorch, at its best, on the same sentences and the same weights.

usage: train_torch.py OPTIONS.json [--variant f32|bf16|f32-compiled|bf16-compiled]

The model is nn.Transformer's layers with the embeddings of the paper; attention runs through scaled_dot_product_attention, batches are
made of sentences of similar length (so that little is padded), Adam is the fused one. Prints one line of JSON, as train_attend.cpp does.
"""

import argparse
import copy
import json
import math
import time

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

from sides import peak_bytes

PAD, BOS, EOS = 0, 2, 3
WARM_UP = 3


class Translator(nn.Module):
    def __init__(self, config, vocabulary, dropout):
        super().__init__()
        d = config["d_model"]
        common = dict(d_model=d, nhead=config["n_heads"], dim_feedforward=config["d_ff"], dropout=dropout, batch_first=True,
                      norm_first=config["norm_first"])
        encoder_layer = nn.TransformerEncoderLayer(**common)
        decoder_layer = nn.TransformerDecoderLayer(**common)
        for layer in (encoder_layer, decoder_layer):  # as in the recipe: residual dropout only
            layer.dropout.p = 0.0
            for name in ("self_attn", "multihead_attn"):
                if hasattr(layer, name):
                    getattr(layer, name).dropout = 0.0
        last_norm = nn.LayerNorm(d) if config["norm_first"] else None
        self.encoder = nn.TransformerEncoder(encoder_layer, config["n_encoder_layers"], copy.deepcopy(last_norm), enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(decoder_layer, config["n_decoder_layers"], last_norm)
        if config["tie_embeddings"] == "all":
            self.embedding = nn.Embedding(vocabulary, d)
        else:
            self.src_embedding, self.tgt_embedding = nn.Embedding(vocabulary, d), nn.Embedding(vocabulary, d)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", sinusoids(1024, d), persistent=False)
        self.scale = math.sqrt(d)

    def table(self, side):
        return self.embedding if hasattr(self, "embedding") else getattr(self, side + "_embedding")

    def embed(self, side, ids):
        return self.dropout(self.table(side)(ids) * self.scale + self.positions[: ids.shape[1]])

    def forward(self, src, tgt):
        width = tgt.shape[1]
        causal = torch.ones(width, width, dtype=torch.bool).triu(1)
        padding = src == PAD
        memory = self.encoder(self.embed("src", src), src_key_padding_mask=padding)
        hidden = self.decoder(self.embed("tgt", tgt), memory, tgt_mask=causal, tgt_is_causal=True, memory_key_padding_mask=padding)
        return hidden


def sinusoids(length, width):
    position = torch.arange(length, dtype=torch.float64)[:, None]
    frequency = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    table = torch.empty(length, width, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(position * frequency), torch.cos(position * frequency)
    return table.float()


def torch_names(name):
    """attend's module path -> (PyTorch's, index of the third of in_proj or None)."""
    name = name.replace("feed_forward.", "").replace("cross_attn", "multihead_attn")
    for index, part in enumerate(("q_proj", "k_proj", "v_proj")):
        if part in name:
            return name.replace(f".{part}.", ".in_proj_"), index
    return name, None


def load_weights(model, path):
    target = dict(model.named_parameters())
    used = 0
    with torch.no_grad():
        for name, tensor in load_file(path).items():
            if name == "tokenizer":  # a whole model
                continue
            theirs, third = torch_names(name)
            parameter = target[theirs]
            part = parameter if third is None else parameter.chunk(3)[third]
            part.copy_(tensor)
            used += tensor.numel()
    assert used == sum(p.numel() for p in target.values()), "the models differ in their parameters"
    return used


def read_ids(path):
    with open(path) as file:
        return [[int(word) for word in line.split()] for line in file]


def pad(sequences):
    width = max(len(s) for s in sequences)
    return torch.tensor([s + [PAD] * (width - len(s)) for s in sequences])


def collate(pairs):
    src = pad([s + [EOS] for s, _ in pairs])
    tgt_in = pad([[BOS] + t for _, t in pairs])
    tgt_out = pad([t + [EOS] for _, t in pairs])
    return src, tgt_in, tgt_out


def first_batch(pairs, limit):
    batch, tokens = [], 0
    for pair in pairs:
        tokens += max(len(pair[0]), len(pair[1])) + 1
        if tokens > limit:
            break
        batch.append(pair)
    return collate(batch)


def bucketed_batches(pairs, limit):
    """Sentences of similar length together; the padded width of the longer side counts, as the memory does."""
    ordered = sorted(pairs, key=lambda pair: (max(len(pair[0]), len(pair[1])), len(pair[0])))
    batches, batch, width = [], [], 0
    for pair in ordered:
        longer = max(len(pair[0]), len(pair[1])) + 1
        if batch and max(width, longer) * (len(batch) + 1) > limit:
            batches.append(collate(batch))
            batch, width = [], 0
        batch.append(pair)
        width = max(width, longer)
    batches.append(collate(batch))
    generator = torch.Generator().manual_seed(1)
    return [batches[i] for i in torch.randperm(len(batches), generator=generator)]


def loss_of(model, batch, variant):
    src, tgt_in, tgt_out = batch
    with torch.autocast("cpu", torch.bfloat16, enabled=variant.startswith("bf16")):
        hidden = model(src, tgt_in)
        real = tgt_out != PAD  # no logits for the padding
        logits = F.linear(hidden[real], model.table("tgt").weight)
        return F.cross_entropy(logits, tgt_out[real], label_smoothing=0.1)


def train_for(seconds, warm_up, optimizer, step):
    """Steps after some to warm up; step(i) leaves gradients and returns (tokens, source tokens). -> what train_for.h returns."""
    steps = tokens = source_tokens = 0
    begun, fastest = time.monotonic(), float("inf")
    i = 0
    while i <= warm_up or time.monotonic() - begun < seconds:
        if i == warm_up:
            begun = time.monotonic()
        step_begun = time.monotonic()
        optimizer.zero_grad(set_to_none=True)
        done = step(i)
        optimizer.step()
        if i >= warm_up:
            fastest = min(fastest, time.monotonic() - step_begun)
            steps, tokens, source_tokens = steps + 1, tokens + done[0], source_tokens + done[1]
        i += 1
    taken = time.monotonic() - begun
    return dict(steps=steps, tokens_per_second=tokens / taken, source_tokens_per_second=source_tokens / taken, fastest_step_seconds=fastest,
                peak_bytes=peak_bytes())


def read_options():
    """The options of the file, and the variant. Sets the seed and the number of threads."""
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    parser.add_argument("--variant", default="f32")
    arguments = parser.parse_args()
    with open(arguments.options) as file:
        options = json.load(file)
    torch.manual_seed(1)
    torch.set_num_threads(options["threads"])
    return options, arguments.variant


def losses(loss_of, model, batch, variant):
    """Of the first batch, in f32 and in the precision of the variant, before anything is compiled."""
    model.eval()
    with torch.no_grad():
        found = {"first_loss": loss_of(model, batch, "f32").item(), "variant_loss": loss_of(model, batch, variant).item()}
    model.train()
    return found


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-4, betas=(0.9, 0.98), eps=1e-9, fused=True)


def main():
    options, variant = read_options()
    model = Translator(options["model"], options["vocabulary"], options["dropout"])
    result = {"parameters": load_weights(model, options["weights"])}
    pairs = list(zip(read_ids(options["src"]), read_ids(options["tgt"])))
    result.update(losses(loss_of, model, first_batch(pairs, options["batch_tokens"]), variant))
    optimizer = adam(model.parameters())
    batches = bucketed_batches(pairs, options["batch_tokens"])
    compiled = variant.endswith("compiled")
    if compiled:
        model.encoder, model.decoder = torch.compile(model.encoder, dynamic=True), torch.compile(model.decoder, dynamic=True)

    def step(i):
        batch = batches[i % len(batches)]
        loss_of(model, batch, variant).backward()
        return int((batch[2] != PAD).sum()), int((batch[0] != PAD).sum())

    result.update(train_for(options["seconds"], 12 if compiled else WARM_UP, optimizer, step))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
