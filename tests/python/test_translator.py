"""Translators: the values of the command line, the options, the errors."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import attend
import pytest
from conftest import COMET, ENGLISH, KIWI, Models
from conftest import attend as program

SENTENCES = [*ENGLISH, "", "a fish sees the old cat", "the the the dog"]


def of_program(models: Models, *options: object) -> list[dict]:
    lines = program(
        "translate", models.translator, "--format", "json", *options, text="\n".join(SENTENCES) + "\n"
    )
    return [json.loads(line) for line in lines.splitlines()]


def program_bytes(models: Models, *options: object, text: str) -> bytes:
    command = [sys.executable, "-m", "attend", "translate", str(models.translator)]
    done = subprocess.run(
        [*command, *map(str, options)], input=text.encode(), stdout=subprocess.PIPE, check=True
    )
    return done.stdout


def as_float32(value: float) -> str:
    import numpy

    return str(numpy.float32(value))


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"beam_size": 1}, ["--beam-size", 1]),
        ({"beam_size": 4, "n_best": 3}, ["--beam-size", 4, "--n-best", 3]),
        ({"length_penalty": 0.3}, ["--length-penalty", 0.3]),
        ({"max_length": 3}, ["--max-length", 3]),
        ({"min_length": 9}, ["--min-length", 9]),
        ({"no_repeat_ngram": 1}, ["--no-repeat-ngram", 1]),
        ({"repetition_penalty": 3, "patience": 2}, ["--repetition-penalty", 3, "--patience", 2]),
        ({"must_contain": ["hund"]}, ["--must-contain", "hund"]),
        (
            {"must_contain": "katze", "must_not_contain": ["der", "hund"]},
            ["--must-contain", "katze", "--must-not-contain", "der", "hund"],
        ),
        ({"alignments": True}, ["--alignment"]),
        ({"mbr": "bleu", "beam_size": 6}, ["--mbr", "bleu", "--beam-size", 6]),
        (
            {"mbr": "chrf", "samples": 6, "temperature": 1.5, "n_best": 2},
            ["--mbr", "chrf", "--samples", 6, "--temperature", 1.5, "--n-best", 2],
        ),
        (
            {"sample": True, "seed": 7, "temperature": 1.5, "top_k": 9, "top_p": 0.9},
            ["--sample", "--seed", 7, "--temperature", 1.5, "--top-k", 9, "--top-p", 0.9],
        ),
        (
            {"sample": True, "min_length": 9, "no_repeat_ngram": 2, "must_not_contain": "der"},
            ["--sample", "--min-length", 9, "--no-repeat-ngram", 2, "--must-not-contain", "der"],
        ),
    ],
)
def test_gives_the_values_of_the_command_line(models: Models, options: dict, flags: list) -> None:
    translations = attend.Translator(models.translator).translate(SENTENCES, **options)
    for ours, theirs in zip(translations, of_program(models, *flags), strict=True):
        assert ours.source_tokens == theirs["source_tokens"]
        for candidate, expected in zip(ours.candidates, theirs["translations"], strict=True):
            assert candidate.text == expected["text"]
            assert candidate.tokens == expected["tokens"]
            assert as_float32(candidate.score) == as_float32(expected["score"])
            assert as_float32(candidate.log_probability) == as_float32(expected["log_probability"])
            assert list(map(as_float32, candidate.token_scores)) == list(
                map(as_float32, expected["token_log_probabilities"])
            )
            assert [list(pair) for pair in candidate.alignment] == expected.get("alignment", [])


def test_chooses_by_models_as_the_command_line_does(models: Models) -> None:
    translator = attend.Translator(models.translator)
    for options, flags in (
        ({"rerank": attend.load(KIWI), "beam_size": 6}, ["--rerank", KIWI, "--beam-size", 6]),
        (
            {"mbr": "comet", "comet": attend.load(COMET), "samples": 9, "n_best": 2},
            ["--mbr", "comet", "--comet", COMET, "--samples", 9, "--n-best", 2],
        ),
    ):
        found = of_program(models, *flags)
        for ours, theirs in zip(translator.translate(SENTENCES, **options), found, strict=True):
            assert [c.text for c in ours.candidates] == [c["text"] for c in theirs["translations"]]
        whole = translator.translate_text("\n".join(ENGLISH), **{**options, "n_best": None})
        assert whole.count("\n") == len(ENGLISH) - 1
    for options, message in (
        ({"rerank": attend.load(COMET)}, "rerank: expected a model that needs no references"),
        ({"comet": attend.load(COMET)}, "comet: expected mbr comet with it"),
        ({"mbr": "comet"}, "mbr: comet needs a model, given as comet"),
        ({"rerank": str(KIWI)}, "rerank: expected a QualityScorer, as attend.load gives, got str"),
    ):
        with pytest.raises(attend.ConfigError, match=message):
            translator.translate("a cat", **options)


def test_tells_how_far_to_trust_as_the_command_line_does(models: Models) -> None:
    translator = attend.Translator(models.translator)
    sentences = [*SENTENCES, "in 1984 the dog sleeps"]
    translations = translator.translate(sentences, trust=True)
    found = of_program(models, "--trust")
    for ours, theirs in zip(translations, found, strict=False):
        expected = theirs["translations"][0]
        assert ours.trust.confidence is expected["confidence"] is None
        flags = [{"name": flag.name, "reason": flag.reason} for flag in ours.trust.flags]
        assert flags == expected["flags"]
    last = translations[-1].trust
    assert [flag.name for flag in last.flags] == ["numbers"]
    assert last.flags[0].reason == "1984 is missing"
    assert "numbers" in repr(last.flags) and "1 flags" in repr(last)
    assert pickle.loads(pickle.dumps(translations[-1])).trust == last
    assert translator.translate("the dog").trust is None


def test_judges_given_pairs(models: Models) -> None:
    translator = attend.Translator(models.translator)
    wrong, right = translator.score(["in 1984", "the dog"], ["der hund", "der hund"], trust=True)
    assert [flag.name for flag in wrong.trust.flags] == ["numbers"]
    assert right.trust.flags == []
    assert translator.score("the dog", "der hund").trust is None


def test_translates_a_sentence_a_list_and_an_iterable_alike(models: Models) -> None:
    translator = attend.load(models.translator.parent)
    assert isinstance(translator, attend.Translator)
    listed = [translation.text for translation in translator.translate(SENTENCES)]
    assert listed[2] == "der hund schläft"
    assert [translator.translate(sentence).text for sentence in SENTENCES] == listed
    streamed = translator.translate_iterable(iter(SENTENCES), window=2)
    assert [translation.text for translation in streamed] == listed


def test_reads_an_iterable_no_further_than_a_window(models: Models) -> None:
    read = []

    def sentences():
        for sentence in SENTENCES:
            read.append(sentence)
            yield sentence

    translations = attend.Translator(models.translator).translate_iterable(sentences(), window=2)
    next(translations)
    assert read == SENTENCES[:2]


def test_a_translation_says_what_it_is_and_can_be_pickled(models: Models) -> None:
    translation = attend.Translator(models.translator).translate("the dog sleeps", n_best=2)
    assert str(translation) == translation.text == "der hund schläft"
    assert repr(translation).startswith("Translation(text='der hund schläft', score=-")
    assert translation.score == translation.candidates[0].score >= translation.candidates[1].score
    copy = pickle.loads(pickle.dumps(translation))
    assert copy.candidates[1].token_scores == translation.candidates[1].token_scores
    assert (copy.text, copy.source_tokens) == (translation.text, translation.source_tokens)


def test_scores_as_the_command_line_does(models: Models) -> None:
    translator = attend.Translator(models.translator)
    sources, targets = ["the dog sleeps", "a cat"], ["der hund schläft", "eine katze"]
    for name, lines in ("sources", sources), ("targets", targets):
        (models.folder / name).write_text("\n".join(lines) + "\n")
    printed = program(
        "score", models.translator, "--src", models.folder / "sources",
        "--tgt", models.folder / "targets", "--format", "json",
    )  # fmt: skip
    expected = [json.loads(line) for line in printed.splitlines()]
    for ours, theirs in zip(translator.score(sources, targets), expected, strict=True):
        assert as_float32(ours.log_probability) == as_float32(theirs["log_probability"])
    one = translator.score(sources[0], targets[0])
    assert one.log_probability == translator.score(sources, targets)[0].log_probability


def test_wrong_options_are_config_errors_that_name_them(models: Models) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="beam_size: expected a whole number from 1"):
        translator.translate("a cat", beam_size=0)
    with pytest.raises(ValueError, match="n_best"):
        translator.translate("a cat", beam_size=2, n_best=3)
    with pytest.raises(attend.ConfigError, match="seed: needs sample"):
        translator.translate("a cat", seed=1)
    with pytest.raises(attend.ConfigError, match="beam_size: is for beam search"):
        translator.translate("a cat", sample=True, beam_size=2)
    with pytest.raises(attend.ConfigError, match="unknown option .beem_size.; did you mean beam_size"):
        list(translator.translate_iterable(["a cat"], beem_size=2))
    with pytest.raises(attend.ConfigError, match="lang"):
        translator.translate("a cat", tgt_lang="de")
    with pytest.raises(TypeError):
        translator.translate([1, 2])


def test_a_sentence_that_is_too_long_is_named(models: Models) -> None:
    translator = attend.Translator(models.translator)
    sentences = ["a cat"] * 1500 + ["cat " * 50]
    with pytest.raises(attend.LineError, match="^texts:1501: ") as error:
        translator.translate(sentences, max_source_tokens=40)
    assert (error.value.file, error.value.line) == ("texts", 1501)
    iterable = translator.translate_iterable(iter(sentences), max_source_tokens=40, window=100)
    with pytest.raises(attend.LineError, match="^texts:1501: a sentence of"):
        list(iterable)


def test_a_translator_says_what_it_is_and_travels_as_its_path(models: Models) -> None:
    translator = attend.Translator(models.translator, threads=1)
    assert repr(translator) == f"attend.Translator({str(models.translator)!r})"
    copy = pickle.loads(pickle.dumps(translator))
    assert copy.path == translator.path
    assert pickle.loads(pickle.dumps(translator)) is copy, "a worker reads a file once"
    assert copy.translate("the dog sleeps").text == "der hund schläft"
    assert translator.languages == []
    assert len(translator.source_tokenizer) == len(translator.target_tokenizer) == 60


def test_a_line_break_is_a_space(models: Models) -> None:
    translator = attend.Translator(models.translator)
    broken = translator.translate(["the dog\nsleeps", "a cat\r\n"])
    assert [one.text for one in broken] == [
        one.text for one in translator.translate(["the dog sleeps", "a cat"])
    ]


INTERRUPTED = """
import os, signal, sys, threading, attend
translator = attend.Translator(sys.argv[1])
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    translator.translate(["the old dog sees the cat"] * 300_000)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_control_c_ends_a_long_translation(models: Models) -> None:
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(models.translator)],
        capture_output=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert run.stdout == "interrupted\n"


