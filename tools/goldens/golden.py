"""What every golden case needs: seeded random numbers, attend's names for PyTorch's parameters, padding."""

import math
import re
import zlib

import torch

D, HEADS, FF, VOCAB = 16, 4, 32, 23
PAD = 0
CASES = {}


def case(name, **variant):
    """Registers a function as the case `name`: it fills a Golden."""

    def register(function):
        CASES[name] = lambda golden: function(golden, **variant)
        return function

    return register


class Golden:
    """The tensors of one file."""

    def __init__(self, name):
        self.name, self.tensors, self.settings = name, {}, {}
        self.generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))

    def random(self, *shape, scale=1.0):
        return (torch.randn(*shape, generator=self.generator) * scale).double()

    def ids(self, *shape, low=1, high=VOCAB):
        return torch.randint(low, high, shape, generator=self.generator)

    def put(self, name, tensor):
        kind = torch.int32 if tensor.dtype == torch.int64 else torch.float32
        self.tensors[name] = tensor.detach().to(kind).contiguous().clone()

    def input(self, name, tensor):
        """Stores an input; a floating-point one is rounded to float32, and gets a gradient when the case is backpropagated."""
        self.put("in." + name, tensor)
        return tensor.float().double().requires_grad_() if tensor.is_floating_point() else tensor

    def randomise(self, module):
        """Gives every parameter random float32 values, wide enough for each term to matter."""
        for name, parameter in module.named_parameters():
            centre = 1.0 if re.search(r"norm\d?\.weight$", name) else 0.0
            scale = 0.1 if parameter.dim() == 1 else 1.2 / math.sqrt(parameter.shape[-1])
            with torch.no_grad():
                parameter.copy_(centre + self.random(*parameter.shape, scale=scale))
        return module.double().train()

    def parameters(self, named, gradients=True):
        named = list(named)
        for name, tensor in attend_names((name, p.detach()) for name, p in named):
            self.put("param." + name, tensor)
        if gradients:
            for name, tensor in attend_names((name, p.grad) for name, p in named):
                self.put("dparam." + name, tensor)

    def backward(self, output, inputs, lengths=None, name="y"):
        """Backpropagates a random gradient from `output`, zero beyond the lengths, and stores the gradients of the inputs."""
        real = real_positions(lengths, output.shape[1]).unsqueeze(-1) if lengths is not None else torch.ones_like(output)
        gradient = self.random(*output.shape) * real
        output.backward(gradient)
        self.put("out." + name, output * real)
        self.put("dout." + name, gradient)
        for input_name, tensor in inputs.items():
            self.put("din." + input_name, tensor.grad)


def attend_names(named):
    """PyTorch's parameter names and packed projections as attend's."""
    for name, tensor in named:
        name = name.replace("multihead_attn.", "cross_attn.").replace("linear", "feed_forward.linear")
        packed = re.fullmatch(r"(.*)in_proj_(weight|bias)", name)
        single = re.fullmatch(r"(.*)([qkv])_proj_weight", name)
        if packed:
            for letter, part in zip("qkv", tensor.chunk(3)):
                yield f"{packed[1]}{letter}_proj.{packed[2]}", part
        elif single:
            yield f"{single[1]}{single[2]}_proj.weight", tensor
        else:
            yield name, tensor


def real_positions(lengths, width):
    return torch.arange(width) < lengths.unsqueeze(1)


def padding(lengths, width):
    return ~real_positions(lengths, width)


def causal(width):
    return torch.ones(width, width, dtype=torch.bool).triu(1)


def sinusoids(length, width):
    angle = torch.arange(length).double().unsqueeze(1) / 10000.0 ** (torch.arange(0, width, 2).double() / width)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, width)
