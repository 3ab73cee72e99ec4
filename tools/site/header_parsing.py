"""Reads public headers: comments, and the declarations below them. It knows the style of include/attend, not all of C++."""
import dataclasses
import re


@dataclasses.dataclass
class Entry:
    """A declaration, or several that share a comment; without code it is a remark between declarations."""

    comment: str = ""
    code: list = dataclasses.field(default_factory=list)
    names: list = dataclasses.field(default_factory=list)
    kind: str = ""  # class, type, function, value
    section: str = ""  # the title of a section, whose remark this is
    members: list = dataclasses.field(default_factory=list)  # of a class


@dataclasses.dataclass
class Header:
    comment: str
    entries: list


_COMMENT = re.compile(r"^ *//( ?)(.*)$")
_SKIPPED = re.compile(r"^ *(#(?!define)|extern \"C\"|namespace attend|}  // namespace|public:)")
_WORD = r"~?[A-Za-z_]\w*"


def read_header(text):
    comment, lines = _leading_comment(text.split("\n"))
    return Header(comment, _entries(_body(lines)))


def public_names(header):
    """All names that a header declares: `Translator`, `Translator::translate`, `version`."""
    names = []
    for entry in header.entries:
        names += entry.names
        names += [f"{entry.names[0]}::{name}" for member in entry.members for name in member.names]
    return names


def _leading_comment(lines):
    taken = []
    while lines and _COMMENT.match(lines[0]):
        taken.append(_COMMENT.match(lines.pop(0))[2])
    return "\n".join(taken), lines


def _body(lines):
    """The lines of a header that belong to its interface."""
    kept, depth, conditional = [], 0, False
    for line in lines:
        if re.match(r"^#ifdef __cplusplus", line):
            conditional = True
        elif conditional:
            conditional = not line.startswith("#endif")
        elif re.match(r"^namespace detail \{", line):
            depth = 1
        elif depth:
            depth = 0 if line.startswith("}") else 1
        elif not _SKIPPED.match(line) and not re.match(r"^#define ATTEND_C_ATTEND_H", line):
            kept.append(line)
    return kept


def _bare(line):
    """A line without comments, strings and characters."""
    return re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', '""', line).split("//")[0]


def _entries(lines):
    entries, comment, at = [], [], 0

    def remark():
        if comment:
            entries.append(_remark("\n".join(comment)))
            comment.clear()

    touching = False  # the declaration before has no empty line after it
    while at < len(lines):
        line = lines[at]
        found = _COMMENT.match(line)
        if found:
            if found[2].startswith("---- "):
                remark()
            comment.append(found[2])
            at += 1
        elif not line.strip():
            remark()
            touching = False
            at += 1
        else:
            code, at = _declaration(lines, at)
            if comment or not touching or not entries[-1].code:
                entries.append(Entry("\n".join(comment)))
            comment.clear()
            _add(entries[-1], code)
            touching = True
    remark()
    return entries


def _remark(text):
    if not text.startswith("---- "):
        return Entry(text)
    title, _, rest = text.partition("\n")
    return Entry(rest.strip("\n"), section=title[5:])


def _declaration(lines, at):
    """The lines of one declaration, and the index of the next line."""
    taken, depth = [], 0
    while at < len(lines):
        line = lines[at]
        bare = _bare(line).rstrip()
        depth += len(re.findall(r"[{(\[]", bare)) - len(re.findall(r"[})\]]", bare))
        taken.append(line)
        at += 1
        ends = bare.endswith((";", "}")) or bare.startswith("#define")
        if depth == 0 and ends and not bare.lstrip().startswith("template"):
            break
    return taken, at


def _add(entry, code):
    entry.code.append(_dedented(code))
    first = _bare(" ".join(line.strip() for line in map(_bare, code)))
    kind, names = _declared(first)
    entry.kind = entry.kind or kind
    entry.names += [name for name in names if name not in entry.names]
    if kind == "class" and "{" in first:
        entry.members = _members(entry.code[-1])


def _dedented(code):
    indent = min(len(line) - len(line.lstrip()) for line in code if line.strip())
    return [line[indent:] for line in code]


def _declared(text):
    """The kind and the names of a declaration on one line."""
    text = re.sub(r"^template <[^>]*> ", "", text)
    found = re.match(r"#define (\w+)", text)
    if found:
        return "value", [found[1]]
    found = re.match(r"using (\w+) =", text)
    if found:
        return "type", [found[1]]
    if text.startswith("using "):
        return "class", []
    if text.startswith("typedef"):
        found = re.search(r"\(\*(\w+)\)\(|(\w+);$", text)
        return "type", [found[1] or found[2]]
    found = re.match(r"(class|struct|enum class) (\w+)", text)
    if found:
        return ("class" if found[1] == "class" else "type"), [found[2]]
    if text.startswith("enum {"):
        inside = text[text.index("{") + 1 : text.rindex("}")]
        return "value", [part.split("=")[0].strip() for part in inside.split(",") if part.strip()]
    found = re.search(rf"(operator ?[^\s(]+|{_WORD})\(", text)
    if found:
        return "function", [found[1]]
    return "value", [re.search(rf"({_WORD}) ?[={{;]", text)[1]]


def _members(code):
    """The public members of a class."""
    inside = []
    for line in code[1:-1]:
        if line.strip() == "private:":
            break
        if line.strip() != "public:":
            inside.append(line)
    return [one for one in _entries(inside) if one.names or not one.code]


def signature(code):
    """A declaration without the body of a function that has one."""
    text = "\n".join(code)
    if re.match(r"(class|struct|enum|typedef|using|#)", re.sub(r"^template <[^>]*>\s*", "", text)):
        return text
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter in "(<[") - (letter in ")>]")
        if letter == "{" and depth == 0 and text[:index].rstrip().endswith((")", "const")):
            return text[:index].rstrip() + ";" + _trailing(code)
    return text


def _trailing(code):
    last = code[-1]
    return "  //" + last.split("//", 1)[1] if len(code) == 1 and "//" in last else ""
