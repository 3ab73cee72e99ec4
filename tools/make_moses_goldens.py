#!/usr/bin/env python3
"""Writes tests/text/moses_goldens_*.cpp: what sacremoses makes of sentences made up for the purpose,
and checksums of what it makes of real text, which is not committed.

    ATTEND_DATA=../shared/data python3 tools/make_moses_goldens.py tests/text

Needs the package sacremoses (the committed files were made with the version named in their first
line). The tests themselves need no Python.
"""
import json
import os
import random
import sys
from importlib.metadata import version

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

SENTENCES = {
    "en": [
        "",
        "Hello.",
        "Mr. Smith's dog didn't bark, did it?",
        'She said: "It costs $5,300.50 - or 4,5 (about 10 %)."',
        "The Jones' house, the 1990's, rock'n'roll and the dogs' bowls.",
        "No. 5 is No. But No, Art. 7, pp. 3-4, vs. e.g. this vs. That.",
        "Wait... what?! No.. yes,,no ,, . ,a .b 1. 2, .5 ,5 5.a a.5 v1.2.3",
        "A <b>bold</b> [claim] & a pipe | in {braces}; it's 'quoted'.'",
        "He left on Jan. 3 from St. Louis. the end.",
        "well-known state-of-the-art re-run at 10:30 a.m. on www.example.org/a_b?c=d#e or me@example.org",
        "“Curly” ‘quotes’ — dashes – and… ellipses\u00a0!",
        "I 'd 've said ``so'' didn`t I?",
        "C U B S. ends here.",
    ],
    "de": [
        "Das kostet z.B. 3,50 €, d.h. ca. 5 % mehr.",
        "Er sagte: „Das ist schön“, nicht wahr? Ja, am 3. Mai um 10 Uhr.",
        "Dr. Müller geht's gut; er hat’s gesagt.",
        "Die Straße Nr. 5 (am Größenwahn-Platz) ist 1.000,5 m lang...",
        "»Ja«, sagte sie, ‚nein‘ – und ging usw. weiter.",
        "Am 31. Dezember endet es. Nach 100. geht es weiter.",
        "Ein Satz ohne Punkt, mit Komma,und ohne Leerzeichen",
        "Ist das so?Ja!Nein ;doch : immer",
    ],
    "fr": [
        "L'homme qu'il a vu, c'est-à-dire M. Dupont, n'est pas là !",
        "Aujourd'hui, il dit : « C'est l'été », n'est-ce pas ?",
        "Cela coûte 5 000,50 € ; soit 10 % de plus (env. 3 kg).",
        "L'« école » d'Été et l'œuvre d'art. fin",
        "Voir p.ex. l'art. 5, cf. éd. 3 etc. Et puis ?",
        "'Bonjour' dit-il, \"ça va\" ? Oui... non… peut-être!",
    ],
}
PIECES = (
    "Mr No Art 5 3,5 10 1990 don t s l ' ' ' '' \" \" , , . . .. ... ! ? : ; ( ) [ ] - -- – — „ “ ” « » % $ € & | < > @-@ @ ` `` ´ ‘ ’ … e.g z.B p.ex "
    "Größe été Ça A a B z nº ºC cm ß É Ω Ж ж / \\ { } ¿ ¡ &amp; &apos; &quot; &#91; Jones pp Jan usw art"
).split(" ") + ["\u00a0", " ", " "]
REAL = [
    ("multi30k/train.en", "en", 5000),
    ("multi30k/train.de", "de", 5000),
    ("multi30k/train.fr", "fr", 5000),
    ("newstest/newstest2013.en", "en", 3000),
    ("newstest/newstest2013.de", "de", 3000),
    ("europarl-sample/europarl20k.en", "en", 3000),
    ("europarl-sample/europarl20k.de", "de", 3000),
]


class Moses:
    def __init__(self, language):
        self.tokenizer = MosesTokenizer(language)
        self.detokenizer = MosesDetokenizer(language)
        self.normalize = MosesPunctNormalizer(language).normalize

    def tokenize(self, text):
        return " ".join(self.tokenizer.tokenize(text))

    def detokenize(self, tokens):
        return self.detokenizer.detokenize(tokens.split())


def made_up(rng):
    return "".join(rng.choice(PIECES) + (" " if rng.random() < 0.4 else "") for _ in range(rng.randint(1, 14)))


def checksum(lines):
    """FNV-1a of the lines, each with its end."""
    value = 0xCBF29CE484222325
    for byte in "".join(line + "\n" for line in lines).encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def literal(text):
    return json.dumps(text, ensure_ascii=False)


def write(folder, name, declaration, rows):
    with open(os.path.join(folder, f"moses_goldens_{name}.cpp"), "w", encoding="utf-8") as file:
        print(
            f"// Made by tools/make_moses_goldens.py with sacremoses {version('sacremoses')}; do not edit.",
            "// clang-format off",
            '#include "text/moses_goldens.h"',
            "\nnamespace goldens {\n",
            f"const std::vector<{declaration} = {{",
            *(f"    {{{row}}}," for row in rows),
            "};\n\n}  // namespace goldens",
            sep="\n",
            file=file,
        )


def made_up_rows(language, tools, rng):
    for text in SENTENCES[language] + [made_up(rng) for _ in range(150)]:
        # The detokenizer gets what the tokenizer made, and what nobody made.
        tokens = tools.tokenize(text)
        row = (language, text, tools.normalize(text), tokens, tools.detokenize(tokens), tools.detokenize(text))
        yield ", ".join(map(literal, row))


def real_rows(moses):
    for name, language, count in REAL:
        tools = moses[language]
        with open(os.path.join(os.environ["ATTEND_DATA"], name), encoding="utf-8", newline="\n") as file:
            lines = file.read().replace("\r", "").split("\n")[:count]
        tokens = [tools.tokenize(line) for line in lines]
        sums = (checksum(map(tools.normalize, lines)), checksum(tokens), checksum(map(tools.detokenize, tokens)))
        yield f"{literal(name)}, {literal(language)}, {count}, " + ", ".join(f"{value:#018x}u" for value in sums)


def main(folder):
    rng = random.Random(20)
    moses = {language: Moses(language) for language in SENTENCES}
    for language, name in (("en", "English"), ("de", "German"), ("fr", "French")):
        write(folder, name.lower(), f"Moses> kMoses{name}", made_up_rows(language, moses[language], rng))
    write(folder, "real", "RealMoses> kRealMoses", real_rows(moses))


main(sys.argv[1])
