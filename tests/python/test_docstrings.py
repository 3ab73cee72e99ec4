"""Every public name of the package says what it is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import attend
from attend import ctranslate2, metrics, nn, ops, sentence_transformers


def public_names() -> Iterator[tuple[str, object]]:
    for module in attend, ctranslate2, metrics, nn, ops, sentence_transformers:
        for name in module.__all__:
            value = getattr(module, name)
            if not (inspect.isclass(value) or callable(value)):
                continue
            yield f"{module.__name__}.{name}", value
            if inspect.isclass(value) and value.__module__.startswith("attend"):
                for member, one in inspect.getmembers(value):
                    if not member.startswith("_") and (callable(one) or isinstance(one, property)):
                        yield f"{module.__name__}.{name}.{member}", one


def test_every_public_class_and_function_has_a_docstring() -> None:
    names = dict(public_names())
    assert len(names) > 100
    assert [name for name, value in names.items() if not inspect.getdoc(value)] == []
