"""Writes the reference of the public headers: a page for each header of C++, one for C."""
import glob
import os
import re

from header_parsing import public_names, read_header, signature

# Words of a comment that are code: in backticks, name(), a::b, a_b, A_B and AbCd.
_CODE_WORD = re.compile(
    r"`([^`]+)`|((?:[A-Za-z_]\w*(?:::|\.))*~?[A-Za-z_]\w*\(\)|\w+(?:::~?\w+)+|\w*[A-Za-z0-9]_\w+|\b[A-Z][a-z]+[A-Z]\w*)"
)
_SPECIAL = re.compile(r"([\\*_<>\[\]#|&`])")


def _escaped(found):
    """A character that Markdown would not show as it is."""
    return f"&#{ord(found[1])};"


class HeaderPages:
    def __init__(self, stage):
        self.stage = stage
        self.headers = {}  # path -> Header
        self.places = {}  # name -> (page, anchor)
        pattern = os.path.join(stage.root, "include/attend/*.h")
        paths = [os.path.relpath(path, stage.root) for path in sorted(glob.glob(pattern))]
        for path in paths + ["include/attend/c/attend.h"]:
            with open(os.path.join(stage.root, path), encoding="utf-8") as file:
                self.headers[path] = read_header(file.read())
            for name in public_names(self.headers[path]):
                self.places.setdefault(name, (page_of(path), anchor_of(name)))

    def write(self):
        """Writes all pages; returns their paths in the order of the navigation."""
        for path, header in self.headers.items():
            self.stage.write_reference(page_of(path), self._page(path, header))
        self.stage.write_reference("reference/cpp/index.md", self._index())
        pages = [page_of(path) for path in self.headers]
        return ["reference/cpp/index.md"] + pages[:-1], pages[-1]

    def _index(self):
        rows = []
        for path, header in list(self.headers.items())[:-1]:
            name = os.path.basename(path)
            summary = self._prose(_summary(header), "reference/cpp/index.md")
            rows.append(f"| [{name}]({name[:-2]}.md) | {summary} |")
        return (
            "# C++ reference\n\nMade from the comments of the public headers. [The guide](../../docs/cpp.md) shows how to "
            "use them, [the C interface](../c.md) serves other languages.\n\n| header | what it has |\n|---|---|\n"
            + "\n".join(rows)
            + "\n"
        )

    def _page(self, path, header):
        page = page_of(path)
        language = "c" if "/c/" in path else "cpp"
        source = os.path.relpath(self.stage.sources.source_of(path), os.path.dirname(page))
        title = "C reference" if language == "c" else os.path.basename(path)
        include = path[len("include/") :]
        parts = [f"# {title}", f"```{language}\n#include <{include}>\n```", self._comment(header.comment, page, language)]
        parts += self._entries(header.entries, page, language)
        parts.append(f"[The header itself]({source})")
        return "\n\n".join(part for part in parts if part) + "\n"

    def _entries(self, entries, page, language):
        sections = any(entry.section for entry in entries)
        level = "###" if sections else "##"
        parts = []
        for entry in entries:
            if entry.section:
                parts += [f"## {entry.section}", self._comment(entry.comment, page, language)]
                continue
            if not entry.code:
                parts.append(self._comment(entry.comment, page, language))
                continue
            parts.append(f"{level} {_title(entry)} {{ #{anchor_of(entry.names[0])} }}")
            parts += self._spots(entry.names[1:])
            parts.append(self._comment(entry.comment, page, language))
            if entry.members:
                parts += self._members(entry, page, language)
            else:
                parts.append(_block(entry, language))
        return parts

    def _members(self, entry, page, language):
        name, parts, seen = entry.names[0], [], set()
        for member in entry.members:
            if not member.code:
                parts.append(self._comment(member.comment, page, language))
                continue
            fresh = [one for one in member.names if one not in seen]
            seen.update(fresh)
            if fresh:
                parts.append(f"### {_title(member)} {{ #{anchor_of(f'{name}::{fresh[0]}')} }}")
                parts += self._spots([f"{name}::{one}" for one in fresh[1:]])
            parts.append(self._comment(member.comment, page, language))
            parts.append(_block(member, language))
        return parts

    @staticmethod
    def _spots(names):
        """Anchors of further names under one heading."""
        return ["".join(f'<a id="{anchor_of(name)}"></a>' for name in names)] if names else []

    def _comment(self, text, page, language):
        """A comment as Markdown. Indented lines are code or a table."""
        parts, block, paragraph = [], [], []

        def end_block():
            if block:
                code = "\n".join(block)
                known = language if re.search(r"[;{}]|::", code) else "text"
                parts.append(f"```{known}\n{code}\n```")
                block.clear()

        def end_paragraph():
            if paragraph:
                parts.append(self._prose(" ".join(paragraph), page))
                paragraph.clear()

        for line in text.split("\n"):
            if line.startswith("  "):
                end_paragraph()
                block.append(line[2:])
            elif not line.strip():
                end_paragraph()
                if block:
                    block.append("")
            else:
                while block and not block[-1]:
                    block.pop()
                end_block()
                paragraph.append(line.strip())
        while block and not block[-1]:
            block.pop()
        end_block()
        end_paragraph()
        return "\n\n".join(parts)

    def _prose(self, text, page):
        """Words of a comment: names become code, and links where the reference has them."""
        parts, last = [], 0
        for found in _CODE_WORD.finditer(text):
            parts.append(_SPECIAL.sub(_escaped, text[last : found.start()]))
            parts.append(self._word(found, page))
            last = found.end()
        parts.append(_SPECIAL.sub(_escaped, text[last:]))
        return "".join(parts)

    def _word(self, found, page):
        word = found[1] or found[2]
        place = self.places.get(word.removesuffix("()"))
        if not place:
            return f"`{word}`"
        target = "" if place[0] == page else os.path.relpath(place[0], os.path.dirname(page))
        return f"[`{word}`]({target}#{place[1]})"


def page_of(path):
    return "reference/c.md" if "/c/" in path else f"reference/cpp/{os.path.basename(path)[:-2]}.md"


def anchor_of(name):
    return re.sub(r"[^\w.]", "-", name.replace("::", ".").replace("~", "destroy-"))


def _title(entry):
    names = ", ".join(_SPECIAL.sub(_escaped, name) for name in entry.names[:4])
    return names + (", ..." if len(entry.names) > 4 else "")


def _block(entry, language):
    code = "\n".join(signature(one) for one in entry.code)
    return f"```{language}\n{code}\n```"


def _summary(header):
    """The first sentence of a header's comment."""
    text = " ".join(header.comment.split("\n\n")[0].split("\n"))
    return re.split(r"(?<=\.) ", text)[0].removesuffix(".")
