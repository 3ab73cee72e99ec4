#!/usr/bin/env python3
"""Measures what a glossary gives, with the terms of a dictionary of FreeDict in the format of dictd.

    tools/check_glossary.py ATTEND MODEL DICTIONARY SOURCE TARGET [--forms SOURCE TARGET] [--pairs N]

DICTIONARY is the path without ".index": the packages dict-freedict-* of Debian have such files. SOURCE and TARGET are sentences, line
by line. A term of a sentence is a noun of which the dictionary has several translations, one of which the reference uses and the model
does not. Each sentence is translated with its own terms, and the script prints how many of them are in the translations, and BLEU
(sacrebleu), beside the same without a glossary.

With --forms, terms are those words of sentences that are inflected: the glossary has the word and the translation as the dictionary lists
them, first alone, then with the forms that `attend glossary` finds in these files, line by line translations of one another. Needs sacrebleu.
"""
import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile
import urllib.request

import sacrebleu

DIGITS = {c: i for i, c in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def number(text):
    value = 0
    for c in text:
        value = value * 64 + DIGITS[c]
    return value


def dictionary(path):
    """Nouns and their translations, both of one word."""
    text = gzip.open(path + ".dict.dz").read()
    entries = collections.defaultdict(list)
    for line in open(path + ".index", encoding="utf-8"):
        word, begin, size = line.rstrip("\n").split("\t")[:3]
        if word.startswith("00") or not WORD.fullmatch(word):
            continue
        head, *senses = text[number(begin) : number(begin) + number(size)].decode("utf-8").split("\n")
        word = re.sub(r" *[/<\[(].*", "", head)
        for sense in senses:
            if re.match(r"\s*(see|Synonyms?|Note|Antonyms?|\")", sense) or not re.search(r"<[^>]*\b(n|masc|fem|neut)\b", head + sense):
                continue
            for one in re.split("[,;]", re.sub(r"<[^>]*>|\[[^]]*\]|\([^)]*\)|^\s*\d+\.|\bto\b", "", sense)):
                one = one.strip()
                if WORD.fullmatch(one) and WORD.fullmatch(word) and one not in entries[word]:
                    entries[word].append(one)
    return entries


def words(text):
    return WORD.findall(text)


def has(text, forms):
    found = {word.lower() for word in words(text)}
    return any(form.lower() in found for form in forms)


def begins(text, forms):
    found = {word.lower() for word in words(text)}
    return any(word.startswith(form.lower()) for form in forms for word in found)


def learned(attend, terms, texts):
    """Lines of a glossary as `attend glossary` writes them, for each term and its translation."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = (os.path.join(folder, name) for name in ("terms.tsv", "forms.tsv"))
        pathlib.Path(before).write_text("".join(f"{term}\t{one}\n" for term, one in terms), encoding="utf-8")
        subprocess.run([attend, "glossary", before, "--src", texts[0], "--tgt", texts[1], "--out", after], check=True)
        return dict(zip(terms, pathlib.Path(after).read_text(encoding="utf-8").splitlines()))


class Server:
    def __init__(self, attend, model):
        self.process = subprocess.Popen(
            [attend, "serve", f"{model},src=a,tgt=b", "--listen", "127.0.0.1:0", "--no-access-log"], stderr=subprocess.PIPE, text=True
        )
        for line in self.process.stderr:
            if "listening on" in line:
                self.url = line.split()[-1]
                break

    def translate(self, sentences, glossaries):
        def translated(sentence, terms):
            body = {"q": sentence, "source": "a", "target": "b", "protect": "none", "glossary": terms}
            request = urllib.request.Request(self.url + "/translate", json.dumps(body).encode(), {"Content-Type": "application/json"})
            return json.load(urllib.request.urlopen(request))["translatedText"]

        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            return list(threads.map(translated, sentences, glossaries))


def report(name, translations, references, wanted):
    right = sum(has(text, forms) for text, terms in zip(translations, wanted) for forms in terms)
    longer = sum(begins(text, forms) for text, terms in zip(translations, wanted) for forms in terms)
    count = sum(map(len, wanted))
    bleu = sacrebleu.corpus_bleu(translations, [references])
    print(f"{name}: {right} of {count} terms ({100 * right / count:.1f}%), with longer words {longer}, BLEU {bleu.score:.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in "attend", "model", "dictionary", "source", "target":
        parser.add_argument(name)
    parser.add_argument("--forms", nargs=2)
    parser.add_argument("--pairs", type=int)
    options = parser.parse_args()
    entries = dictionary(options.dictionary)
    sources, references = ([line.rstrip("\n") for line in open(path, encoding="utf-8")][: options.pairs] for path in (options.source, options.target))
    server = Server(options.attend, options.model)
    baseline = server.translate(sources, [[] for _ in sources])
    print(f"{len(entries)} words; all {len(sources)} sentences: BLEU {sacrebleu.corpus_bleu(baseline, [references]).score:.1f}", flush=True)
    chosen = []
    for source, reference, own in zip(sources, references, baseline):
        terms = {}
        used = words(reference)
        for word in words(source):
            if not options.forms:
                translations = entries.get(word) or entries.get(word.lower()) or []
                new = [one for one in translations if one in used and not has(own, [one])]
                if len(translations) > 1 and new:
                    terms[word] = (word, new[0], [new[0]])
                continue
            # An inflected word that the dictionary lacks or only refers from, and what its base may mean.
            for base in () if word in entries else (word[:-1], word[:-2]):
                for one in entries.get(base, []):
                    forms = [form for form in used if len(one) > 3 and form.lower().startswith(one.lower()[:-1]) and len(form) - len(one) <= 2]
                    if forms and not has(own, [one, *forms]) and word not in terms:
                        terms[word] = (base, one, list(dict.fromkeys([one, *forms])))
        if terms:
            chosen.append((source, reference, own, list(terms.values())))
    sources, references, own, terms = ([one[i] for one in chosen] for i in range(4))
    wanted = [[forms for _, _, forms in some] for some in terms]
    print(f"{len(chosen)} sentences with terms, such as " + "; ".join("%s: %s" % some[0][:2] for some in terms[:: max(1, len(terms) // 8)]))
    report("without a glossary", own, references, wanted)
    report("with the terms", server.translate(sources, [[f"{term}\t{one}" for term, one, _ in some] for some in terms]), references, wanted)
    if options.forms:
        lines = learned(options.attend, list(dict.fromkeys((term, one) for some in terms for term, one, _ in some)), options.forms)
        glossaries = [[lines[term, one] for term, one, _ in some] for some in terms]
        print("such as", glossaries[0], glossaries[len(glossaries) // 2])
        report("with learned forms", server.translate(sources, glossaries), references, wanted)
    server.process.terminate()


main()
