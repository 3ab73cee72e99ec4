"""Writes the reference of the Python package: pages that mkdocstrings fills from types and docstrings.

The package is read, never imported: its sources, and the two files that a build of the module makes beside them,
`_attend.pyi` (the compiled part) and `_options.py` (keyword arguments).
"""
import ast
import glob
import os
import re
import shutil

# The names of attend.__all__, by page. A name that no page has is an error.
PAGES = [
    ("models", "Loading models", ["load", "BaseModel", "Tokenizer", "build_information", "__version__"]),
    ("translator", "Translators", ["Translator", "TranslationOptions", "Translation", "TranslationCandidate", "TranslationTrust", "TranslationFlag",
      "SequenceScore"]),
    ("generator", "Language models", ["Generator", "GenerationOptions", "Generation"]),
    ("classifier", "Classifiers and taggers", ["Classifier", "LabelScore", "Tagger", "Tagging", "Entity"]),
    ("embedder", "Vectors", ["Embedder"]),
    ("quality", "Scores of translations", ["QualityScorer"]),
    ("text", "Preparing text", ["TextPreparation", "PairPreparation"]),
    ("inspection", "Looking inside", [
        "Attention", "AttentionChanges", "AttentionPage", "Explanation", "ExplanationOptions", "LogitPart", "ResidualAddition",
        "TokenProbability", "WordEffect", "BeamTree", "BeamStep", "BeamCandidate", "TokenAlternatives", "TokenChoice",
    ]),
    ("training", "Training", [
        "train_translation", "train_lm", "train_classification", "train_tagging", "train_embedding", "Callback", "StepReport",
        "ValidationReport", "History", "TrainingOptions", "TranslationTrainingOptions", "LanguageTrainingOptions",
        "ClassificationTrainingOptions", "TaggingTrainingOptions", "EmbeddingTrainingOptions",
    ]),
    ("files", "Model files", ["import_model", "export", "describe", "check", "average", "merge", "quantize", "optimize"]),
    ("errors", "Errors", ["Error", "ShapeError", "ConfigError", "DataError", "LineError", "IoError", "DivergedError"]),
    ("metrics", "Metrics", ["metrics"]),
    ("nn", "Modules of networks", ["nn"]),
    ("ops", "Tensors and their operations", ["ops"]),
]
# Modules with the calls of another package: the title, and the classes of their keyword arguments.
OTHERS = [
    ("ctranslate2", "Calls of CTranslate2", ["TranslationBatchOptions", "GenerationBatchOptions", "PairScoringOptions", "ScoringOptions"]),
    ("sentence_transformers", "Calls of sentence-transformers", []),
]
_MADE = ("_attend.pyi", "_options.py")


