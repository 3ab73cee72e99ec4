#!/usr/bin/env python3
"""Does attend find the sentences of texts whose sentences are known, and do splitters of PyPI?

    python check_sentences.py PROGRAM LANGUAGE FILE...     of one language
    python check_sentences.py --show 20 PROGRAM LANGUAGE FILE...   with so many of our faults

PROGRAM is bench/compare/split_sentences.cpp (target compare_split_sentences), LANGUAGE a code such as de. A FILE of Universal Dependencies
(.conllu) has its sentences in lines "# text =", any other has one in each line; blank lines, "# newdoc" and "# newpar" end a document. The
sentences of a document, at most 40, are joined with spaces (Chinese and Japanese: without), and cut again. Prints F1 in percent of the ends
of sentences within documents, for attend and for sentencex and pysbd where these are installed; without both the exit status is 77. Also
fails when attend loses a character.

Data and its split: tune on the files named dev, and report those named test.
"""

import argparse
import pathlib
import subprocess
import sys
import warnings

MOST_SENTENCES = 40
WITHOUT_SPACES = ("zh", "ja")


def documents_of(path):
    documents = [[]]
    for line in path.read_text().splitlines():
        if path.suffix == ".conllu":
            ends, is_sentence, text = line.startswith(("# newdoc", "# newpar")), line.startswith("# text ="), line[8:]
        else:
            ends, is_sentence, text = not line.strip(), True, line
        if ends:
            documents.append([])
        elif is_sentence and text.strip():
            documents[-1].append(" ".join(text.split()))
    if sum(map(bool, documents)) * 2 > sum(map(len, documents)):  # sentences that are no documents
        documents = [[sentence for document in documents for sentence in document]]
    return [document[begin:begin + MOST_SENTENCES] for document in documents for begin in range(0, len(document), MOST_SENTENCES)]


def visible(text):
    return "".join(c for c in text if not c.isspace() and c not in "\u200b\ufeff")


def ends_of(sentences):
    """The ends of sentences in characters that are visible: splitters differ in the spaces that they keep."""
    ends, end = set(), 0
    for sentence in sentences:
        end += len(visible(sentence))
        ends.add(end)
    return ends


def f1(expected, found):
    right = len(expected & found)
    return 200 * right / max(1, len(expected) + len(found))


def splitters(program, language):
    def attend(texts):
        run = subprocess.run([program, language], input="\n".join(texts).encode(), capture_output=True, check=True)
        return run.stdout.decode().split("\n")

    found = {"attend": attend}
    try:
        import sentencex
        found["sentencex"] = lambda texts: [one for text in texts for one in sentencex.segment(language, text)]
    except ImportError:
        pass
    try:
        import pysbd
        if language in pysbd.languages.LANGUAGE_CODES:
            segmenter = pysbd.Segmenter(language=language, clean=False)
            found["pysbd"] = lambda texts: [one for text in texts for one in segmenter.segment(text)]
    except ImportError:
        pass
    return found


def show(text, expected, found, most):
    places = [index for index, c in enumerate(text) if visible(c)]
    for name, ends in (("too much", found - expected), ("missing", expected - found)):
        for end in sorted(ends)[:most]:
            at = places[end - 1] + 1
            print(f"    {name}: {text[max(0, at - 40):at]}|{text[at:at + 30]}".replace("\n", " / "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("program")
    parser.add_argument("language")
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    documents = [document for file in options.files for document in documents_of(file)]
    texts = [("" if options.language in WITHOUT_SPACES else " ").join(document) for document in documents]
    whole = "\n".join(texts)
    borders = ends_of(texts)
    expected = ends_of(sentence for document in documents for sentence in document) - borders

    tools = splitters(options.program, options.language)
    if len(tools) == 1:
        print("check_sentences: skipped: neither sentencex nor pysbd is installed")
        sys.exit(77)
    results = []
    for name, split in tools.items():
        sentences = split(texts)
        found = ends_of(sentences) - borders - {0}
        results.append(f"{name} {f1(expected, found):.1f}")
        if name == "attend":
            if visible("".join(sentences)) != visible(whole):
                sys.exit("check_sentences: attend has lost text")
            ours = found
    print(f"{options.language}: {len(expected)} ends: {', '.join(results)}")
    show(whole, expected, ours, options.show)


if __name__ == "__main__":
    main()
