#!/usr/bin/env python3
"""Writes tests/metrics/goldens.cpp: what sacreBLEU says about texts made up for the purpose.

    python3 tools/make_metric_goldens.py > tests/metrics/goldens.cpp

Needs the package sacrebleu (the committed file was made with the version named in its first line). The tests themselves need no Python.
"""
import random
from collections import Counter
from math import exp, log

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

LINES = [
    "",
    "   ",
    "Hello",
    "Hello, world!",
    "Die Straße ist 3,5 km lang – größer als 1,000.5 m.",
    'Er sagte: "Das ist "schön"", nicht wahr?',
    "He said &quot;yes &amp; no&quot; &lt;b&gt; &amp;lt; &#39;x&#39; & done",
    "It's a well-known state-of-the-art 5-year-old's re-run, 1990-95, -5 and 7-.",
    "Costs: $5.00, €1.234,56, £3,-, 50%, #1, C++ & C#, a_b, x^2, ~10, {a|b}, [c], `d`, a/b @home",
    "Wait... what?! No.. yes,,no ,, . ,a .b 1. 2, .5 ,5 5.a a.5 v1.2.3.",
    "„Ja“, sagte sie; ‚nein‘ – «oui» ‹non› “yes” ‘no’ … ¡Hola! ¿Qué?",
    "我喜歡吃蘋果。你呢?价格:１２３.４元,好!",
    "東京は日本の首都です。「はい」、そうです〜",
    "Привет, мир! Это 3-й тест (№5).",
    "مرحبا، كيف حالك؟ ٣٫١٤",
    "สวัสดีชาวโลก ๑๒๓",
    "Good 👍🏽 morning ☕ 👨‍👩‍👧 🇩🇪 → ok ✓ 5×3=15 ½ ² ± 20 °C",
    "no\u00a0break\u2009thin\u3000wide\u2028line\u0085next\u001cfs\ttab  two",
    "zero\u200bwidth \ufeffbom e\u0301 combining ﬁ ligature",
    "<skipped> text <skipped>, hyphen-\nated line\nbreak end-\n",
    "ΟΔΥΣΣΕΥΣ ΚΑΙ Ο ΣΙΣΥΦΟΣ. ΑΣ' Α.Σ. ΣΑΣ",
    "İSTANBUL IĞDIR DŽ ǅ ẞ ŒUVRE ÀÉÎÕÜ ΑΣ\u0301Β ΑΣ\u00ad ⅧΣ ⓐΣ ªΣ \U00010400",
    "ends with space \u00a0 ",
    "a.b,c d.,e f,.g 1.,2 3,.4 ..5 6..",
    "A 1-2-3 4--5 x-1 1- -1 １-２ 1–2 1—2 ۱-۲",
]

# Translations of a few sentences by two made-up systems, with two references.
REFERENCE_1 = [
    "A man in an orange hat is staring at something.",
    "Two young, white males are outside near many bushes.",
    "Der Hund läuft über die grüne Wiese, während die Kinder spielen.",
    "The company's revenue rose by 3.5% to $1,000.5 million in 2019-20.",
    '"I don\'t know," she said – "ask him & his wife".',
    "今日は天気がいいです。",
    "Straßenbahnen fahren hier nur bis 23:30 Uhr (außer sonntags).",
    "Yes.",
    "Good morning 👍 everyone!",
    "He lives in a house by the sea.",
    "ein Mann",
    "",
]
REFERENCE_2 = [
    "A man wearing an orange hat stares at something.",
    "Two young white men are outdoors, close to a lot of bushes.",
    "Während die Kinder spielen, rennt der Hund über die grüne Wiese.",
    "Revenues of the company were up 3.5 % to $1,000.5 million in 2019–20.",
    "“I do not know”, she said, “ask him and his wife.”",
    "今日はいい天気ですね。",
    "Trams run here until 23:30 only (except on Sundays).",
    "Yes, indeed!",
    "Good morning to everyone! 👍",
    "His house is by the sea.",
    "Ein Mann steht da",
    "Something.",
]
SYSTEM_A = [
    "A man in an orange hat is looking at something.",
    "Two young white males are outside near many bushes.",
    "Der Hund rennt über die grüne Wiese, während die Kinder spielen.",
    "The company's revenue rose 3.5% to $1,000.5 million in 2019-20.",
    "&quot;I don't know,&quot; she said - &quot;ask him &amp; his wife&quot;.",
    "今日は天気がよいです。",
    "Straßenbahnen fahren hier nur bis 23.30 Uhr (AUSSER SONNTAGS).",
    "yes",
    "good morning 👍🏽 everyone !",
    "",
    "EIN MANN",
    "Extra words here",
]
SYSTEM_B = [
    "A man with a hat.",
    "Two boys stand by bushes",
    "Ein Hund auf der Wiese, die Kinder spielen auch hier und da.",
    "Revenue rose 3,5 % to 1000.5 million dollars.",
    "she said: ask his wife",
    "天気",
    "Die Straßenbahn fährt bis 23:30 Uhr",
    "No.",
    "morning",
    "He lives in the house on the sea coast near the harbour of the town.",
    "Mann",
    "",
]
NOTHING_IN_COMMON = ["x y z"] * 12
EMPTY = [""] * 12
SHORT = ["ein Mann"] * 12
CORPORA = {"A": SYSTEM_A, "B": SYSTEM_B, "none": NOTHING_IN_COMMON, "empty": EMPTY, "short": SHORT}


