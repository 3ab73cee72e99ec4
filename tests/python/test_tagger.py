"""Taggers of words: the values of the command line."""

from __future__ import annotations

import json
import pathlib
import pickle

import attend
import pytest
from conftest import attend as program
from test_training import SMALL, TAGGED
from test_translator import as_float32

TEXTS = ["anna sees london today", "the old bert walks", "today"]


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> attend.Tagger:
    return attend.train_tagging(
        out=tmp_path_factory.mktemp("tagger") / "run", examples=TAGGED * 8, vocab_size=60,
        max_steps=60, max_epochs=0, **SMALL,
    )  # fmt: skip


def test_tags_as_the_command_line_does(tagger: attend.Tagger) -> None:
    printed = program("classify", tagger.path, "--format", "json", text="\n".join(TEXTS) + "\n")
    for ours, line in zip(tagger.tag(TEXTS), printed.splitlines(), strict=True):
        theirs = json.loads(line)
        assert ours.words == theirs["words"] and ours.tags == theirs["tags"]
        assert list(map(as_float32, ours.scores)) == list(map(as_float32, theirs["probabilities"]))
        found = [{"type": e.type, "begin": e.begin, "end": e.end} for e in ours.entities]
        assert found == theirs["entities"]


def test_finds_entities_with_their_words(tagger: attend.Tagger) -> None:
    assert tagger.labels == ["B-CITY", "B-NAME", "I-CITY", "O"]
    tagging = tagger.tag("anna lives in new york")
    assert tagging.tags == ["B-NAME", "O", "O", "B-CITY", "I-CITY"]
    assert tagging.entities == [
        attend.Entity("NAME", 0, 1, "anna"),
        attend.Entity("CITY", 3, 5, "new york"),
    ]


def test_tags_words_that_are_given(tagger: attend.Tagger) -> None:
    assert tagger.tag_words([text.split() for text in TEXTS]) == tagger.tag(TEXTS)
    assert tagger.tag_words([]) == []
    with pytest.raises(attend.LineError, match="^texts:2: expected words to tag, found none"):
        tagger.tag_words([["a"], []])
    with pytest.raises(attend.LineError, match="^texts:2: expected a text to tag, found none"):
        tagger.tag(["a", " "])
    with pytest.raises(attend.ConfigError, match="batch_tokens"):
        tagger.tag("a", batch_tokens=0)


def test_is_loaded_and_pickled_as_a_tagger(tagger: attend.Tagger) -> None:
    for same in attend.load(tagger.path), attend.load(pathlib.Path(tagger.path).parent):
        assert isinstance(same, attend.Tagger)
    other = pickle.loads(pickle.dumps(tagger))
    assert pickle.loads(pickle.dumps(other.tag(TEXTS))) == tagger.tag(TEXTS)
    assert tagger.tokenizer.encode("anna")
    with pytest.raises(attend.DataError, match="for classification, found one for token"):
        attend.Classifier(tagger.path)
