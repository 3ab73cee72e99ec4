"""CTranslate2's Python package, with models of attend: scripts run with another import.

    import attend.ctranslate2 as ctranslate2

    translator = ctranslate2.Translator("en-de.safetensors")
    results = translator.translate_batch([["▁The", "▁old", "▁dog", "▁sleeps", "."]])
    print(results[0].hypotheses[0])

Names and defaults of arguments are those of CTranslate2. What it has and this module does not, such
as ``Encoder``, is an AttributeError.
"""

from attend.ctranslate2._generator import Generator
from attend.ctranslate2._results import (
    AsyncGenerationResult,
    AsyncResult,
    AsyncScoringResult,
    AsyncTranslationResult,
    GenerationResult,
    GenerationStepResult,
    ScoringResult,
    TranslationResult,
)
from attend.ctranslate2._translator import Translator

__all__ = [
    "AsyncGenerationResult",
    "AsyncResult",
    "AsyncScoringResult",
    "AsyncTranslationResult",
    "GenerationResult",
    "GenerationStepResult",
    "Generator",
    "ScoringResult",
    "TranslationResult",
    "Translator",
]
