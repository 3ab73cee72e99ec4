"""Models of other programs, imported once: see attend.load."""

from __future__ import annotations

import os

from attend import _attend
from attend._errors import IoError

Path = str | os.PathLike[str]

#: Files of a repository that are for other programs.
_OF_OTHERS = [
    "*.gguf", "*.h5", "*.msgpack", "*.onnx", "*.onnx_data", "*.ot", "*.pt", "*.pth", "*.tflite",
    "coreml/*", "onnx/*", "openvino/*", "original/*",
]  # fmt: skip


def imported(path: Path) -> Path:
    """Where the model of a path can be loaded from. A model of another program is imported into the
    user's cache."""
    return _attend.usable_path(downloaded(path))


def downloaded(path: Path) -> Path:
    """The path as it is. A model of the Hugging Face Hub is downloaded first, with huggingface_hub,
    unless it is in its cache."""
    missing = _attend.hub_model(path)
    if missing is not None:
        _download(*missing)
    return path


def _download(name: str, revision: str) -> None:
    try:
        import huggingface_hub
    except ImportError:
        return  # the error that follows says which command downloads it
    cache = _attend.hub_cache_folder()
    try:
        files = huggingface_hub.list_repo_files(name, revision=revision)
        others = [*_OF_OTHERS]
        if any(file.endswith(".safetensors") for file in files):
            others.append("pytorch_model*.bin")
        huggingface_hub.snapshot_download(
            name, revision=revision, cache_dir=cache, ignore_patterns=others
        )
    except Exception as error:  # of huggingface_hub, and of what it uses
        raise IoError(f"{name}: cannot download the model: {error}") from error