class PythonPages:
    def __init__(self, stage, sources, made):
        """`sources`: the folder of the package; `made`: where a build has put its other files; both are copied."""
        self.stage = stage
        self.package = os.path.join(os.path.dirname(stage.out), "python", "attend")
        shutil.rmtree(self.package, ignore_errors=True)
        shutil.copytree(sources, self.package, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        for name in _MADE:
            if not os.path.exists(os.path.join(made, name)):
                raise SystemExit(f"make_site: {made} has no {name}: build the Python module (-DATTEND_PYTHON=ON)")
            shutil.copyfile(os.path.join(made, name), os.path.join(self.package, name))
        for file in glob.glob(f"{self.package}/**/*.py*", recursive=True):
            _escape_docstrings(file)
        self.options = _classes(os.path.join(self.package, "_options.py"))
        self._check(public_names(os.path.join(self.package, "__init__.py")))

    @staticmethod
    def _check(names):
        shown = [name for _, _, group in PAGES for name in group]
        for name in sorted(set(names) ^ set(shown)):
            what = "no page of python_pages.py has" if name in names else "python_pages.py has, but not the package,"
            raise SystemExit(f"make_site: {what} attend.{name}")

    def write(self):
        """Writes all pages; returns their paths in the order of the navigation."""
        paths = ["reference/python/index.md"]
        self.stage.write_reference(paths[0], self._index())
        for page, title, names in PAGES:
            paths.append(f"reference/python/{page}.md")
            self.stage.write_reference(paths[-1], "\n\n".join([f"# {title}", *map(self._entry, names)]) + "\n")
        for module, title, options in OTHERS:
            paths.append(f"reference/python/{module}.md")
            self.stage.write_reference(paths[-1], self._other(module, title, options))
        return paths

    def _names_of(self, module):
        return public_names(os.path.join(self.package, module, "__init__.py"))

    def _other(self, module, title, options):
        """The page of a module with the calls of another package."""
        entries = [f"# {title}", f"::: attend.{module}\n    options:\n      members: false\n      show_root_heading: false"]
        entries += [f"::: attend.{module}.{name}" for name in self._names_of(module)]
        if options:
            classes = _classes(os.path.join(self.package, module, "_options.py"))
            entries.append("## Keyword arguments")
            entries += [f"`{name}`\n\n```python\n{classes[name]}\n```" for name in options]
        return "\n\n".join(entries) + "\n"

    def _index(self):
        rows = []
        for page, title, names in PAGES:
            links = ", ".join(f"[`{name}`]({page}.md#attend.{name})" for name in names)
            rows.append(f"| [{title}]({page}.md) | {links} |")
        for module, title, _ in OTHERS:
            links = ", ".join(f"[`{name}`]({module}.md#attend.{module}.{name})" for name in self._names_of(module))
            rows.append(f"| [{title}]({module}.md) | {links} |")
        return (
            "# Python reference\n\nMade from the types and docstrings of the package. [The guide](../../docs/python.md) shows "
            "how to use it.\n\n| page | names |\n|---|---|\n" + "\n".join(rows) + "\n"
        )

    def _entry(self, name):
        if name in self.options:
            fields = self.options[name]
            return f"::: attend.{name}\n    options:\n      members: false\n      inherited_members: false\n\n```python\n{fields}\n```"
        if name in ("metrics", "nn", "ops"):
            hidden = "      show_root_heading: false\n      show_root_toc_entry: false\n"
            return f'<a id="attend.{name}"></a>\n\n::: attend.{name}\n    options:\n{hidden}'
        if name.endswith("Error"):
            return f"::: attend.{name}\n    options:\n      show_bases: true"
        return f"::: attend.{name}"


def public_names(file):
    """The list __all__ of a module."""
    for node in _tree(file).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    raise SystemExit(f"make_site: {file} has no __all__")


def _tree(file):
    with open(file, encoding="utf-8") as text:
        return ast.parse(text.read())


def _escape_docstrings(file):
    """A tag in a docstring is text, also where it is not marked as code."""
    with open(file, encoding="utf-8") as text:
        lines = text.read().split("\n")
    for node in ast.walk(_tree(file)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.Module)) and ast.get_docstring(node):
            for line in range(node.body[0].lineno - 1, node.body[0].end_lineno):
                pieces = re.split(r"(`[^`]*`)", lines[line])
                pieces[::2] = [re.sub(r"<(?=[a-z/])", "&lt;", piece.replace("&", "&amp;")) for piece in pieces[::2]]
                lines[line] = "".join(pieces)
    with open(file, "w", encoding="utf-8") as text:
        text.write("\n".join(lines))


def _classes(file):
    """The fields of every class of keyword arguments, as its source has them, after those of the classes before it in the file that it extends."""
    classes = {}
    for node in _tree(file).body:
        if isinstance(node, ast.ClassDef):
            fields = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
            fields += [f"{one.target.id}: {ast.unparse(one.annotation)}" for one in node.body if isinstance(one, ast.AnnAssign)]
            classes[node.name] = "\n".join(filter(None, fields))
    return classes
