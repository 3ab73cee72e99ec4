"""Cases: looking inside. A translator composed by hand, whose heads can be switched off and sharpened, and its logits taken apart."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from goldens.golden import D, HEADS, VOCAB, case, causal
from goldens.layers import layer_arguments, layer_settings
from goldens.models import Translator, embed


class Attention:
    """nn.MultiheadAttention for one sequence, head by head."""

    def __init__(self, module, off=(), beta=None):
        self.module, self.off, self.beta = module, off, beta or [1.0] * HEADS

    def parts(self, x, memory, mask):
        """What each head adds to the output [T,D], and the bias."""
        weights, biases = self.module.in_proj_weight.chunk(3), self.module.in_proj_bias.chunk(3)
        q, k, v = (F.linear(y, w, b).unflatten(-1, (HEADS, -1)).transpose(0, 1) for y, w, b in zip((x, memory, memory), weights, biases))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) * torch.tensor(self.beta).double()[:, None, None]
        if mask is not None:
            scores = scores.masked_fill(mask, -math.inf)
        heads = torch.einsum("htd,ohd->hto", scores.softmax(-1) @ v, self.module.out_proj.weight.unflatten(1, (HEADS, -1)))
        kept = [torch.zeros_like(head) if h in self.off else head for h, head in enumerate(heads)]
        return kept + [self.module.out_proj.bias.expand_as(heads[0])]


class Stream:
    """A residual stream as the list of its parts, each of which goes through all normalizations behind it."""

    def __init__(self, x):
        self.parts, self.lengths, self.cosines = [x], [x.norm(dim=-1)], [torch.zeros(len(x)).double()]

    def sum(self):
        return torch.stack(self.parts).sum(0)

    def add(self, parts):
        added, before = torch.stack(parts).sum(0), self.sum()
        self.lengths.append(added.norm(dim=-1))
        self.cosines.append(F.cosine_similarity(added, before, dim=-1))
        self.parts = self.parts + parts

    def normalize(self, norm):
        deviation = (self.sum().var(-1, unbiased=False, keepdim=True) + norm.eps).sqrt()
        self.parts = [norm.weight * (part - part.mean(-1, keepdim=True)) / deviation for part in self.parts]
        self.parts.append(norm.bias.expand_as(self.parts[0]))


def run_layer(norm_first, stream, sublayers):
    """`sublayers`: functions from the normalized stream to the parts they add, each with its normalization."""
    for norm, sublayer in sublayers:
        stream.add(sublayer(norm(stream.sum()) if norm_first else stream.sum()))
        if not norm_first:
            stream.normalize(norm)


def feed_forward(layer):
    return lambda x: [layer.linear2(layer.activation(layer.linear1(x)))]


def run(model, norm_first, src, tgt, changes=None):
    """The stream of the decoder, and the sum of its parts behind the embedding and each layer."""
    def attention(name, module):
        return Attention(module, **(changes or {}).get(name, {}))

    stacks = model.stacks
    x = Stream(embed(model.embedding, src[None])[0])
    for i, layer in enumerate(stacks.encoder.layers):
        own = attention(f"encoder.layers.{i}.self_attn", layer.self_attn)
        run_layer(norm_first, x, [(layer.norm1, lambda y: own.parts(y, y, None)), (layer.norm2, feed_forward(layer))])
    memory = stacks.encoder.norm(x.sum()) if norm_first else x.sum()
    y = Stream(embed(model.embedding, tgt[None])[0])
    states = [y.sum()]
    for i, layer in enumerate(stacks.decoder.layers):
        own = attention(f"decoder.layers.{i}.self_attn", layer.self_attn)
        cross = attention(f"decoder.layers.{i}.cross_attn", layer.multihead_attn)
        run_layer(norm_first, y,
                  [(layer.norm1, lambda z: own.parts(z, z, causal(len(tgt)))), (layer.norm2, lambda z: cross.parts(z, memory, None)),
                   (layer.norm3, feed_forward(layer))])
        states.append(y.sum())
    if norm_first:
        states = [stacks.decoder.norm(state) for state in states]
        y.normalize(stacks.decoder.norm)
    return y, states


# Names of one attention module of each kind, and what is done to its heads.
CHANGES = {
    "encoder_off": {"encoder.layers.0.self_attn": dict(off=(1, 2))},
    "decoder_off": {"decoder.layers.1.self_attn": dict(off=(0,))},
    "cross_off": {"decoder.layers.0.cross_attn": dict(off=(0, 1, 2, 3))},
    "encoder_beta": {"encoder.layers.1.self_attn": dict(beta=[1.0, 3.0, 1.0, 1.0])},
    "decoder_beta": {"decoder.layers.0.self_attn": dict(beta=[0.0, 0.0, 0.0, 0.0])},
    "cross_beta": {"decoder.layers.1.cross_attn": dict(beta=[1.0, 1.0, 1.0, 0.25])},
}


def put_parts(golden, stream, states, embedding):
    """Of one row: why `token` and not `other`."""
    row, token, other = 3, 7, 12
    golden.settings.update(row=row, token=token, other=other)
    logits = F.linear(stream.sum(), embedding)
    golden.put("out.logits", logits)
    golden.put("out.difference", (logits[row, token] - logits[row, other]).reshape(1))
    golden.put("out.parts", torch.stack([part[row] @ (embedding[token] - embedding[other]) for part in stream.parts]))
    golden.put("out.parts_of_one", torch.stack([part[row] @ embedding[token] for part in stream.parts]))
    golden.put("out.lens", torch.stack([F.linear(state[row], embedding) for state in states]))
    golden.put("out.lengths", torch.stack([length[row] for length in stream.lengths]))
    golden.put("out.cosines", torch.stack([cosine[row] for cosine in stream.cosines]))


@case("inside_language")
def inside_language(golden):
    layer_settings(golden, True, "gelu")
    golden.settings.update(n_layers=2, tie_embeddings=True)
    layer = nn.TransformerEncoderLayer(**layer_arguments(True, "gelu"))
    stack = nn.TransformerEncoder(layer, 2, nn.LayerNorm(D), enable_nested_tensor=False)
    model = golden.randomise(nn.ModuleDict({"embedding": nn.Embedding(VOCAB, D), "decoder": stack}))
    ids = golden.input("ids", golden.ids(5))
    x = Stream(embed(model["embedding"], ids[None])[0])
    expected = stack(x.sum()[None], mask=causal(5))[0]
    states = [x.sum()]
    for layer in stack.layers:
        own = Attention(layer.self_attn)
        run_layer(True, x, [(layer.norm1, lambda y: own.parts(y, y, causal(5))), (layer.norm2, feed_forward(layer))])
        states.append(x.sum())
    x.normalize(stack.norm)
    assert torch.allclose(x.sum(), expected), "the composed model differs from PyTorch's"
    put_parts(golden, x, [stack.norm(state) for state in states], model["embedding"].weight)
    golden.parameters(model.named_parameters(), gradients=False)


@case("inside_pre", norm_first=True)
@case("inside_post", norm_first=False)
def inside(golden, norm_first):
    layer_settings(golden, norm_first, "relu")
    golden.settings.update(n_encoder_layers=2, n_decoder_layers=2, tie_embeddings=True)
    model = golden.randomise(Translator(norm_first, "relu", VOCAB, VOCAB, tied=True))
    src, tgt = golden.input("src", golden.ids(6)), golden.input("tgt", golden.ids(5))
    stream, states = run(model, norm_first, src, tgt)
    expected = model(src[None], torch.tensor([6]), tgt[None], torch.tensor([5]))[0]
    assert torch.allclose(F.linear(stream.sum(), model.embedding.weight), expected), "the composed model differs from PyTorch's"
    put_parts(golden, stream, states, model.embedding.weight)
    for name, changes in CHANGES.items():
        changed, _ = run(model, norm_first, src, tgt, changes)
        golden.put(f"out.{name}", F.linear(changed.sum(), model.embedding.weight))
    golden.parameters(model.named(), gradients=False)


@case("output_temperature")
def output_temperature(golden):
    """What may be written at one place, by softmax(logits / t) of the model and of what it would write if it ended after an earlier layer."""
    temperatures, first_word, begin, end = [0.25, 0.7, 1.0, 3.0], 4, 2, 3
    layer_settings(golden, True, "relu")
    golden.settings.update(n_encoder_layers=2, n_decoder_layers=2, tie_embeddings=True, begin=begin, end=end)
    model = golden.randomise(Translator(True, "relu", VOCAB, VOCAB, tied=True))
    words = golden.ids(5, low=first_word), golden.ids(4, low=first_word)
    src = golden.input("src", torch.cat([words[0], torch.tensor([end])]))
    tgt = golden.input("tgt", torch.cat([torch.tensor([begin]), words[1]]))
    _, states = run(model, True, src, tgt)
    logits = F.linear(torch.stack([state[-1] for state in states]), model.embedding.weight)
    expected = model(src[None], torch.tensor([6]), tgt[None], torch.tensor([5]))[0, -1]
    assert torch.allclose(logits[-1], expected), "the composed model differs from PyTorch's"
    golden.put("out.temperatures", torch.tensor(temperatures))
    golden.put("out.probabilities", torch.stack([(logits / t).softmax(-1) for t in temperatures]))
    golden.parameters(model.named(), gradients=False)
