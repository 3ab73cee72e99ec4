"""What a notebook shows of a page of attention and of a translation."""

from __future__ import annotations

import gc
import json
import pathlib
import pickle

import attend
import pytest
from conftest import SOURCE, Models
from conftest import attend as program
from test_translator import as_float32


def test_an_attention_page_shows_itself_in_a_notebook(models: Models, tmp_path: pathlib.Path) -> None:
    page = attend.Translator(models.translator).attention_page("the dog sleeps")
    assert "hund" in page.html and page.html.startswith("<!")
    assert page._repr_html_().startswith('<iframe srcdoc="')
    assert '"' not in page._repr_html_().split('srcdoc="')[1].split('" width')[0]
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html


def page_of_program(model: pathlib.Path, text: str, *flags: object) -> tuple[str, str]:
    """The page of ``attend attention``, and what it prints."""
    out = model.parent / "page.html"
    printed = program("attention", model, text, "--out", out, "--format", "json", *flags)
    return out.read_text(), printed


def test_pages_are_those_of_the_command_line(models: Models) -> None:
    translator = attend.Translator(models.translator)
    page, _ = page_of_program(models.translator, "the dog sleeps")
    assert translator.attention_page("the dog sleeps").html == page
    page, _ = page_of_program(models.generator, "the dog sleeps")
    assert attend.Generator(models.generator).attention_page("the dog sleeps").html == page
    classifier = attend.Classifier(models.classifier)
    pages = [page_of_program(models.classifier, "bread and fish", *why)[0] for why in ([], ["--why"])]
    assert pages[0] != pages[1]
    for why in False, True:
        assert classifier.attention_page("bread and fish", why=why).html == pages[why]
    with pytest.raises(attend.DataError, match="found none"):
        classifier.attention_page("")
    with pytest.raises(attend.DataError, match="at most 256 tokens|context"):
        attend.Generator(models.generator).attention_page("the dog " * 300)


def test_words_have_the_effects_of_the_command_line(models: Models) -> None:
    classifier = attend.Classifier(models.classifier)
    _, printed = page_of_program(models.classifier, "bread and fish", "--why")
    effects = classifier.word_effects("bread and fish")
    for ours, theirs in zip(effects, json.loads(printed)["words"], strict=True):
        assert ours.word == theirs["word"]
        for name in "probability_without", "change":
            assert as_float32(getattr(ours, name)) == as_float32(theirs[name])
    (alone,) = classifier.word_effects("bread")
    assert alone == attend.WordEffect("bread", None, None)
    with pytest.raises(attend.DataError, match="found none|words"):
        classifier.word_effects(" ")


def test_a_translation_shows_itself_in_a_notebook(models: Models) -> None:
    translator = attend.Translator(models.translator)
    one, other = translator.translate(["the dog sleeps", "a cat"], n_best=2)
    page = translator.attention_page("the dog sleeps", one.text)._repr_html_()
    table, shown = one._repr_html_().split("</table>", 1)
    assert shown == page
    for candidate in one.candidates:
        assert f"<td>{candidate.text}</td><td>{candidate.score:.4f}</td>" in table
    assert other._repr_html_().endswith(
        translator.attention_page("a cat", other.text)._repr_html_()
    )
    streamed = list(translator.translate_iterable(["a cat", "the dog sleeps"], window=1))
    assert streamed[1]._repr_html_().endswith(page)


def test_a_translation_does_not_keep_its_translator_in_memory(models: Models) -> None:
    translator = attend.Translator(models.translator)
    translation = translator.translate("the dog sleeps")
    translator.path  # still there
    del translator
    gc.collect()
    alone = translation._repr_html_()
    assert "der hund schläft" in alone and "Keep the translator in a variable" in alone
    copy = pickle.loads(pickle.dumps(translation))
    assert copy._repr_html_() == alone


def test_a_translation_without_a_page_of_attention_still_shows_itself(models: Models) -> None:
    translator = attend.Translator(models.translator)
    shown = translator.translate("the dog " * 200, max_length=3)._repr_html_()
    assert "No attention: the text: expected at most 256 tokens" in shown


def test_a_translation_is_shown_in_its_languages(tmp_path: pathlib.Path) -> None:
    model = tmp_path / "m2m.safetensors"
    attend.import_model(SOURCE / "tests" / "interchange" / "data" / "models" / "m2m_100", model)
    translator = attend.Translator(model)
    text = "A man is walking."
    one = translator.translate(text, src_lang="en", tgt_lang="fr")
    pages = [
        translator.attention_page(text, one.text, src_lang="en", tgt_lang=tgt)._repr_html_()
        for tgt in ("fr", "de")
    ]
    assert pages[0] != pages[1]
    assert one._repr_html_().endswith(pages[0])


def test_what_a_notebook_shows_is_escaped() -> None:
    candidate = attend.TranslationCandidate.__new__(attend.TranslationCandidate)
    candidate.__setstate__(("<b> & c", -1.0, -2.0, [], [], [], -1, None))
    translation = attend.Translation.__new__(attend.Translation)
    translation.__setstate__(([candidate], []))
    assert "<td>&lt;b&gt; &amp; c</td><td>-1.0000</td><td>-2.0000</td>" in translation._repr_html_()
