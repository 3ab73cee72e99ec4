"""Cases: one encoder layer, one decoder layer."""

import torch
from torch import nn

from goldens.golden import D, FF, HEADS, case, causal, padding


def layer_settings(golden, norm_first, activation):
    golden.settings.update(heads=HEADS, d_ff=FF, norm_first=norm_first, activation=activation, layer_norm_epsilon=1e-5)


def layer_arguments(norm_first, activation):
    return dict(d_model=D, nhead=HEADS, dim_feedforward=FF, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first)


def each_layer_kind(prefix):
    def register(function):
        for norm_first in (False, True):
            for activation in ("relu", "gelu"):
                name = f"{prefix}_{'pre' if norm_first else 'post'}_{activation}"
                case(name, norm_first=norm_first, activation=activation)(function)
        return function

    return register


@each_layer_kind("encoder_layer")
def encoder_layer(golden, norm_first, activation):
    layer_settings(golden, norm_first, activation)
    lengths = golden.input("lengths", torch.tensor([5, 2, 4]))
    x = golden.input("x", golden.random(3, 5, D))
    layer = golden.randomise(nn.TransformerEncoderLayer(**layer_arguments(norm_first, activation)))
    golden.backward(layer(x, src_key_padding_mask=padding(lengths, 5)), {"x": x}, lengths)
    golden.parameters(layer.named_parameters())


@each_layer_kind("decoder_layer")
def decoder_layer(golden, norm_first, activation):
    layer_settings(golden, norm_first, activation)
    lengths = golden.input("lengths", torch.tensor([4, 2, 3]))
    memory_lengths = golden.input("memory_lengths", torch.tensor([5, 3, 1]))
    x, memory = golden.input("x", golden.random(3, 4, D)), golden.input("memory", golden.random(3, 5, D))
    layer = golden.randomise(nn.TransformerDecoderLayer(**layer_arguments(norm_first, activation)))
    y = layer(x, memory, tgt_mask=causal(4), tgt_key_padding_mask=padding(lengths, 4), memory_key_padding_mask=padding(memory_lengths, 5))
    golden.backward(y, {"x": x, "memory": memory}, lengths)
    golden.parameters(layer.named_parameters())