def text(value):
    """A C++ string literal in UTF-8; control characters and what follows an escape are kept apart."""
    out = '"'
    for c in value:
        if c in '"\\?':
            out += "\\" + c
        elif ord(c) < 0x20 or 0x7F <= ord(c) < 0xA1 or c in "\u200b\u2028\u2009\u3000\ufeff\u00ad":
            out += "".join(f"\\{b:03o}" for b in c.encode())
        else:
            out += c
    return out + '"'


def texts(values):
    return "{" + ", ".join(text(v) for v in values) + "}"


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def integers(values):
    return "{" + ", ".join(str(int(v)) for v in values) + "}"


def table(kind, name, rows):
    print(f"const std::vector<{kind}> {name} = {{")
    for row in rows:
        print("    {" + ", ".join(row) + "},")
    print("};\n")


def tokens():
    for name in ("13a", "none", "intl", "char"):
        tokenizer = BLEU(tokenize=name, force=True).tokenizer
        for line in LINES:
            # n-grams are taken over the words between white space
            yield text(name), text(line), text(" ".join(tokenizer(line.rstrip()).split()))


def bleu_rows():
    plain = dict(tokenize="13a", lowercase=False, smooth_method="exp", smooth_value=None, max_ngram_order=4, effective_order=False)
    variants = [{}, dict(lowercase=True), dict(tokenize="none"), dict(tokenize="none", lowercase=True), dict(tokenize="intl"),
                dict(tokenize="intl", lowercase=True), dict(tokenize="char"), dict(tokenize="char", lowercase=True),
                dict(smooth_method="floor"), dict(smooth_method="floor", smooth_value=0.25), dict(smooth_method="add-k"),
                dict(smooth_method="add-k", smooth_value=0.5), dict(smooth_method="none"), dict(effective_order=True),
                dict(max_ngram_order=2), dict(max_ngram_order=6, effective_order=True), dict(max_ngram_order=6)]
    for corpus, hypotheses in CORPORA.items():
        whole = corpus in "AB"  # of the degenerate ones only what they are about: smoothing and orders
        for references in ([REFERENCE_1], [REFERENCE_1, REFERENCE_2]) if whole else ([REFERENCE_1],):
            for variant in variants if whole else [{}, *variants[8:]]:
                o = {**plain, **variant}
                metric = BLEU(**o, force=True)
                s = metric.corpus_score(hypotheses, references)
                signature = str(metric.get_signature()).replace(f"version:{sacrebleu.__version__}", "version:attend-0.2.0")
                value = -1 if o["smooth_value"] is None else o["smooth_value"]
                line = s.format(width=2, signature=signature)
                yield (text(corpus), str(len(references)), text(o["tokenize"]), str(o["lowercase"]).lower(), text(o["smooth_method"]),
                       repr(float(value)), str(o["max_ngram_order"]), str(o["effective_order"]).lower(), repr(s.score),
                       numbers(s.precisions), repr(float(s.bp)), str(s.sys_len), str(s.ref_len), text(line))


