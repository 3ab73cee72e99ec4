"""Cases: attention."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from goldens.golden import D, HEADS, case, causal, padding, real_positions


def store_weights(golden, weights, query_lengths):
    golden.put("out.weights", weights * real_positions(query_lengths, weights.shape[2])[:, None, :, None])


@case("mha_self", lengths=(5, 5))
@case("mha_self_padded", lengths=(5, 2, 4))
@case("mha_self_causal", lengths=(5, 2, 4), is_causal=True)
@case("mha_self_mask", lengths=(5, 5), masked=True)
def mha_self(golden, lengths, is_causal=False, masked=False):
    lengths = golden.input("lengths", torch.tensor(lengths))
    batch, width = len(lengths), int(lengths.max())
    query = golden.input("query", golden.random(batch, width, D))
    attention = golden.randomise(nn.MultiheadAttention(D, HEADS, batch_first=True))
    golden.settings.update(heads=HEADS, causal=is_causal)
    mask = torch.zeros(width, width).double().masked_fill(causal(width), -math.inf) if is_causal else None
    if masked:
        mask = golden.random(batch, width, width)
        forbidden = torch.rand(batch, width, width, generator=golden.generator) < 0.3
        mask = mask.masked_fill(forbidden & ~torch.eye(width, dtype=torch.bool), -math.inf)
        golden.put("in.mask", mask)
        mask = mask.repeat_interleave(HEADS, dim=0)
    excluded = torch.zeros(batch, width).double().masked_fill(padding(lengths, width), -math.inf)
    y, weights = attention(query, query, query, key_padding_mask=excluded, attn_mask=mask, average_attn_weights=False)
    golden.backward(y, {"query": query}, lengths)
    store_weights(golden, weights, lengths)
    golden.parameters(attention.named_parameters())


@case("mha_cross", memory_width=D)
@case("mha_cross_memory_width", memory_width=12)
def mha_cross(golden, memory_width):
    query_lengths = golden.input("query_lengths", torch.tensor([4, 2, 3]))
    memory_lengths = golden.input("memory_lengths", torch.tensor([5, 3, 1]))
    query = golden.input("query", golden.random(3, 4, D))
    memory = golden.input("memory", golden.random(3, 5, memory_width))
    attention = golden.randomise(nn.MultiheadAttention(D, HEADS, kdim=memory_width, vdim=memory_width, batch_first=True))
    golden.settings.update(heads=HEADS, causal=False)
    y, weights = attention(query, memory, memory, key_padding_mask=padding(memory_lengths, 5), average_attn_weights=False)
    golden.backward(y, {"query": query, "memory": memory}, query_lengths)
    store_weights(golden, weights, query_lengths)
    golden.parameters(attention.named_parameters())


class WideAttention(nn.Module):
    """Multi-head attention composed by hand from scaled_dot_product_attention: heads of width d_k for queries and keys, d_v for values."""

    def __init__(self, d_k, d_v):
        super().__init__()
        self.q_proj, self.k_proj = nn.Linear(D, HEADS * d_k), nn.Linear(D, HEADS * d_k)
        self.v_proj, self.out_proj = nn.Linear(D, HEADS * d_v), nn.Linear(HEADS * d_v, D)

    def forward(self, x, visible, beta):
        q, k, v = (p(x).unflatten(-1, (HEADS, -1)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=visible[:, None, None, :], scale=beta)
        return self.out_proj(y.transpose(1, 2).flatten(2))


@case("mha_dk_dv", d_k=3, d_v=5)
@case("mha_beta", d_k=4, d_v=4, beta=0.8)
def mha_composed(golden, d_k, d_v, beta=None):
    lengths = golden.input("lengths", torch.tensor([5, 2, 4]))
    query = golden.input("query", golden.random(3, 5, D))
    attention = golden.randomise(WideAttention(d_k, d_v))
    golden.settings.update(heads=HEADS, causal=False, d_k=d_k, d_v=d_v, **({"beta": beta} if beta else {}))
    golden.backward(attention(query, real_positions(lengths, 5), beta), {"query": query}, lengths)
    golden.parameters(attention.named_parameters())


@case("additive_attention")
def additive_attention(golden):
    memory_width, hidden = 6, 5
    query_lengths = golden.input("query_lengths", torch.tensor([3, 2]))
    memory_lengths = golden.input("memory_lengths", torch.tensor([4, 2]))
    query = golden.input("query", golden.random(2, 3, 8))
    memory = golden.input("memory", golden.random(2, 4, memory_width))
    parts = golden.randomise(nn.ModuleDict({
        "query_proj": nn.Linear(8, hidden, bias=False),
        "key_proj": nn.Linear(memory_width, hidden),
        "score": nn.Linear(hidden, 1, bias=False),
    }))
    scores = parts["score"](torch.tanh(parts["query_proj"](query)[:, :, None] + parts["key_proj"](memory)[:, None])).squeeze(-1)
    weights = scores.masked_fill(padding(memory_lengths, 4)[:, None], -math.inf).softmax(-1)
    golden.backward(weights @ memory, {"query": query, "memory": memory}, query_lengths)
    golden.put("out.weights", weights * real_positions(query_lengths, 3)[:, :, None])
    golden.parameters(parts.named_parameters())
