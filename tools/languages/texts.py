"""Reads texts by language from unpacked packages: message catalogs, dictionaries, pages of help, manual pages, names of emoji."""

import gzip
import html
import random
import re
import struct
import unicodedata
import zipfile

# ISO 639-1, and the scripts of Chinese. Other names of them follow.
SAME = {"no": "nb", "iw": "he", "in": "id", "fil": "tl", "kmr": "ku", "hye": "hy", "cmn": "zh-Hans", "zh_CN": "zh-Hans", "zh_SG": "zh-Hans", "zh": "zh-Hans",
        "zh_TW": "zh-Hant", "zh_HK": "zh-Hant", "zh_Hant": "zh-Hant", "zh_Hans": "zh-Hans", "zh_Hant_HK": "zh-Hant", "swh": "sw", "default": "he", "C": "en"}
# Other scripts and games with them.
SKIPPED = {"uz@arabic", "tt@iqtelif", "be@latin", "pa_PK", "pa_Arab", "ur@latin", "sd@deva", "sd@devanagari", "ku_IQ", "hi_Latn", "ku_SY"}

LETTERS = "LM"
MOST_FILES = 150
TAG = re.compile(r"<[^<>]{1,300}>|&[a-zA-Z0-9#._-]+;|\$\{?[\w.%()-]+\}?|%(?:\(\w+\)|\d+\$)?[-+0-9.]*[a-zA-Z]|\{[^{}]*\}|%[\w$]+|"
                 r"\b\w+(?:://|@|\.\w|/\w)\S*|(?<!\w)[-/~]\S*|\\\S|\S*[_=]\S*\w|\b\w*\d\w*\b")
WORD = re.compile(r"[^\W\d_]+")


def language_of(locale):
    locale = locale.replace("-", "_").split(".")[0]
    if locale in SKIPPED or ("@" in locale and locale.split("@")[1] not in ("latin", "Latn", "ijekavian", "ijekavianlatin", "cyrillic", "valencia", "ije")):
        return None
    locale = locale.split("@")[0]
    if locale in SAME:
        return SAME[locale]
    base = locale.split("_")[0]
    return SAME.get(base, base)


def lower(text):
    """İ becomes i."""
    return unicodedata.normalize("NFC", text).lower().replace("\u0307", "")


def words_in(text):
    """Runs of letters and marks, in small letters."""
    small = lower(text)
    if small.isascii():
        return re.findall("[a-z]+", small)
    return "".join(c if unicodedata.category(c)[0] in LETTERS else " " for c in small).split()


def prose(text, original=""):
    """Without markup, placeholders, and names that the original has, too."""
    text = TAG.sub(" ", text.replace("_", "").replace("~", "").replace("&", "&" if "&" in text and ";" in text else ""))
    if original:
        names = {word for word in WORD.findall(original) if word != word.lower()}
        if names:
            text = WORD.sub(lambda match: " " if match[0] in names else match[0], text)
    return text


def catalog(path):
    """Pairs of a message and its translation."""
    data = path.read_bytes()
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, ids, strings = struct.unpack(order + "3I", data[8:20])
    for i in range(count):
        length, at = struct.unpack_from(order + "2I", data, ids + 8 * i)
        first = data[at:at + length]
        length, at = struct.unpack_from(order + "2I", data, strings + 8 * i)
        second = data[at:at + length]
        if not first or not second:
            continue
        first = first.decode("utf-8", "replace").split("\x04")[-1].split("\0")
        for j, translation in enumerate(second.decode("utf-8", "replace").split("\0")):
            yield first[min(j, len(first) - 1)], translation


def of_catalog(path):
    for original, translation in catalog(path):
        if original != translation and "\ufffd" not in translation and "translator" not in original:
            yield translation, original


def originals_of_catalog(path):
    for original, translation in catalog(path):
        if original != translation:
            yield original, ""


