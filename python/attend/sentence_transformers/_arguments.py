"""The arguments and the results that the classes share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attend._deprecated import check_loading
from attend._errors import ConfigError
from attend.embedder import torch_module

if TYPE_CHECKING:
    from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Path = str | os.PathLike[str]


def with_sentences(function: Function) -> Function:
    """A function whose first argument was once called ``sentences``, and still may be."""

    @wraps(function)
    def wrapped(self: Any, *arguments: Any, **options: Any) -> Any:
        if "sentences" in options:
            options["inputs"] = options.pop("sentences")
        return function(self, *arguments, **options)

    return cast(Function, wrapped)


def refuse_all(**arguments: object) -> None:
    """Raises ConfigError for an argument that is given."""
    for name, value in arguments.items():
        if value is not None:
            raise ConfigError(f"{name}: attend has no such option")


def checked_path(path: Path | None, device: object, backend: str) -> Path:
    if path is None:
        raise ConfigError("model_name_or_path: expected the path of a model")
    check_loading(None if device is None else str(device))
    if backend != "torch":
        raise ConfigError(f"backend: attend has its own, got {backend!r}")
    return path


def tensor(array: Any) -> Any:
    """An array as a tensor, where PyTorch is installed."""
    is_array = type(array).__module__ == "numpy"
    return torch_module().from_numpy(array) if is_array and find_spec("torch") else array


def converted(
    array: NDArray[Any], convert_to_numpy: bool, convert_to_tensor: bool, single: bool = False
) -> Any:
    """A tensor, an array, or a list of tensors."""
    if convert_to_numpy and not convert_to_tensor:
        return array
    found = torch_module().from_numpy(array)
    return found if convert_to_tensor or single else list(found)
