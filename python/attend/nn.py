"""Modules with parameters, and the optimizers that train them.

    class Classifier(nn.Module):
        def __init__(self):
            self.hidden = nn.Linear(16, 32)
            self.out = nn.Linear(32, 2)

        def forward(self, x):
            return self.out(ops.relu(self.hidden(x)))

    model = Classifier()
    adam = nn.Adam(model.parameters(seed=1))
    loss = ops.cross_entropy(model(x), labels)
    loss.backward()
    adam.step(learning_rate=1e-3)

All parameters of a model are views of one flat buffer, and so are their gradients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attend import _attend, ops
from attend._attend import Tensor
from attend._common import given
from attend._errors import ConfigError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

__all__ = [
    "Adam",
    "Embedding",
    "LayerNorm",
    "Linear",
    "Module",
    "MultiHeadAttention",
    "Muon",
    "Parameter",
    "Parameters",
    "Tensor",
]

Init = Literal["zeros", "ones", "xavier_uniform", "normal"]


class Parameter:
    """A parameter: declared with a shape, and a tensor once Module.parameters() was called."""

    def __init__(self, *shape: int, init: Init = "xavier_uniform", scale: float = 1.0) -> None:
        self.shape = shape
        self.init = init
        self.scale = scale
        self._tensor: Tensor | None = None

    @property
    def tensor(self) -> Tensor:
        """The values, of ``shape``. Raises ConfigError before Module.parameters() was called."""
        if self._tensor is None:
            raise ConfigError("the parameters have no values yet: call parameters() of the model")
        return self._tensor


class Parameters(Mapping[str, Tensor]):
    """The parameters of a model by name; ``values`` and ``gradients`` are one flat array each."""

    def __init__(self, named: Mapping[str, Parameter], seed: int) -> None:
        self._buffers = _attend.Parameters()
        for name, parameter in named.items():
            self._buffers.declare(name, parameter.shape, parameter.init, parameter.scale)
        tensors = self._buffers.allocate(seed)
        self._tensors = dict(zip(named, tensors, strict=True))
        for parameter, tensor in zip(named.values(), tensors, strict=True):
            parameter._tensor = tensor

    def __getitem__(self, name: str) -> Tensor:
        return self._tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    @property
    def flat(self) -> NDArray[numpy.float32]:
        """The values of all parameters; writing to it changes them."""
        return self._buffers.values()

    @property
    def gradients(self) -> NDArray[numpy.float32]:
        """The gradients of all parameters, in the order of ``flat``."""
        return self._buffers.gradients()

    def zero_gradients(self) -> None:
        """Sets all gradients to 0; ``step`` of an optimizer does so, too."""
        self._buffers.zero_gradients()


class Module:
    """What has parameters and modules as attributes, or in lists; forward() uses them."""

    _parameters: Parameters | None = None

    def parameters(self, *, seed: int = 1) -> Parameters:
        """The parameters by path, such as ``layers.0.norm.weight``.

        The first call lays them out and draws their initial values from (seed, name); later calls
        give the same object. Call it on the whole model before computing.
        """
        if self._parameters is None:
            self._parameters = Parameters(dict(_named_parameters(self, "")), seed)
        return self._parameters

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """What calling the module computes; subclasses define it."""
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        return self.forward(*inputs, **options)


def _named_parameters(value: object, path: str) -> Iterator[tuple[str, Parameter]]:
    if isinstance(value, Parameter):
        yield path, value
        return
    parts: Iterator[tuple[Any, object]] = iter(())
    if isinstance(value, Module):
        parts = iter(vars(value).items())
    elif isinstance(value, (list, tuple)):
        parts = iter(enumerate(value))
    for name, part in parts:
        if isinstance(part, (Parameter, Module, list, tuple)):
            yield from _named_parameters(part, f"{path}.{name}" if path else str(name))


class Linear(Module):
    """x [N, inputs] -> x weight^T + bias [N, outputs]."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True) -> None:
        self.weight = Parameter(outputs, inputs)
        self.bias = Parameter(outputs, init="zeros") if bias else None

    def forward(self, x: Tensor) -> Tensor:
        """x [N, inputs] -> [N, outputs]. Raises ShapeError for another width."""
        return ops.linear(x, self.weight.tensor, self.bias.tensor if self.bias else None)


