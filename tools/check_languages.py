#!/usr/bin/env python3
"""Measures how often the language of a short text is guessed wrong: attend, CLD2, lingua and langdetect on the same texts.

    python check_languages.py FOLDER [TATOEBA]

The texts are one, three and ten words long and come from packages that nothing was trained on: manuals (manual pages, the
installation guide and questions of Debian), messages of programs, and names of languages and places (iso-codes). FOLDER keeps the packages, as that of
train_language_model.py. TATOEBA is a folder with train.en and train.de of sentence pairs. Both scripts of Chinese count as one. Fails if attend errs more often than CLD2. Needs apt-get, NumPy, pycld2, lingua-language-detector and
langdetect.
"""

import pathlib
import random
import sys
import time

import langdetect
import lingua
import numpy as np
import pycld2
from languages import corpus, texts
from languages.model import Model
from languages.spans import lines_of, span

LENGTHS = 1, 3, 10
PARTS = "manuals", "messages", "names"
EACH = 25
LEAST_LINES = 60
MODEL = pathlib.Path(__file__).resolve().parents[1] / "src/attend/text/language/model/languages.bin"
SAME = {"no": "nb", "iw": "he", "zh-hant": "zh", "zh-hans": "zh", "zh-cn": "zh", "zh-tw": "zh", "fil": "tl", "jw": "jv"}


def name_of(code):
    code = code.lower()
    return SAME.get(code, code)


class Attend:
    name = "attend"

    def __init__(self):
        self.model = Model.read(MODEL)
        self.languages = {name_of(code) for code in self.model.languages[:-1]}

    def guess(self, drawn):
        return [name_of(self.model.languages[best]) for best in self.model.logits(drawn)[:, :-1].argmax(1)]


class Cld2:
    name = "CLD2"

    def __init__(self):
        codes = dict(pycld2.LANGUAGES)
        self.languages = {name_of(codes[name]) for name in pycld2.DETECTED_LANGUAGES if name in codes}

    def guess(self, drawn):
        return [name_of(pycld2.detect(text, isPlainText=True, bestEffort=True)[2][0][1]) for text in drawn]


class Lingua:
    name = "lingua"

    def __init__(self):
        self.detector = lingua.LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
        self.languages = {name_of(language.iso_code_639_1.name) for language in lingua.Language.all()}

    def guess(self, drawn):
        found = [self.detector.detect_language_of(text) for text in drawn]
        return [name_of(language.iso_code_639_1.name) if language else "" for language in found]


class Langdetect:
    name = "langdetect"

    def __init__(self):
        langdetect.DetectorFactory.seed = 0
        langdetect.detector_factory.init_factory()
        self.languages = {name_of(code) for code in langdetect.detector_factory._factory.get_lang_list()}

    def guess(self, drawn):
        return [self.guess_one(text) for text in drawn]

    @staticmethod
    def guess_one(text):
        try:
            return name_of(langdetect.detect(text))
        except langdetect.lang_detect_exception.LangDetectException:
            return ""


def draw(folder, part, language, count, english):
    """Of lines that do not occur in training, and texts that are not English, too: names of programs."""
    seen = set(lines_of(folder / "texts" / "training", language))
    lines = [line for line in lines_of(folder / "texts" / part, language) if " " not in line or line not in seen]
    if len(lines) < LEAST_LINES:
        return []
    rng = random.Random(f"{part} {language} {count}")
    drawn = []
    for _ in range(10 * EACH):
        text = span(lines, rng, count, language)
        if text and (language == "en" or not all(word in english for word in text.split())):
            drawn.append(text)
        if len(drawn) == EACH:
            break
    return drawn


def tatoeba(folder, count):
    drawn = []
    for language in ("de", "en"):
        rng = random.Random(f"{language} {count}")
        lines = [" ".join(texts.words_in(line)) for line in (folder / f"train.{language}").read_text("utf-8").splitlines()]
        drawn.append((language, [span(lines, rng, count, language) for _ in range(10 * EACH)]))
    return drawn


def all_texts(folder, part, languages):
    english = {word for line in lines_of(folder / "texts" / part, "en") for word in line.split()}
    for count in LENGTHS:
        yield count, [(name_of(language), drawn) for language in languages if (drawn := draw(folder, part, language, count, english))]


def measure(tools, title, sets):
    """Prints the errors, averaged over the languages that a tool of ours knows, and over those that all know."""
    common = set.intersection(*(tool.languages for tool in tools))
    rows = {tool.name: [] for tool in tools}
    wrong = {}
    for count, drawn in sets:
        for tool in tools:
            began = time.time()
            by_language = {}
            for language, some in drawn:
                errors = by_language.setdefault(language, [])
                errors += [guess != language for guess in tool.guess(some)]
            wrong[tool.name, count] = by_language
            number = sum(len(errors) for errors in by_language.values())
            for part in (set(by_language), common):
                rates = [np.mean(errors) for language, errors in by_language.items() if language in part]
                rows[tool.name].append(f"{100 * np.mean(rates):5.1f}" if rates else "    -")
            rows[tool.name].append(f"({1e6 * (time.time() - began) / number:.0f} us)")
    languages = set(wrong[tools[0].name, LENGTHS[0]])
    print(f"{title}: % wrong with 1, 3 and 10 words; of {len(languages)} languages and of {len(languages & common)} that all know")
    for name, row in rows.items():
        print(f"  {name:12}", *row)
    return wrong


def worst(wrong, count):
    ours = sorted(((np.mean(errors), language) for language, errors in wrong["attend", count].items()), reverse=True)[:15]
    print(f"  most errors of attend with {count} words:", ", ".join(f"{language} {100 * rate:.0f}" for rate, language in ours))


def main():
    folder = pathlib.Path(sys.argv[1])
    for part in ("training", *PARTS):
        corpus.make(part, folder)
    tools = [Attend(), Cld2(), Lingua(), Langdetect()]
    print("languages:", ", ".join(f"{tool.name} {len(tool.languages)}" for tool in tools))
    languages = tools[0].model.languages[:-1]
    fails = False
    for part in PARTS:
        wrong = measure(tools, part, all_texts(folder, part, languages))
        for count in LENGTHS:
            worst(wrong, count)
        fails = fails or any(np.mean([np.mean(errors) for errors in wrong["attend", count].values()]) >
                             np.mean([np.mean(errors) for errors in wrong["CLD2", count].values()]) for count in LENGTHS)
    if len(sys.argv) > 2:
        measure(tools, "Tatoeba", ((count, tatoeba(pathlib.Path(sys.argv[2]), count)) for count in LENGTHS))
    sys.exit(fails)


if __name__ == "__main__":
    main()