def sentence_rows():
    for hypothesis, one, two in zip(SYSTEM_A + SYSTEM_B, REFERENCE_1 * 2, REFERENCE_2 * 2):
        for references in ([one], [one, two]):
            bleu = sacrebleu.sentence_bleu(hypothesis, references).score
            chrf = sacrebleu.sentence_chrf(hypothesis, references).score
            plus = sacrebleu.sentence_chrf(hypothesis, references, word_order=2).score
            yield text(hypothesis), texts(references), repr(bleu), repr(chrf), repr(plus)


def chrf_rows():
    variants = [{}, dict(word_order=2), dict(lowercase=True), dict(word_order=2, lowercase=True), dict(beta=1), dict(char_order=3, beta=3),
                dict(char_order=4, word_order=1)]
    for corpus, hypotheses in CORPORA.items():
        for references in ([REFERENCE_1], [REFERENCE_1, REFERENCE_2]):
            for variant in variants:
                o = {**dict(char_order=6, word_order=0, beta=2, lowercase=False), **variant}
                metric = CHRF(**o)
                s = metric.corpus_score(hypotheses, references)
                signature = str(metric.get_signature()).replace(f"version:{sacrebleu.__version__}", "version:attend-0.2.0")
                yield (text(corpus), str(len(references)), str(o["char_order"]), str(o["word_order"]), str(o["beta"]),
                       str(o["lowercase"]).lower(), repr(s.score), text(s.name), text(signature))


def ter_rows():
    names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    for corpus, hypotheses in {**CORPORA, "lines": LINES}.items():
        references = [REFERENCE_1, REFERENCE_2] if corpus != "lines" else [LINES[7:] + LINES[:7]]
        for count in range(1, len(references) + 1):
            for bits in range(16) if corpus in ("A", "lines") else (0, 1, 15):
                options = {name: bool(bits >> i & 1) for i, name in enumerate(names)}
                metric = TER(**options)
                score = metric.corpus_score(hypotheses, references[:count]).score
                signature = str(metric.get_signature()).replace(f"version:{sacrebleu.__version__}", "version:attend-0.2.0")
                yield (text(corpus), str(count), *(str(one).lower() for one in options.values()), repr(float(score)), text(signature))


def moved_words():
    """Long lines, and the same with words in other places, left out, put in and replaced."""
    draw = random.Random(11)
    words = "der die das ein Haus Hund Katze sieht läuft und im Garten , .".split()
    lines = [" ".join(draw.choice(words) for _ in range(draw.choice((1, 5, 20, 60, 150)))) for _ in range(24)]
    changed = []
    for line in lines:
        own = line.split()
        for _ in range(draw.randint(0, 8)):
            at, length = draw.randrange(len(own)), draw.randint(1, 12)
            part, own = own[at : at + length], own[:at] + own[at + length :]
            to = draw.randint(0, len(own))
            own = own[:to] + draw.choice((part, part, [], [draw.choice(words)])) + own[to:]
            own = own or ["und"]
        changed.append(" ".join(own))
    return lines, changed


def multi_bleu(hypotheses, references):
    """The BLEU of Papineni et al. over words between spaces, lower-cased, without smoothing: what papers call tokenised BLEU."""
    matches, totals, length, closest = Counter(), Counter(), 0, 0
    for hypothesis, *each in zip(hypotheses, *references):
        words = hypothesis.lower().split()
        each = [r.lower().split() for r in each]
        length += len(words)
        closest += min((abs(len(r) - len(words)), len(r)) for r in each)[1]
        for n in range(1, 5):
            grams = lambda w: Counter(tuple(w[i : i + n]) for i in range(len(w) - n + 1))
            clip = Counter()
            for r in each:
                clip |= grams(r)
            matches[n] += (grams(words) & clip).total()
            totals[n] += max(0, len(words) - n + 1)
    brevity = min(1, exp(1 - closest / length))
    return 100 * brevity * exp(sum(log(matches[n] / totals[n]) for n in range(1, 5)) / 4)


