#!/usr/bin/env python3
"""Writes attend/_options.py: the keyword arguments of Python's functions as types, with the names and
descriptions that the program's --help has.

    python options.py PACKAGE        PACKAGE: the folder of the compiled module _attend
"""

from __future__ import annotations

import pathlib
import re
import sys
import textwrap
from typing import NamedTuple

HEAD = '''"""Keyword arguments of functions. Written by python/options.py from the options of the program."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from attend.quality import QualityScorer

Text = str | os.PathLike[str]
'''


class Option(NamedTuple):
    name: str
    type: str
    choices: list[str]
    default: list[str]
    help: str


class Keywords(NamedTuple):
    """A class to write."""

    name: str
    about: str
    options: list[Option]
    base: str = "TypedDict"
    with_defaults: bool = True


#: What Python has in place of what the command line reads from files and prints.
OF_TRANSLATIONS = [
    Option("alignments", "bool", [], [],
           "fill ``alignment``, at the cost of one more pass per candidate"),
    Option("comet", "QualityScorer", [], [],
           "model that scores translations by references, such as COMET, for mbr=\"comet\""),
    Option("rerank", "QualityScorer", [], [],
           "model that estimates the quality of translations without references, such as CometKiwi: "
           "prefer the best of the beam or of samples"),
    Option("glossary", "Mapping[str, str] | str | Sequence[str]", [], [],
           "how to translate terms: ``{\"dog|dogs\": \"Hund|Hunde\"}``, lines with a tab between the two, "
           "or files of such lines"),
    Option("prefix", "str | Iterable[str]", [], [],
           "texts that the translations begin with: one for all sentences, or one for each"),
    Option("prefix_ids", "Sequence[int] | Sequence[Sequence[int]]", [], [],
           "prefixes as target token ids, instead of prefix; they may end within a word"),
]  # fmt: skip
TYPES = {"list": "str | Sequence[str]"}
TRAINING_TYPES = {"list": "Text | Sequence[Text]", "str": "Text"}  # many are files
#: Of training: arguments of the functions themselves.
OWN = {"out", "src_train", "tgt_train", "src_valid", "tgt_valid", "train", "valid", "valid_scored"}
TASKS = {
    "translation": "TranslationTrainingOptions",
    "lm": "LanguageTrainingOptions",
    "classification": "ClassificationTrainingOptions",
    "tagging": "TaggingTrainingOptions",
    "embedding": "EmbeddingTrainingOptions",
}


def keywords(module) -> list[Keywords]:
    def options(name: str, *arguments: str, without: set[str] = frozenset()) -> list[Option]:
        found = [Option(*one) for one in getattr(module, f"{name}_options")(*arguments)]
        return [one for one in found if one.name not in without]

    # The window is an argument of translate_iterable.
    translation = options("translation", without={"alignment", "window", "glossary"}) + OF_TRANSLATIONS
    of_tasks = {task: options("training", task, without=OWN) for task in TASKS}
    shared = [one for one in of_tasks["translation"] if all(one in all for all in of_tasks.values())]
    return [
        Keywords(
            "TranslationOptions", "Keyword arguments of ``translate``. Those that are not given have "
            "the defaults of the model.",
            translation, with_defaults=False,
        ),
        Keywords(
            "GenerationOptions", "Keyword arguments of ``generate``. Those that are not given have the "
            "defaults of the model.",
            options("generation", without={"n_best"}),  # an argument of generate_best
            with_defaults=False,
        ),
        Keywords(
            "TextPreparation", "Keyword arguments of functions that read texts: they prepare them as "
            "the model was trained, in this order.",
            options("preparation"),
        ),
        Keywords(
            "PairPreparation", "Keyword arguments of ``score`` of a translator, besides those of "
            "TextPreparation.",
            [one for one in options("pair") if one.name == "tgt_language"], base="TextPreparation",
        ),
        Keywords("ExplanationOptions", "Keyword arguments of ``explain``.", options("explanation")),
        Keywords("BleuOptions", "Keyword arguments of ``bleu``, as sacreBLEU names them.", options("bleu")),
        Keywords(
            "ChrfOptions", "Keyword arguments of ``chrf``, as sacreBLEU names them.",
            [one._replace(name=one.name.removeprefix("chrf_")) for one in options("chrf")],
        ),
        Keywords(
            "TerOptions", "Keyword arguments of ``ter``, as sacreBLEU names them.",
            [one._replace(name=one.name.removeprefix("ter_")) for one in options("ter")],
        ),
        Keywords("ReportOptions", "Keyword arguments of ``report``.", options("report")),
        Keywords("TrainingOptions", "Keyword arguments of all functions that train.", shared),
    ] + [
        Keywords(
            name, f"Keyword arguments of ``train_{task}``, besides those of TrainingOptions.",
            [one for one in of_tasks[task] if one not in shared], base="TrainingOptions",
        )
        for task, name in TASKS.items()
    ]  # fmt: skip


def help_of(option: Option, names: set[str]) -> str:
    """The help in Python's words: options without dashes before and within them."""
    text = re.sub(r"--(?=[a-z])", "", option.help).replace(", one per argument", "")
    return re.sub(
        r"\b[a-z]+(?:-[a-z]+)+\b",
        lambda one: one[0].replace("-", "_") if one[0].replace("-", "_") in names else one[0],
        text,
    )


def text_of(one: Keywords, names: set[str]) -> str:
    """The class."""
    lines = [f"class {one.name}({one.base}, total=False):"]
    lines += textwrap.wrap(f'"""{one.about}', 100, initial_indent="    ", subsequent_indent="    ")
    lines.append("")
    for option in one.options:
        default = f" (default: {' '.join(option.default)})" if one.with_defaults and any(option.default) else ""
        about = f"- ``{option.name}``: {help_of(option, names)}{default}"
        about = about.replace("\\", "\\\\")
        lines += textwrap.wrap(
            about, 100, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
    lines += ['    """', ""]
    types = TRAINING_TYPES if "TrainingOptions" in one.name else TYPES
    for option in one.options:
        type = types.get(option.type, option.type)
        if option.choices:
            type = f"Literal[{', '.join(f'{choice!r}' for choice in option.choices)}]"
        lines.append(f"    {option.name}: {type} | None")
    return "\n".join(lines) + "\n"


def written(module) -> str:
    """The file."""
    all_keywords = keywords(module)
    names = {option.name for one in all_keywords for option in one.options}
    return "\n\n".join([HEAD, *(text_of(one, names) for one in all_keywords)])


def main() -> None:
    package = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(package))
    import _attend

    (package / "_options.py").write_text(written(_attend), encoding="utf-8")


if __name__ == "__main__":
    main()
