"""Loading a model as CTranslate2's classes do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from attend._common import Model
from attend._deprecated import check_loading
from attend._errors import ConfigError


class LoadedModel(Model):
    """A model with the constructor of CTranslate2."""

    _package = "attend.ctranslate2"

    def __init__(
        self,
        model_path: str | os.PathLike[str],
        device: str = "cpu",
        *,
        device_index: int | Sequence[int] = 0,
        compute_type: str | Mapping[str, str] = "default",
        inter_threads: int = 1,
        intra_threads: int = 0,
        max_queued_batches: int = 0,
        flash_attention: bool = False,
        tensor_parallel: bool = False,
        files: object = None,
    ) -> None:
        """Reads a model of attend, or a directory of Hugging Face or Marian: see ``attend.load``.

        ``intra_threads``: the size of a thread pool of its own; 0: all models share one.
        ``device_index``, ``inter_threads`` and ``max_queued_batches`` change nothing, as any number
        of threads may call a model. Of the other arguments attend has only the defaults;
        ``compute_type`` may also be "auto" or "float32".
        """
        check_loading(device, compute_type)
        for name, value in (
            ("flash_attention", flash_attention),
            ("tensor_parallel", tensor_parallel),
            ("files", files),
        ):
            if value not in (None, False):
                raise ConfigError(f"{name}: attend has no such option")
        self._open(model_path, intra_threads, {})

    @classmethod
    def _reopened(cls, path: str, threads: int, changes: dict[str, Any]) -> LoadedModel:
        return cls(path, intra_threads=threads)
