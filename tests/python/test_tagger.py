"""Taggers of words: the values of the command line."""

from __future__ import annotations

import json
import pathlib
import pickle

import attend
import pytest
from conftest import SOURCE
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
        assert ours.offsets == [tuple(place) for place in theirs["offsets"]]
        for entity, other in zip(ours.entities, theirs["entities"], strict=True):
            assert as_float32(entity.score) == as_float32(other.pop("score"))
            found = {name: getattr(entity, name) for name in other}
            assert list(found) == ["type", "begin", "end", "text", "start_char", "end_char"]
            assert found == other


def test_finds_entities_with_their_words(tagger: attend.Tagger) -> None:
    assert tagger.labels == ["B-CITY", "B-NAME", "I-CITY", "O"]
    tagging = tagger.tag("anna lives in new york")
    assert tagging.tags == ["B-NAME", "O", "O", "B-CITY", "I-CITY"]
    assert [(e.start_char, e.end_char) for e in tagging.entities] == [(0, 4), (14, 22)]
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


@pytest.mark.parametrize("name", ["bert_tagger", "distilbert_tagger", "roberta_tagger", "xlm_roberta_tagger"])
def test_answers_as_a_pipeline_of_transformers_does(name: str, tmp_path: pathlib.Path) -> None:
    directory = SOURCE / "tests" / "interchange" / "data" / "models" / name
    attend.import_model(directory, tmp_path / "tagger.safetensors")
    tagger = attend.Tagger(tmp_path / "tagger.safetensors")
    for case in json.loads((directory / "pipeline.json").read_text(encoding="utf-8")):
        found = tagger(
            case["text"],
            aggregation_strategy=case["strategy"],
            ignore_labels=[],
            stride=case["stride"] or None,
        )
        label = "entity" if case["strategy"] == "none" else "entity_group"
        places = [[one[label], one["word"], one["start"], one["end"]] for one in found]
        assert places == [group[:4] for group in case["groups"]]
        scores = [one["score"] for one in found]
        assert scores == pytest.approx([group[4] for group in case["groups"]], abs=2e-5)
