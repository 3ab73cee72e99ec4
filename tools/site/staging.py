"""The pages of the repository as pages of the site: the same files in the same folders, so that links between them hold.

Links to other files of the repository lead to pages that show them (source_pages.py).
"""
import os
import re
import shutil

import source_pages

# Comments that say how tests treat the block below.
_MARK = re.compile(r"^<!-- (?:not run|world|from): .* -->$")
_FENCE = re.compile(r"^ *(`{3,})")
_CODE = re.compile(r"(`+[^`]*`+)")
_TARGET = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")
_NAMED = re.compile(r"\[`(?:\w+::)*(~?\w+)(?:\(\))?`\]\($")
_DEFINITION = re.compile(r"^(\[[^\]]+\]: )(\S+)$")
# Guides, and the references that only the site has.
_REFERENCES = {"docs/python.md": "python/index.md", "docs/cpp.md": "cpp/index.md", "docs/c.md": "c.md"}
_PICTURES = {".png", ".svg", ".gif", ".webp"}


def repository_pages(root):
    """The pages, as paths from the root."""
    pages = [name for name in os.listdir(root) if name.endswith(".md")]
    pages.append("deploy/README.md")
    for folder, _, names in os.walk(os.path.join(root, "docs")):
        pages += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(".md")]
    return sorted(pages)


class Stage:
    """A folder of pages. `out` gets them; `sources` collects the files that they link to."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.pages = repository_pages(root)
        self.sources = source_pages.SourcePages(root, out)

    def write(self, path, text):
        place = os.path.join(self.out, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def write_reference(self, path, text):
        """A page that a search finds after those that people wrote."""
        self.write(path, f"---\nsearch:\n  boost: 0.2\n---\n\n{text}")

    def copy_pages(self):
        for page in self.pages:
            with open(os.path.join(self.root, page), encoding="utf-8") as file:
                text = self.converted(page, file.read())
            if page in _REFERENCES:
                title, _, rest = text.partition("\n")
                text = f"{title}\n\nAll names with their types: [reference](../reference/{_REFERENCES[page]}).\n{rest}"
            self.write(page, text)

    def converted(self, page, text):
        """The text of a page with links of the site, and without marks for tests."""
        lines, fence, prose = [], "", []

        def end_prose():
            lines.append(self._with_links(page, "\n".join(prose)))
            prose.clear()

        for line in text.split("\n"):
            found = _FENCE.match(line)
            if fence:
                lines.append(line)
                if found and found[1] == fence:
                    fence = ""
            elif found:
                end_prose()
                fence = found[1]
                lines.append(line)
            elif not _MARK.match(line):
                prose.append(_bars(line) if line.startswith("|") else line)
        end_prose()
        return "\n".join(lines)

    def _with_links(self, page, text):
        """Links in a text without code blocks. A code span within the text of a link stays."""

        def replaced(match):
            before = text[: match.start(2)]
            if _within_code(before):
                return match[0]
            named = _NAMED.search(before[-200:])
            return match[1] + self.target(page, match[2], match[3] or "", named and named[1]) + match[4]

        return _TARGET.sub(replaced, text)

    def target(self, page, path, anchor, name=None):
        """What a link on a page leads to. `name`: a name that the linked source has."""
        if not path or "://" in path or path.startswith("mailto:"):
            return path + anchor
        folder = os.path.dirname(page)
        file = os.path.normpath(os.path.join(folder, path))
        if file.startswith("..") or not os.path.exists(os.path.join(self.root, file)):
            raise SystemExit(f"make_site: {page} links to {path}, which is not a file of the repository")
        if file in self.pages:
            return path + anchor
        if os.path.splitext(file)[1] in _PICTURES:
            self._copy(file)
            return path + anchor
        shown, place = self.sources.page_of(file, name)
        return os.path.relpath(shown, folder or ".") + (anchor or place)

    def _copy(self, file):
        place = os.path.join(self.out, file)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copyfile(os.path.join(self.root, file), place)


def _bars(row):
    """A row of a table, with the bars in code as this Markdown wants them: without a backslash."""
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), row)


def _within_code(before):
    """Whether a text that begins like this has an open code span: in its last paragraph."""
    paragraph = before[before.rfind("\n\n") + 1 :]
    return _CODE.sub("", paragraph).count("`") % 2 == 1
