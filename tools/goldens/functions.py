"""Cases: single functions and recurrent layers."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from goldens.golden import D, FF, VOCAB, case, sinusoids


@case("sinusoids")
def sinusoid_table(golden):
    golden.put("out.table", sinusoids(100, D))


@case("label_smoothing")
def label_smoothing(golden):
    logits = golden.random(6, 11, scale=2.0)
    golden.put("in.logits", logits)
    targets = golden.input("targets", golden.ids(6, low=0, high=11))
    amounts = [0.0, 0.1, 0.3]
    golden.put("in.smoothing", torch.tensor(amounts).double())
    for i, amount in enumerate(amounts):
        x = logits.clone().requires_grad_()
        losses = F.cross_entropy(x, targets, label_smoothing=amount, reduction="none")
        losses.mean().backward()
        golden.put(f"out.losses.{i}", losses)
        golden.put(f"din.logits.{i}", x.grad)
    weights = golden.random(11).abs()
    golden.put("in.class_weights", weights)
    x = logits.clone().requires_grad_()
    losses = F.cross_entropy(x, targets, weight=weights, reduction="none")
    losses.mean().backward()
    golden.put("out.losses.weighted", losses)
    golden.put("din.logits.weighted", x.grad)


@case("layer_norm")
def layer_norm(golden):
    golden.settings.update(layer_norm_epsilon=1e-5)
    x = golden.input("x", golden.random(7, D, scale=3.0))
    norm = golden.randomise(nn.ModuleDict({"norm": nn.LayerNorm(D)}))["norm"]
    golden.backward(norm(x), {"x": x})
    golden.parameters(norm.named_parameters())


@case("rms_norm")
def rms_norm(golden):
    golden.settings.update(layer_norm_epsilon=1e-6)
    x = golden.input("x", golden.random(7, D, scale=3.0))
    norm = golden.randomise(nn.ModuleDict({"norm": nn.RMSNorm(D, eps=1e-6)}))["norm"]
    golden.backward(norm(x), {"x": x})
    golden.parameters(norm.named_parameters())


@case("gelu", function=F.gelu)
@case("gelu_tanh", function=lambda x: F.gelu(x, approximate="tanh"))
@case("swish", function=F.silu)
@case("quick_gelu", function=lambda x: x * torch.sigmoid(1.702 * x))
def activation(golden, function):
    x = golden.input("x", torch.linspace(-6, 6, 121).double())
    golden.backward(function(x), {"x": x})


@case("gated_feed_forward_swish", function=F.silu)
@case("gated_feed_forward_gelu_tanh", function=lambda x: F.gelu(x, approximate="tanh"))
def gated_feed_forward(golden, function):
    x = golden.input("x", golden.random(7, D))
    maps = golden.randomise(nn.ModuleDict({"linear1": nn.Linear(D, FF), "linear_gate": nn.Linear(D, FF), "linear2": nn.Linear(FF, D)}))
    golden.backward(maps["linear2"](function(maps["linear1"](x)) * maps["linear_gate"](x)), {"x": x})
    golden.settings.update(d_ff=FF)
    golden.parameters(maps.named_parameters())


@case("gru", bidirectional=False)
@case("gru_bidirectional", bidirectional=True)
def gru(golden, bidirectional):
    lengths = golden.input("lengths", torch.tensor([5, 4, 2]))
    x = golden.input("x", golden.random(3, 5, 6))
    layer = golden.randomise(nn.GRU(6, 7, batch_first=True, bidirectional=bidirectional))
    y, _ = pad_packed_sequence(layer(pack_padded_sequence(x, lengths, batch_first=True))[0], batch_first=True)
    golden.backward(y, {"x": x}, lengths)

    def name(torch_name):
        part = torch_name.removesuffix("_reverse").removesuffix("_l0")
        return part if not bidirectional else ("backward." if torch_name.endswith("_reverse") else "forward.") + part

    golden.parameters([(name(n), p) for n, p in layer.named_parameters()])


@case("embedding_pooling")
def embedding_pooling(golden):
    ids, offsets = golden.input("ids", golden.ids(9, low=0)), golden.input("offsets", torch.tensor([0, 4, 5, 9]))
    values = golden.random(VOCAB, 8)
    golden.put("param.table", values)
    for mode in ("mean", "max"):
        table = values.clone().requires_grad_()
        y = F.embedding_bag(ids, table, offsets[:-1], mode=mode)
        golden.backward(y, {}, name=mode)
        golden.put(f"dparam.table.{mode}", table.grad)
    firsts = values.clone().requires_grad_()
    golden.backward(firsts[ids[offsets[:-1]]], {}, name="first")
    golden.put("dparam.table.first", firsts.grad)
