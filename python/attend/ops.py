"""Differentiable functions on tensors, computed by the kernels of the models.

A tensor is float32 and has up to four dimensions. Sequences of different lengths stand end to end,
without padding: N tokens in all, and ``offsets`` [B + 1] say where each sequence begins. Functions
raise ShapeError when shapes do not fit, with both in the message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attend import _attend
from attend._attend import Tensor

__all__ = [
    "Tensor",
    "attention",
    "cross_entropy",
    "dropout",
    "embedding",
    "gelu",
    "layer_norm",
    "linear",
    "log_softmax",
    "relu",
    "softmax",
    "sum",
    "swish",
    "tanh",
    "tensor",
]


def tensor(array: Any, *, requires_grad: bool = False) -> Tensor:
    """A tensor that shares the memory of an array of NumPy, PyTorch or another DLPack library.

    Arrays that are not float32, contiguous and writable are copied. With ``requires_grad``,
    ``backward`` fills ``grad``.
    """
    try:
        return Tensor(array, requires_grad)
    except TypeError:
        import numpy

        return Tensor(numpy.array(array, dtype=numpy.float32), requires_grad)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x [N, in], weight [out, in], bias [out] -> x weight^T + bias [N, out]."""
    return _attend.linear(x, weight, bias)


def layer_norm(
    x: Tensor, weight: Tensor, bias: Tensor | None = None, *, epsilon: float = 1e-5
) -> Tensor:
    """Normalizes each row of x [N, D] to mean 0 and variance 1, times weight [D] plus bias [D]."""
    return _attend.layer_norm(x, weight, bias, epsilon)


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    query_offsets: Sequence[int],
    key_offsets: Sequence[int] | None = None,
    *,
    heads: int = 1,
    causal: bool = False,
) -> Tensor:
    """Scaled dot-product attention of every sequence to the one with the same number.

    q [N, H * Dh], k [M, H * Dh], v [M, H * Dv] -> [N, H * Dv]. ``key_offsets`` are those of the
    queries by default; ``causal``: a token sees only itself and earlier ones.
    """
    keys = query_offsets if key_offsets is None else key_offsets
    return _attend.attention(q, k, v, list(query_offsets), list(keys), heads, causal)


def embedding(table: Tensor, ids: Sequence[int], *, scale: float = 1.0) -> Tensor:
    """scale * table[ids]: table [V, D] -> [N, D]."""
    return _attend.embedding(table, list(ids), scale)


def cross_entropy(
    logits: Tensor, targets: Sequence[int], *, label_smoothing: float = 0.0
) -> Tensor:
    """The mean of -log softmax(logits [N, V])[targets [N]], as a tensor of one element."""
    return _attend.cross_entropy(logits, list(targets), label_smoothing)


def softmax(x: Tensor, *, scale: float = 1.0) -> Tensor:
    """The softmax of each row of scale * x."""
    return _attend.softmax(x, scale)


def log_softmax(x: Tensor) -> Tensor:
    """The logarithm of the softmax of each row."""
    return _attend.log_softmax(x)


def dropout(x: Tensor, p: float, *, seed: int, step: int = 0) -> Tensor:
    """Zeroes elements with probability p and divides the others by 1 - p: always the same ones for
    a seed and a step."""
    return _attend.dropout(x, p, seed, step)


def sum(x: Tensor) -> Tensor:
    """The sum of all elements, as a tensor of one element."""
    return _attend.sum(x)


def relu(x: Tensor) -> Tensor:
    """max(x, 0)."""
    return _attend.relu(x)


def gelu(x: Tensor) -> Tensor:
    """x times the probability that a standard normal variable is below it."""
    return _attend.gelu(x)


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent of each element."""
    return _attend.tanh(x)


def swish(x: Tensor) -> Tensor:
    """x sigmoid(x), also called SiLU."""
    return _attend.swish(x)