def of_firefox(path):
    """Its archive of .ftl and .properties."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith((".ftl", ".properties")):
                content = archive.read(name).decode("utf-8", "replace")
                for line in content.splitlines():
                    value = line.partition("=")[2] if re.match(r"[\w.\s-]+=", line) else line if line.startswith(" ") else ""
                    value = value.strip()
                    if value and not value.startswith(("#", "[", "*", "{", "}", ".")):
                        yield value.replace("_", " "), ""


def encoding_of(path):
    """Of a dictionary of hunspell."""
    affixes = path.with_suffix(".aff")
    if affixes.exists():
        found = re.search(rb"^\s*(?:\xef\xbb\xbf)?SET\s+(\S+)", affixes.read_bytes(), re.M)
        if found:
            name = found[1].decode("ascii")
            return {"microsoft-cp1251": "cp1251", "microsoft-cp1250": "cp1250", "UTF8": "utf-8"}.get(name, name)
    return "utf-8"


def of_dictionary(path):
    try:
        content = path.read_bytes().decode(encoding_of(path))
    except (UnicodeDecodeError, LookupError):
        return
    for line in content.splitlines()[1:]:
        yield re.split(r"[/\t ]", line.strip(), maxsplit=1)[0], ""


def of_compressed_words(path):
    """Of aspell: a byte says how much of the word before is the beginning of a word."""
    data = gzip.decompress(path.read_bytes())
    language = path.name.split(".")[0].split("-")[0].split("_")[0]
    encoding = {"bg": "cp1251", "ru": "koi8-r", "uk": "koi8-u", "el": "iso8859-7", "he": "iso8859-8", "cs": "iso8859-2", "pl": "iso8859-2", "hr": "iso8859-2",
                "hu": "iso8859-2", "ro": "iso8859-2", "sk": "iso8859-2", "sl": "iso8859-2", "eo": "iso8859-3", "lt": "iso8859-13", "lv": "iso8859-13"}
    encoding = encoding.get(language, "iso8859-1")
    word = b""
    for part in re.findall(rb"([\x01-\x1f])([^\x00-\x1f]*)", data):
        word = word[:part[0][0] - 1] + part[1]
        yield word.decode(encoding, "replace"), ""


def of_markup(path):
    content = path.read_text("utf-8", "replace")
    content = re.sub(r"(?s)<(script|style|code|cmd|file|sys|app|revision|credit|license|info|span|pre)\b.*?</\1>|<!--.*?-->", " ", content)
    for block in re.split(r"</?(?:p|title|item|td|th|li|h\d|page|section|div|desc|dt|dd|br|body|table|ul|ol)\b[^>]*>", content):
        text = html.unescape(re.sub(r"<[^>]+>", " ", block)).strip()
        if text:
            yield text, ""


def of_annotations(path):
    """Names of emoji."""
    for names in re.findall(r'<annotation cp="[^"]*"[^>]*>([^<]*)</annotation>', path.read_text("utf-8")):
        for name in names.split(" | "):
            yield html.unescape(name), ""


def of_vocabulary(path):
    for text in re.findall(r"<text>([^<]+)</text>", path.read_text("utf-8", "replace")):
        yield html.unescape(text), ""


def of_manual(path):
    """The sentences of a manual page."""
    try:
        content = gzip.decompress(path.read_bytes()).decode("utf-8")
    except (UnicodeDecodeError, OSError):
        return
    if content.startswith(".so"):
        return
    code = False
    for line in content.splitlines():
        if line.startswith((".nf", ".EX", ".SY")):
            code = True
        if line.startswith((".fi", ".EE", ".YS")):
            code = False
        if not code and line and line[0] not in ".'" and "\\-\\-" not in line and " - " not in line:
            yield re.sub(r"\\f(?:\[[^\]]*\]|\([A-Z]{2}|[A-Z0-9])|\\[&/,|:%]|\\s[-+]?\d", "", line).replace("\\-", "-"), ""


def of_templates(path):
    """Of debconf: descriptions, as (language, (text, English))."""
    content = path.read_text("utf-8", "replace")
    for paragraph in content.split("\n\n"):
        english = []
        for field in re.split(r"\n(?=\S)", paragraph):
            found = re.match(r"(?:Description|Choices)(?:-([A-Za-z_@]+)\.UTF-8)?:\s*(.*)", field, re.S)
            if not found or "Choices" in field.split(":")[0]:
                continue
            lines = [part.strip() for part in re.split(r"\n \.\n|\n(?= )", found[2])]
            text = " ".join(lines)
            if found[1] is None:
                english.append(text)
            yield found[1] or "en", (text, "" if found[1] is None else " ".join(english))


def sources_of(path):
    """(reader, locale, kind) of a file, or None."""
    parts, name = path.parts, path.name
    if name.endswith(".mo") and "LC_MESSAGES" in parts:
        return of_catalog, parts[parts.index("LC_MESSAGES") - 1], "texts"
    if name.endswith(".xpi"):
        return of_firefox, name.removeprefix("langpack-").split("@")[0], "texts"
    if name.endswith(".dic") and not name.startswith(("hyph", "technical", "de_med", "en_med")):
        return of_dictionary, name.removesuffix(".dic"), "words"
    if name.endswith(".cwl.gz"):
        return of_compressed_words, re.split("[-._]", name)[0], "words"
    if "annotations" in parts:
        return of_annotations, name.removesuffix(".xml"), "texts"
    if name.endswith(".kvtml"):
        return of_vocabulary, parts[-2], "words"
    if name.endswith((".page", ".html")):
        locale = parts[parts.index("help") + 1] if "help" in parts else name.split(".")[-2] if name.count(".") > 1 else parts[-2]
        return of_markup, locale, "texts"
    if "man" in parts and name.endswith(".gz"):
        locale = parts[parts.index("man") + 1]
        return of_manual, "en" if re.fullmatch(r"man\d", locale) else locale, "texts"
    return None


def raw_of_package(folder, rng):
    """The texts before cleaning, with their originals, by language and kind."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    rng.shuffle(paths)
    raw, pages = {}, {}
    for path in paths:
        if path.name == "templates":
            for locale, pair in of_templates(path):
                raw.setdefault((language_of(locale), "texts"), []).append(pair)
            continue
        found = sources_of(path)
        language = language_of(found[1]) if found else None
        if not language or len(language.split("-")[0]) != 2:
            continue
        reader, locale, kind = found
        pages[language] = pages.get(language, 0) + 1
        if pages[language] > MOST_FILES and reader in (of_markup, of_manual):
            continue
        raw.setdefault((language, kind), []).extend(reader(path))
        if reader is of_catalog and locale == "de":
            raw.setdefault(("en", kind), []).extend(originals_of_catalog(path))
    return raw


def of_package(name, folder, most):
    """The lines of words of a package, by language and kind: at most so many of each, chosen at random."""
    rng = random.Random(name)
    lines = {}
    for (language, kind), pairs in sorted(raw_of_package(folder, rng).items(), key=str):
        if language is None or len(language.split("-")[0]) != 2:
            continue
        chosen = rng.sample(pairs, min(len(pairs), most))
        cleaned = (" ".join(words_in((prose(*pair) if kind == "texts" else pair[0])[:1000])) for pair in chosen)
        lines[language, kind] = sorted(set(cleaned) - {""})
    return lines
