"""The texts of a part of the packages by language, one file for each language and kind, made once."""

import multiprocessing
import random

from . import packages, texts

MOST = {"texts": 60000, "words": 30000}


def most_of(name):
    """Of one package: those of one language have more."""
    if name.startswith(("firefox", "libreoffice-l10n", "manpages")):
        return 8000
    if name.startswith(("hunspell", "aspell", "myspell")):
        return 20000
    return 3000 if name.startswith(("libreoffice-help", "unicode-cldr", "iso-codes")) else 1200


def read_package(argument):
    name, folder = argument
    return texts.of_package(name, folder, most_of(name))


def without_english(lines, language, frequent, english):
    """Translations that were not translated, and sentences in English words."""
    if language == "en":
        return lines
    kept = []
    for line in lines:
        words = line.split()
        if line in english and len(words) > 1:
            continue
        if len(words) >= 3 and sum(word in frequent for word in words) > 0.7 * len(words):
            continue
        kept.append(line)
    return kept


def make(part, folder):
    """Writes folder/texts/PART/LANGUAGE.KIND.txt unless it is there. Returns that folder."""
    out = folder / "texts" / part
    if out.exists():
        return out
    lines = {}
    with multiprocessing.Pool(2) as pool:
        for found in pool.imap_unordered(read_package, sorted(packages.fetch(part, folder).items())):
            for key, some in found.items():
                lines.setdefault(key, set()).update(some)
    english = lines.get(("en", "texts"), set())
    counts = {}
    for line in english:
        for word in line.split():
            counts[word] = counts.get(word, 0) + 1
    frequent = set(sorted((word for word in counts if word.isascii()), key=lambda word: -counts[word])[:3000])
    out.mkdir(parents=True)
    for (language, kind), some in sorted(lines.items()):
        chosen = without_english(sorted(some), language, frequent, english)
        random.Random(language).shuffle(chosen)
        (out / f"{language}.{kind}.txt").write_text("".join(line + "\n" for line in chosen[:MOST[kind]]), "utf-8")
    return out