class LayerNorm(Module):
    """Layer normalization of x [N, width]."""

    def __init__(self, width: int, *, epsilon: float = 1e-5) -> None:
        self.weight = Parameter(width, init="ones")
        self.bias = Parameter(width, init="zeros")
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """x [N, width] -> [N, width]. Raises ShapeError for another width."""
        return ops.layer_norm(x, self.weight.tensor, self.bias.tensor, epsilon=self.epsilon)


class Embedding(Module):
    """ids [N] -> [N, width], multiplied by ``scale``."""

    def __init__(self, vocabulary: int, width: int, *, scale: float = 1.0) -> None:
        self.weight = Parameter(vocabulary, width, init="normal", scale=width**-0.5)
        self.scale = scale

    def forward(self, ids: Sequence[int]) -> Tensor:
        """ids [N], from 0 to vocabulary - 1 -> [N, width]."""
        return ops.embedding(self.weight.tensor, ids, scale=self.scale)


class MultiHeadAttention(Module):
    """Multi-head attention of x [N, width] to a memory [M, width], by default itself."""

    def __init__(self, width: int, heads: int) -> None:
        if width % heads:
            raise ConfigError(f"heads: expected a divisor of the width {width}, got {heads}")
        self.q_proj = Linear(width, width)
        self.k_proj = Linear(width, width)
        self.v_proj = Linear(width, width)
        self.out_proj = Linear(width, width)
        self.heads = heads

    def forward(
        self,
        x: Tensor,
        offsets: Sequence[int],
        memory: Tensor | None = None,
        memory_offsets: Sequence[int] | None = None,
        *,
        causal: bool = False,
    ) -> Tensor:
        """x [N, width] -> [N, width]: every sequence attends to the one with the same number.

        ``offsets`` [B + 1] say where the sequences of x begin, ``memory_offsets`` those of
        ``memory`` [M, width]. ``causal``: a token sees only itself and earlier ones.
        """
        seen = x if memory is None else memory
        attended = ops.attention(
            self.q_proj(x),
            self.k_proj(seen),
            self.v_proj(seen),
            offsets,
            memory_offsets,
            heads=self.heads,
            causal=causal,
        )
        result: Tensor = self.out_proj(attended)
        return result


class _Optimizer:
    def __init__(self, parameters: Parameters, optimizer: _attend.Optimizer) -> None:
        self._parameters = parameters
        self._optimizer = optimizer

    def step(self, learning_rate: float) -> float:
        """Updates the parameters, zeroes their gradients, and returns the norm that these had."""
        norm = self._optimizer.step(learning_rate)
        self._parameters.zero_gradients()
        return norm


class Adam(_Optimizer):
    """Adam with decoupled weight decay, and clipping by the global norm (0: none)."""

    def __init__(
        self,
        parameters: Parameters,
        *,
        beta1: float | None = None,
        beta2: float | None = None,
        epsilon: float | None = None,
        weight_decay: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        options = given(
            adam_beta1=beta1,
            adam_beta2=beta2,
            adam_epsilon=epsilon,
            weight_decay=weight_decay,
            clip_norm=clip_norm,
        )
        super().__init__(parameters, _attend.adam(parameters._buffers, options))


class Muon(_Optimizer):
    """Muon for the weights of linear layers, Adam for all other parameters."""

    def __init__(
        self,
        parameters: Parameters,
        *,
        momentum: float | None = None,
        weight_decay: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        options = given(muon_momentum=momentum, weight_decay=weight_decay, clip_norm=clip_norm)
        super().__init__(parameters, _attend.muon(parameters._buffers, options))
