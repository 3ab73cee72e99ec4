"""Tensors, functions, modules and optimizers: NumPy computes the same, and shares the memory."""

from __future__ import annotations

from collections.abc import Callable

import attend
import numpy
import pytest
from attend import nn, ops

random = numpy.random.default_rng(5)


def array(*shape: int) -> numpy.ndarray:
    return random.standard_normal(shape, dtype=numpy.float32)


def test_arrays_go_in_and_out_without_a_copy() -> None:
    values = array(3, 4)
    tensor = ops.tensor(values)
    assert tensor.shape == (3, 4)
    assert tensor.numpy().ctypes.data == values.ctypes.data
    values[0, 0] = 42
    assert tensor.numpy()[0, 0] == 42
    assert numpy.from_dlpack(tensor).ctypes.data == values.ctypes.data
    assert numpy.asarray(tensor).ctypes.data == values.ctypes.data
    view = tensor.numpy()
    del tensor, values
    assert view[0, 0] == 42, "a view keeps the memory"


def test_other_arrays_are_copied() -> None:
    doubles = numpy.arange(6.0).reshape(2, 3)
    numpy.testing.assert_array_equal(ops.tensor(doubles.T).numpy(), doubles.T)
    fixed = array(2)
    fixed.flags.writeable = False
    assert ops.tensor(fixed).numpy().ctypes.data != fixed.ctypes.data
    assert ops.tensor([[1, 2]]).shape == (1, 2)


def layer_norm(x: numpy.ndarray, weight: numpy.ndarray, bias: numpy.ndarray) -> numpy.ndarray:
    centered = x - x.mean(axis=1, keepdims=True)
    deviation = numpy.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5)
    return centered / deviation * weight + bias


def softmax(x: numpy.ndarray) -> numpy.ndarray:
    powers = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


CASES: dict[str, tuple[Callable, Callable, list[tuple[int, ...]]]] = {
    "linear": (ops.linear, lambda x, w, b: x @ w.T + b, [(3, 4), (5, 4), (5,)]),
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b, [(3, 4), (4, 2)]),
    "add": (lambda a, b: a + b, lambda a, b: a + b, [(3, 4), (3, 4)]),
    "multiply": (lambda a, b: 2 * (a * b), lambda a, b: 2 * a * b, [(3, 4), (3, 4)]),
    "layer_norm": (ops.layer_norm, layer_norm, [(3, 4), (4,), (4,)]),
    "softmax": (ops.softmax, softmax, [(3, 4)]),
    "log_softmax": (ops.log_softmax, lambda x: numpy.log(softmax(x)), [(3, 4)]),
    "tanh": (ops.tanh, numpy.tanh, [(3, 4)]),
    "swish": (ops.swish, lambda x: x / (1 + numpy.exp(-x)), [(3, 4)]),
}


@pytest.mark.parametrize("case", CASES)
def test_functions_and_their_gradients_are_those_of_numpy(case: str) -> None:
    function, reference, shapes = CASES[case]
    inputs = [array(*shape) for shape in shapes]
    leaves = [ops.tensor(one, requires_grad=True) for one in inputs]
    result = function(*leaves)
    numpy.testing.assert_allclose(result.numpy(), reference(*inputs), rtol=1e-4, atol=1e-5)
    weights = array(*result.shape)
    result.backward(ops.tensor(weights))
    for position, leaf in enumerate(leaves):
        numeric = numeric_gradient(reference, inputs, position, weights)
        assert leaf.grad is not None
        numpy.testing.assert_allclose(leaf.grad.numpy(), numeric, rtol=1e-2, atol=1e-3)


def numeric_gradient(
    function: Callable, inputs: list[numpy.ndarray], position: int, weights: numpy.ndarray
) -> numpy.ndarray:
    wide = [one.astype(numpy.float64) for one in inputs]
    gradient = numpy.zeros_like(wide[position])
    for index in numpy.ndindex(gradient.shape):
        sides = []
        for step in (1e-5, -1e-5):
            wide[position][index] += step
            sides.append((function(*wide) * weights).sum())
            wide[position][index] -= step
        gradient[index] = (sides[0] - sides[1]) / 2e-5
    return gradient


