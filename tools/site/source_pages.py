"""Pages that show files of the repository which other pages link to."""
import json
import os
import re

_LANGUAGES = {
    ".cpp": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".js": "javascript", ".rs": "rust", ".go": "go",
    ".java": "java", ".cs": "csharp", ".toml": "toml", ".yaml": "yaml", ".sh": "sh", ".service": "ini",
    ".conf": "nginx", ".txt": "cmake",
}
_HEAD = "---\nsearch:\n  exclude: true\n---\n\n"


def header_page(file):
    """The page of the reference for a public header, or None."""
    if file == "include/attend/c/attend.h":
        return "reference/c.md"
    found = re.fullmatch(r"include/attend/(\w+)\.h", file)
    return found and f"reference/cpp/{found[1]}.md"


def line_of(text, name):
    """The line that defines a name in a source, or the first that has it."""
    called = re.compile(rf"^(?![\s/#]).*\b{re.escape(name)}\b ?[({{]", re.MULTILINE)
    found = called.search(text) or re.search(rf"^.*\b(class|struct) {re.escape(name)}\b", text, re.MULTILINE)
    found = found or re.search(rf"\b{re.escape(name)}\b", text)
    return text.count("\n", 0, found.start()) + 1 if found else None


class SourcePages:
    def __init__(self, root, out):
        self.root, self.out = root, out
        self.linked = []  # files and folders, in the order in which they were found

    def page_of(self, file, name=None):
        """The page that shows a file or a folder, and the anchor of a name in it."""
        header = header_page(file)
        if header:
            return header, ""
        if file not in self.linked:
            self.linked.append(file)
        if os.path.isdir(os.path.join(self.root, file)):
            return f"source/{file}/index.md", ""
        place = name and line_of(self._text(file), name)
        return f"source/{file}.md", f"#line-{file_id(file)}-{place}" if place else ""

    def source_of(self, header):
        """The page with the text of a public header."""
        if header not in self.linked:
            self.linked.append(header)
        return f"source/{header}.md"

    def write(self):
        for file in self.linked:  # grows with the files of folders
            if os.path.isdir(os.path.join(self.root, file)):
                self._write_folder(file)
            else:
                self._write_file(file)

    def _text(self, file):
        with open(os.path.join(self.root, file), encoding="utf-8") as text:
            return text.read()

    def _put(self, path, text):
        place = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as page:
            page.write(_HEAD + text)

    def _write_folder(self, folder):
        names = sorted(os.listdir(os.path.join(self.root, folder)))
        lines = [f"# {folder}", ""]
        for name in names:
            file = f"{folder}/{name}"
            if name.startswith((".", "__")):
                continue
            page, _ = self.page_of(file)
            lines.append(f"- [{name}]({os.path.relpath(page, f'source/{folder}')})")
        self._put(f"source/{folder}/index.md", "\n".join(lines) + "\n")

    def _write_file(self, file):
        text = self._text(file)
        if file.endswith(".ipynb"):
            self._put(f"source/{file}.md", f"# {file}\n\n" + notebook(text))
            return
        language = _LANGUAGES.get(os.path.splitext(file)[1], "text")
        head = f"# {os.path.basename(file)}\n\n`{file}`\n\n"
        fence = f'````{{ .{language} linenums="1" #{file_id(file)} }}'
        self._put(f"source/{file}.md", f"{head}{fence}\n{text.rstrip()}\n````\n")


def file_id(file):
    return re.sub(r"\W", "-", os.path.basename(file))


def notebook(text):
    """The cells of a Jupyter notebook, without their outputs."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"]).rstrip()
        parts.append(source if cell["cell_type"] == "markdown" else f"````python\n{source}\n````")
    return "\n\n".join(parts) + "\n"
