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


class ComposedAttention(nn.Module):
    """Causal or not, with heads of keys and values that several heads of queries share, rotated queries and keys, and biases of the scores."""

    def __init__(self, key_heads=HEADS):
        super().__init__()
        width = D // HEADS
        self.q_proj, self.out_proj = nn.Linear(D, D), nn.Linear(D, D)
        self.k_proj, self.v_proj = nn.Linear(D, key_heads * width), nn.Linear(D, key_heads * width)

    def forward(self, x, lengths, is_causal, turn=lambda q: q, bias=0.0):
        q, k, v = (p(x).unflatten(-1, (-1, D // HEADS)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        k, v = (t.repeat_interleave(HEADS // t.shape[1], dim=1) for t in (k, v))
        scores = turn(q) @ turn(k).transpose(-1, -2) / math.sqrt(q.shape[-1]) + bias
        hidden = padding(lengths, x.shape[1])[:, None, None, :]
        if is_causal:
            hidden = hidden | causal(x.shape[1])
        y = scores.masked_fill(hidden, -math.inf).softmax(-1) @ v
        return self.out_proj(y.transpose(1, 2).flatten(2))


def composed(golden, is_causal, key_heads=HEADS, turn=lambda q: q, bias=lambda distances: 0.0, extra=()):
    lengths = golden.input("lengths", torch.tensor([9, 2, 5]))
    query = golden.input("query", golden.random(3, 9, D))
    attention = golden.randomise(ComposedAttention(key_heads))
    golden.settings.update(heads=HEADS, key_heads=key_heads, causal=is_causal)
    distances = torch.arange(9) - torch.arange(9)[:, None]
    golden.backward(attention(query, lengths, is_causal, turn, bias(distances)), {"query": query}, lengths)
    golden.parameters([*attention.named_parameters(), *extra])


@case("mha_grouped")
def mha_grouped(golden):
    composed(golden, True, key_heads=2)


def frequencies(theta, scaling):
    """Radians per position of the pairs of a head; Llama 3.1's scaling leaves short wavelengths as they are."""
    frequency = theta ** -(torch.arange(0, D // HEADS, 2).double() / (D // HEADS))
    if scaling["type"] == "linear":
        return frequency / scaling["factor"]
    turns = scaling["length"] * frequency / (2 * math.pi)
    kept = ((turns - scaling["low"]) / (scaling["high"] - scaling["low"])).clamp(0, 1)
    return kept * frequency + (1 - kept) * frequency / scaling["factor"]


@case("mha_rotary_linear", theta=50.0, scaling={"type": "linear", "factor": 4.0})
@case("mha_rotary_llama3", theta=50.0, scaling={"type": "llama3", "factor": 8.0, "low": 1.0, "high": 4.0, "length": 24})
def mha_rotary(golden, theta, scaling):
    angles = torch.arange(9)[:, None] * frequencies(theta, scaling)
    golden.settings.update(theta=theta, **{f"scaling_{key}": value for key, value in scaling.items()})

    def turn(x):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], dim=-1)

    composed(golden, True, turn=turn)


def relative_buckets(distances, buckets, longest, is_causal):
    """T5's: half of the buckets for a distance each, the others for ranges that grow up to the longest; keys behind the query have their own."""
    if is_causal:
        behind, size = 0, (-distances).clamp(min=0)
    else:
        buckets //= 2
        behind, size = (distances > 0) * buckets, distances.abs()
    exact = buckets // 2
    large = exact + ((size.float() / exact).log() / math.log(longest / exact) * (buckets - exact)).long()
    return behind + torch.where(size < exact, size, large.clamp(max=buckets - 1))


@case("mha_relative", is_causal=False)
@case("mha_relative_causal", is_causal=True)
def mha_relative(golden, is_causal):
    buckets, longest = 8, 7
    golden.settings.update(buckets=buckets, distance=longest)
    for size, far, rule in ((32, 128, is_causal), (buckets, longest, is_causal)):
        golden.put(f"out.buckets.{size}", relative_buckets(torch.arange(-far - 3, far + 4), size, far, rule))
    table = nn.Parameter(golden.random(buckets, HEADS).float().double())
    composed(golden, is_causal, bias=lambda distances: table[relative_buckets(distances, buckets, longest, is_causal)].permute(2, 0, 1),
             extra=[("relative_positions.weight", table)])


def alibi_slopes(heads):
    power = 2 ** int(math.log2(heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    return slopes if power == heads else slopes + alibi_slopes(2 * power)[::2][:heads - power]


@case("mha_alibi", is_causal=False)
@case("mha_alibi_causal", is_causal=True)
def mha_alibi(golden, is_causal):
    for heads in (HEADS, 12):
        golden.put(f"out.slopes.{heads}", torch.tensor(alibi_slopes(heads)))
    slopes = torch.tensor(alibi_slopes(HEADS)).double()[:, None, None]
    composed(golden, is_causal, bias=lambda distances: -slopes * distances.abs())


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