def test_relu_and_gelu_are_those_of_the_paper() -> None:
    x = array(3, 4)
    numpy.testing.assert_array_equal(ops.relu(ops.tensor(x)).numpy(), numpy.maximum(x, 0))
    gelu = ops.gelu(ops.tensor(numpy.float32([[1.0, -1.0]]))).numpy()
    numpy.testing.assert_allclose(gelu, [[0.8413447, -0.1586553]], rtol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_sees_only_its_own_sequence(causal: bool) -> None:
    offsets, heads, width = [0, 3, 5], 2, 8
    q, k, v = (array(5, width) for _ in range(3))
    found = ops.attention(
        ops.tensor(q), ops.tensor(k), ops.tensor(v), offsets, heads=heads, causal=causal
    ).numpy()
    for begin, end in ((0, 3), (3, 5)):
        for head in range(heads):
            columns = slice(head * 4, head * 4 + 4)
            scores = q[begin:end, columns] @ k[begin:end, columns].T / 2
            if causal:
                scores[numpy.triu_indices(end - begin, 1)] = -numpy.inf
            expected = softmax(scores) @ v[begin:end, columns]
            numpy.testing.assert_allclose(found[begin:end, columns], expected, rtol=1e-4, atol=1e-5)


def test_cross_entropy_embedding_and_dropout() -> None:
    logits = array(3, 4)
    loss = ops.cross_entropy(ops.tensor(logits), [1, 0, 3])
    expected = -numpy.log(softmax(logits))[range(3), [1, 0, 3]].mean()
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    table = array(6, 2)
    numpy.testing.assert_array_equal(
        ops.embedding(ops.tensor(table), [5, 0], scale=2).numpy(), 2 * table[[5, 0]]
    )
    ones = ops.tensor(numpy.ones((100, 100), numpy.float32))
    kept = ops.dropout(ones, 0.25, seed=1).numpy()
    assert set(numpy.unique(kept).round(4)) == {0, numpy.float32(4 / 3).round(4)}
    assert (kept == 0).mean() == pytest.approx(0.25, abs=0.02)
    numpy.testing.assert_array_equal(ops.dropout(ones, 0.25, seed=1).numpy(), kept)
    assert ops.sum(ones).item() == 10_000


def test_shapes_that_do_not_fit_are_errors_with_both() -> None:
    with pytest.raises(attend.ShapeError, match=r"\[3, 4\].*\[5, 6\]|\[5, 6\].*\[3, 4\]"):
        ops.linear(ops.tensor(array(3, 4)), ops.tensor(array(5, 6)))
    with pytest.raises(ValueError, match="4 dimensions"):
        ops.tensor(array(1, 1, 1, 1, 1))


class Classifier(nn.Module):
    def __init__(self) -> None:
        self.layers = [nn.Linear(4, 16), nn.Linear(16, 3)]
        self.norm = nn.LayerNorm(16)

    def forward(self, x: nn.Tensor) -> nn.Tensor:
        first, second = self.layers
        return second(ops.relu(self.norm(first(x))))


@pytest.mark.parametrize("optimizer", [nn.Adam, nn.Muon])
def test_optimizers_train_modules(optimizer: type[nn.Adam] | type[nn.Muon]) -> None:
    model = Classifier()
    parameters = model.parameters(seed=3)
    assert list(parameters) == [
        "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias",
        "norm.weight", "norm.bias",
    ]  # fmt: skip
    assert len(parameters.flat) == sum(one.numpy().size for one in parameters.values())
    x = ops.tensor(array(30, 4))
    labels = [int(row.argmax() % 3) for row in x.numpy()]
    update, losses, norms = optimizer(parameters, clip_norm=1.0), [], []
    for _ in range(60):
        loss = ops.cross_entropy(model(x), labels)
        loss.backward()
        losses.append(loss.item())
        norms.append(update.step(learning_rate=0.02))
    assert losses[-1] < losses[0] / 3
    assert min(norms) > 0 and not parameters.gradients.any()


def test_initial_values_are_a_function_of_the_seed() -> None:
    one, same, other = (Classifier().parameters(seed=seed).flat for seed in (1, 1, 2))
    numpy.testing.assert_array_equal(one, same)
    assert not numpy.array_equal(one, other)


def test_parameters_take_values_of_other_programs() -> None:
    layer = nn.Linear(4, 2)
    parameters = layer.parameters()
    weight = array(2, 4)
    parameters["weight"].numpy()[:] = weight
    numpy.testing.assert_allclose(
        layer(ops.tensor(numpy.eye(4, dtype=numpy.float32))).numpy(), weight.T, rtol=1e-6
    )
    with pytest.raises(attend.ConfigError, match="call parameters"):
        nn.Linear(4, 2)(ops.tensor(array(1, 4)))
    with pytest.raises(attend.ConfigError, match="init: expected zeros"):
        nn.Parameter(1, init="wrong")  # type: ignore[arg-type]
        wrong = nn.Module()
        wrong.weight = nn.Parameter(1, init="wrong")  # type: ignore
        wrong.parameters()


def test_long_graphs_are_freed_without_a_backward_pass() -> None:
    x = ops.tensor([1.0], requires_grad=True)
    for _ in range(200_000):
        x = x * 1.0
    del x
