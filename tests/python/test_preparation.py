"""Raw text for models of other text: as on the command line and over HTTP."""

from __future__ import annotations

import json
import pathlib
import subprocess
import urllib.error
import urllib.request

import attend
import pytest
from conftest import PROGRAM, Models
from conftest import attend as run

RAW = ["The old “Dog” sees the cat.", "A CAT eats, the dog sleeps."]
FLAGS = ["--lowercase", "--normalize-punctuation", "--tokenize", "moses"]
OPTIONS = {"lowercase": True, "normalize_punctuation": True, "tokenize": "moses"}


def lines(*arguments: object, text: list[str] = RAW) -> list[str]:
    return run(*arguments, text="\n".join(text) + "\n").splitlines()


def test_translations_are_those_of_the_program(models: Models, tmp_path: pathlib.Path) -> None:
    translator = attend.Translator(models.translator)
    prepared, raw = translator.translate(RAW, **OPTIONS), translator.translate(RAW)
    found = [one.text for one in prepared]
    assert found == lines("translate", models.translator, *FLAGS)
    assert [one.source_tokens for one in prepared] != [one.source_tokens for one in raw]
    assert found == [one.text for one in translator.translate_iterable(RAW, **OPTIONS)]
    (tmp_path / "prefixes").write_text("Der Hund,\nDie „Katze“\n")
    begun = translator.translate(RAW, prefix=["Der Hund,", "Die „Katze“"], must_not_contain="Einen", **OPTIONS)
    assert [one.text for one in begun] == lines(
        "translate", models.translator, *FLAGS, "--prefix", tmp_path / "prefixes",
        "--must-not-contain", "Einen",
    )  # fmt: skip
    plain = translator.translate(RAW, detokenize=False, **OPTIONS)
    assert [one.text for one in plain] == lines(
        "translate", models.translator, *FLAGS, "--no-detokenize"
    )


def test_scores_are_those_of_the_program(models: Models, tmp_path: pathlib.Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("\n".join(RAW) + "\n")
    target.write_text("Der Hund, er schläft.\nEine KATZE.\n")
    told = lines("score", models.translator, "--src", source, "--tgt", target, *FLAGS)
    found = attend.Translator(models.translator).score(
        RAW, target.read_text().splitlines(), **OPTIONS
    )
    assert [f"{one.log_probability:.6f}" for one in found] == told
    generator = attend.Generator(models.generator)
    told = lines("score", models.generator, "--text", source, *FLAGS)
    assert [f"{one.log_probability:.6f}" for one in generator.score(RAW, **OPTIONS)] == told


def test_other_answers_are_those_for_prepared_text(models: Models) -> None:
    classifier = attend.Classifier(models.classifier)
    assert classifier.classify("The OLD Dog", lowercase=True) == classifier.classify("the old dog")
    pair = ("A Dog,", "Bread, fish.")
    assert classifier.classify([pair], tokenize="moses", language="en") == classifier.classify(
        [("A Dog ,", "Bread , fish .")]
    )
    embedder = attend.Embedder(models.classifier)
    assert (embedder.encode("The OLD Dog", lowercase=True) == embedder.encode("the old dog")).all()
    generator = attend.Generator(models.generator)
    continued = generator.generate("The OLD", seed=3, max_tokens=5, lowercase=True)
    assert continued.text == generator.generate("the old", seed=3, max_tokens=5).text


def test_a_server_prepares_alike_and_refuses_with_the_same_words(models: Models) -> None:
    command = [PROGRAM, "serve", models.translator, "--listen", "127.0.0.1:0", *FLAGS]
    server = subprocess.Popen([*map(str, command)], stderr=subprocess.PIPE, encoding="utf-8")
    translator = attend.Translator(models.translator)
    try:
        assert server.stderr
        url = next(line for line in server.stderr if "listening on" in line).split()[-1]

        def translate(**more: object) -> object:
            body = json.dumps({"q": RAW, "source": "en", "target": "de", **more}).encode()
            request = urllib.request.Request(f"{url}/translate", body)
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["translatedText"]

        assert translate() == [one.text for one in translator.translate(RAW, **OPTIONS)]
        assert translate(tokenize="none", normalize_punctuation=False) == [
            one.text for one in translator.translate(RAW, lowercase=True)
        ]
        with pytest.raises(urllib.error.HTTPError) as refused:
            translate(language="cs")
        message = json.load(refused.value)["error"]
    finally:
        server.terminate()
        server.communicate(timeout=60)
    with pytest.raises(attend.ConfigError) as error:
        translator.translate(RAW, language="cs", **OPTIONS)
    assert message == str(error.value) == "language: expected one of en, de, fr, got 'cs'"
    program = subprocess.run(
        [PROGRAM, "translate", models.translator, *FLAGS, "--language", "cs"],
        input="A dog.\n", capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert f"--{message}" in program.stderr
