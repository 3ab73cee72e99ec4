"""Model files: described, checked, averaged, quantized, optimized, imported, exported."""

from __future__ import annotations

import os
from collections.abc import Iterable

from attend import _attend
from attend._attend import FileDescription, TensorDescription
from attend._common import given
from attend._imports import downloaded

__all__ = [
    "FileDescription",
    "TensorDescription",
    "average",
    "check",
    "describe",
    "export",
    "import_model",
    "merge",
    "optimize",
    "quantize",
]

Path = str | os.PathLike[str]


def describe(path: Path) -> FileDescription:
    """What a model file holds: tensors, parameters, metadata. Reads the header only."""
    return _attend.describe(path)


def check(path: Path) -> float | None:
    """How far the model is from what it computed when it was finished: about 1e-6 is normal, and
    above 1e-4 something is wrong. None if the file has no samples to compare with.

    Raises DataError for a damaged file.
    """
    return _attend.deviation_of(path)


def average(checkpoints: Iterable[Path], out: Path) -> None:
    """Writes the average of several checkpoints of one run to the file ``out``.

    Raises ConfigError if there are none, DataError if they differ in more than tensor values.
    """
    _attend.average_models([os.fspath(path) for path in checkpoints], out)


def quantize(model: Path, out: Path, *, bits: int = 8) -> None:
    """Writes a model with 8-bit weights to the file ``out``: a quarter of the size, faster, used
    in the same way. With ``bits=4`` an eighth, faster for single texts, at a cost in quality.
    With ``bits=16`` (bfloat16) half the size, and as good as unchanged.

    Raises ConfigError for other bits, DataError if the model is quantized already.
    """
    _attend.quantize_model(model, out, bits)


def optimize(model: Path, out: Path) -> None:
    """Writes the same model to the file ``out`` with its weights arranged as they are computed
    with: it loads faster, and processes that load it share its memory. Replace such a file by
    renaming another one: writing into it changes it for those that use it.

    Raises DataError for a damaged file.
    """
    _attend.optimize_model(model, out)


def import_model(
    directory: Path,
    out: Path,
    *,
    src_lang: str | None = None,
    tgt_lang: str | None = None,
    dequantize: bool = False,
) -> list[str]:
    """Converts a model directory of Hugging Face, Marian or CTranslate2, a package
    ``.argosmodel``, a file ``.gguf`` or a model ``"org/name"`` of the Hugging Face Hub to the file
    ``out``.

    ``src_lang`` and ``tgt_lang`` become the defaults of a model of several languages. Quantized
    weights of a GGUF file get 8 bits, with ``dequantize`` 32, for training and exports. Returns
    what there is to know about the model.

    Raises DataError that names the first setting or tensor that attend does not know.
    """
    return _attend.import_model(
        downloaded(directory), out, dequantize, given(src_lang=src_lang, tgt_lang=tgt_lang)
    )


def export(model: Path, directory: Path, *, base: Path | None = None) -> str:
    """Writes a model as a directory that ``transformers`` loads, and returns its family.

    With ``base``, the model that it adapts, an adapter becomes a directory of PEFT ("peft").

    Raises ConfigError that names each setting without an equal in that family.
    """
    return _attend.export_model(model, directory, None if base is None else os.fspath(base))


def merge(base: Path, adapter: Path, out: Path) -> None:
    """Joins a model and an adapter trained on it (LoRA) to the file ``out``.

    ``base``: a model file, the folder of a run, or a directory of Hugging Face; ``adapter``: a file,
    the folder of its run, or a directory of PEFT.

    Raises DataError for an adapter of another model.
    """
    _attend.merge_adapter(base, adapter, out)