def test_begins_as_told(models: Models) -> None:
    translator = attend.Translator(models.translator)
    prefixes = ["der", "", "eine katze", "die"]
    (models.folder / "prefixes").write_text("\n".join(prefixes) + "\n")
    printed = program(
        "translate", models.translator, "--prefix", models.folder / "prefixes",
        text="\n".join(ENGLISH) + "\n",
    ).splitlines()  # fmt: skip
    translations = translator.translate(ENGLISH, prefix=prefixes)
    assert [one.text for one in translations] == printed
    assert all(one.text.startswith(p) for one, p in zip(translations, prefixes, strict=True))
    assert translations[2].token_scores[0] == 0
    alone = translator.translate(ENGLISH[0], prefix="der")
    assert alone.token_scores == translations[0].token_scores
    for given in (prefixes * 3, iter(prefixes * 3)):
        windows = translator.translate_iterable(ENGLISH * 3, prefix=given, window=5)
        assert [one.text for one in windows] == printed * 3
    begun = list(translator.translate_iterable(ENGLISH, prefix="der", window=3))
    assert all(one.text.startswith("der") for one in begun) and begun[0].text == alone.text
    assert "eine" in translator.attention_page(ENGLISH[0], prefix="eine katze").html


def test_a_wrong_prefix_is_named(models: Models) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="prefix: expected 4 texts, got 2"):
        translator.translate(ENGLISH, prefix=["der", "die"])
    prefixes = [""] * 6 + ["die katze sieht einen fisch"] * 2
    with pytest.raises(attend.LineError, match="^prefixes:7: a prefix of") as caught:
        list(translator.translate_iterable(ENGLISH * 2, prefix=prefixes, max_length=3, window=5))
    assert caught.value.line == 7
    with pytest.raises(ValueError, match="shorter"):
        list(translator.translate_iterable(ENGLISH, prefix=["der"] * 3))