def made_up_systems():
    """A reference and systems that get words wrong more and more often."""
    draw = random.Random(7)
    words = "der die das ein Haus Hund Katze sieht läuft schnell und im Garten , . alte neue über".split()
    reference = [" ".join(draw.choice(words) for _ in range(draw.randint(4, 12))) for _ in range(120)]
    def worse(rate):
        return [" ".join(w if draw.random() > rate else draw.choice(words) for w in line.split()) for line in reference]
    return reference, [worse(0.20), worse(0.21), worse(0.40), worse(0.25), worse(0.24)]


def bootstrap_rows(reference, systems):
    for baseline, system in ((0, 1), (0, 2), (2, 1), (0, 3), (0, 4), (3, 4)):
        for name, metric in (("BLEU", BLEU()), ("chrF", CHRF())):
            named = [("baseline", systems[baseline]), ("system", systems[system])]
            test = PairedTest(named, {name: metric}, references=[reference], test_type="bs", n_samples=1000)
            _, results = test()
            first, second = next(iter(r for key, r in results.items() if key.startswith(name)))
            yield (str(baseline), str(system), text(name), repr(float(first.score)), repr(float(first.mean)), repr(float(first.ci)),
                   repr(float(second.score)), repr(float(second.mean)), repr(float(second.ci)), repr(float(second.p_value)))


def randomization_rows(reference, systems):
    for baseline, system in ((0, 1), (0, 2), (2, 1), (0, 3), (0, 4), (3, 4)):
        for name, metric in (("BLEU", BLEU()), ("chrF", CHRF())):
            named = [("baseline", systems[baseline]), ("system", systems[system])]
            _, results = PairedTest(named, {name: metric}, references=[reference], test_type="ar")()
            _, second = next(iter(r for key, r in results.items() if key.startswith(name)))
            yield str(baseline), str(system), text(name), repr(float(second.p_value))


def main():
    print(f"// Made by tools/make_metric_goldens.py with sacrebleu {sacrebleu.__version__}; do not edit.")
    print("// clang-format off")
    print('#include "metrics/goldens.h"\n')
    print("namespace goldens {\n")
    print("const std::map<std::string, std::vector<std::string>> kCorpora = {")
    for name, lines in {**CORPORA, "lines": LINES}.items():
        print(f"    {{{text(name)}, {texts(lines)}}},")
    print("};\n")
    print(f"const std::vector<std::vector<std::string>> kReferences = {{\n    {texts(REFERENCE_1)},\n    {texts(REFERENCE_2)},\n}};\n")
    table("Tokens", "kTokens", tokens())
    table("Lower", "kLower", ((text(line), text(line.lower())) for line in LINES))
    table("Bleu", "kBleu", bleu_rows())
    table("Sentence", "kSentences", sentence_rows())
    table("Chrf", "kChrf", chrf_rows())
    table("Ter", "kTer", ter_rows())
    lines, changed = moved_words()
    print(f"const std::vector<std::string> kManyWords = {texts(lines)};\n")
    print(f"const std::vector<std::string> kMovedWords = {texts(changed)};\n")
    print(f"const double kMovedTer = {TER().corpus_score(changed, [lines]).score!r};\n")
    print(f"const double kMultiBleu[2] = {{{multi_bleu(SYSTEM_A, [REFERENCE_1])!r}, {multi_bleu(SYSTEM_A, [REFERENCE_1, REFERENCE_2])!r}}};\n")
    reference, systems = made_up_systems()
    print(f"const std::vector<std::string> kMadeUpReference = {texts(reference)};\n")
    print("const std::vector<std::vector<std::string>> kMadeUpSystems = {")
    for system in systems:
        print(f"    {texts(system)},")
    print("};\n")
    table("Bootstrap", "kBootstrap", bootstrap_rows(reference, systems))
    table("Randomization", "kRandomization", randomization_rows(reference, systems))
    print("}  // namespace goldens")


if __name__ == "__main__":
    main()