def test_translates_whole_texts_as_the_command_line_does(models: Models, tmp_path: Path) -> None:
    translator = attend.Translator(models.translator)
    text = "  the old dog sees.\r\n\n\ta cat <b>eats</b> a fish\n"
    assert translator.translate_text(text).encode() == program_bytes(models, "--text", text=text)
    assert translator.translate_html(text).encode() == program_bytes(models, "--html", text=text)
    assert translator.translate_text("") == ""
    source, ours, theirs = (tmp_path / name for name in ("a.html", "b.html", "c.html"))
    source.write_text("<p>the <b>dog</b>")
    translator.translate_file(source, ours, beam_size=2)
    program(
        "translate", models.translator, "--file", source, "--out-file", theirs, "--beam-size", 2
    )
    assert ours.read_bytes() == theirs.read_bytes()
    table, out = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("a,b\nthe dog,the dog\n")
    translator.translate_file(table, out, columns=[2])
    assert out.read_text().endswith(f",{translator.translate('the dog').text}\n")
    assert out.read_text().splitlines()[-1].startswith("the dog,")


def test_refuses_what_whole_texts_do_not_have(models: Models, tmp_path: Path) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="n_best"):
        translator.translate_text("the dog", n_best=2)
    with pytest.raises(attend.ConfigError, match="alignment"):
        translator.translate_html("the dog", alignments=True)
    with pytest.raises(attend.ConfigError, match="trust"):
        translator.translate_text("the dog", trust=True)
    with pytest.raises(attend.ConfigError, match="prefix"):
        translator.translate_text("the dog", prefix=["a", "b"])
    with pytest.raises(attend.DataError, match="surrogate"):
        translator.translate_text("\ud800")
    (tmp_path / "a.doc").write_text("the dog")
    with pytest.raises(attend.DataError, match="extension"):
        translator.translate_file(tmp_path / "a.doc", tmp_path / "b.doc")
    with pytest.raises(OSError, match="missing"):
        translator.translate_file(tmp_path / "missing.txt", tmp_path / "b.txt")


def test_takes_a_glossary_as_a_dict_as_lines_and_as_a_file(
    models: Models, tmp_path: Path
) -> None:
    translator = attend.Translator(models.translator)
    (tmp_path / "terms.tsv").write_text("dog\thund\n")
    forms = [{"dog": "hund"}, ["dog\thund"], str(tmp_path / "terms.tsv")]
    texts = [translator.translate("the old dog", glossary=form).text for form in forms]
    assert len(set(texts)) == 1
    assert "hund" in texts[0]
    with pytest.raises(attend.DataError, match="a tab"):
        translator.translate("the old dog", glossary={"dog": ""})


def test_keeps_what_is_protected(models: Models) -> None:
    translator = attend.Translator(models.translator)
    assert "{name}" in translator.translate("the {name} sees", protect="common").text
    assert "%d" in translator.translate_text("the %d sees")
    with pytest.raises(attend.ConfigError, match="protect"):
        translator.translate("the dog", protect=["("])
