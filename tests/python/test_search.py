"""The steps of beam search, prefixes in tokens, and models that translate together."""

from __future__ import annotations

import json
import pathlib
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import attend
import attend.ctranslate2
import pytest
from conftest import ENGLISH, SMALL, Models
from conftest import attend as program
from test_translator import SENTENCES, as_float32


def expect_steps(ours: list[attend.BeamStep], theirs: list[dict]) -> None:
    """Number by number what ``attend translate --beam-tree`` has written."""
    for step, expected in zip(ours, theirs, strict=True):
        assert step.written == expected["written"]
        for one, other in zip(step.candidates, expected["candidates"], strict=True):
            assert (one.parent, one.id, one.token, one.fate) == (
                other["parent"], other["id"], other["token"], other["fate"],
            )  # fmt: skip
            for name in "token_log_probability", "log_probability", "score":
                assert as_float32(getattr(one, name)) == as_float32(other[name])


def beam_trees(models: Models, *flags: object) -> list[dict]:
    file = models.folder / "trees"
    program(
        "translate", models.translator, "--beam-tree", file, *flags, text="\n".join(SENTENCES) + "\n"
    )
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_callback_hears_the_steps_of_the_command_line(models: Models) -> None:
    translator = attend.Translator(models.translator)
    heard: dict[int, list[attend.BeamStep]] = {number: [] for number in range(len(SENTENCES))}
    found = translator.translate(
        SENTENCES, on_beam_step=lambda sentence, step: heard[sentence].append(step), beam_size=3
    )
    assert [one.text for one in found] == [
        one.text for one in translator.translate(SENTENCES, beam_size=3)
    ]
    for steps, tree in zip(heard.values(), beam_trees(models, "--beam-size", 3), strict=True):
        expect_steps(steps, tree["steps"])


def test_a_beam_tree_is_that_of_the_command_line(models: Models) -> None:
    translator = attend.Translator(models.translator)
    for sentence, expected in zip(SENTENCES, beam_trees(models, "--n-best", 2), strict=True):
        tree = translator.beam_tree(sentence, n_best=2)
        expect_steps(tree.steps, expected["steps"])
        assert tree.translation.text == expected["translations"][0]["text"]
    tree = translator.beam_tree(SENTENCES[0])
    assert repr(tree) == f"BeamTree(text={tree.translation.text!r}, steps={len(tree.steps)})"
    assert pickle.loads(pickle.dumps(tree)).steps == tree.steps


def test_the_best_path_of_the_tree_is_the_translation(models: Models) -> None:
    translator = attend.Translator(models.translator)
    tree = translator.beam_tree(SENTENCES[0], beam_size=4)
    ended = [
        (candidate.score, tree.tokens(number, candidate))
        for number, step in enumerate(tree.steps)
        for candidate in step.candidates
        if candidate.fate == "ended"
    ]
    assert max(ended)[1] == [*tree.translation.tokens, "</s>"]
    assert all(len(step.kept) <= 4 for step in tree.steps)
    begun = translator.beam_tree(SENTENCES[0], prefix="eine katze")
    prefix = translator.target_tokenizer.pieces("eine katze")
    assert begun.steps[0].written == len(prefix)
    assert begun.translation.tokens[: len(prefix)] == prefix


class Mine(Exception):
    pass


@pytest.mark.parametrize("fails_at", [0, 9])
def test_an_exception_of_the_callback_ends_the_translation(models: Models, fails_at: int) -> None:
    translator = attend.Translator(models.translator)
    calls = 0

    def fail(sentence: int, step: attend.BeamStep) -> None:
        nonlocal calls
        calls += 1
        if calls > fails_at:
            raise Mine("enough")

    with pytest.raises(Mine, match="^enough$"):
        translator.translate(ENGLISH * 8, on_beam_step=fail)
    assert calls < 200, "it is not asked again"
    assert translator.translate("the dog sleeps").text == "der hund schläft", "nothing is broken"


def test_a_callback_of_several_threads_hears_its_own_steps(models: Models) -> None:
    translator = attend.Translator(models.translator)
    expected = [translator.beam_tree(sentence).steps for sentence in ENGLISH]
    threads = set()

    def steps(number: int) -> list[attend.BeamStep]:
        heard: list[attend.BeamStep] = []

        def listen(sentence: int, step: attend.BeamStep) -> None:
            threads.add(threading.get_ident())
            heard.append(step)

        translator.translate(ENGLISH[number % 4], on_beam_step=listen)
        return heard

    with ThreadPoolExecutor(8) as pool:
        for number, found in enumerate(pool.map(steps, range(80))):
            assert found == expected[number % 4]
    assert len(threads) > 1


LEAKS = """
import sys, attend

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

def fail(sentence, step):
    raise RuntimeError("x" * 10_000)

translator = attend.Translator(sys.argv[1])

def use(calls):
    for _ in range(calls):
        try:
            translator.translate(["the old dog sees the cat", "a cat"] * 4, on_beam_step=fail)
            sys.exit("it must fail")
        except RuntimeError:
            pass
        translator.beam_tree("a cat")
        translator.explain("a cat")

use(200)
before = resident()
use(1000)
print(resident() - before)
"""


def test_failing_callbacks_and_trees_leave_nothing_in_memory(models: Models) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LEAKS, str(models.translator)],
        capture_output=True, encoding="utf-8", check=True, timeout=300,
    )  # fmt: skip
    assert int(run.stdout) < 2 << 20


def test_samples_have_no_steps(models: Models) -> None:
    with pytest.raises(attend.ConfigError, match="on_beam_step: is for beam search"):
        attend.Translator(models.translator).beam_tree("a cat", sample=True)


def test_begins_with_the_tokens_that_are_given(models: Models) -> None:
    translator = attend.Translator(models.translator)
    tokenizer = translator.target_tokenizer
    prefixes = ["der", "", "eine katze", "die"]
    ids = [tokenizer.encode(prefix) for prefix in prefixes]
    expected = translator.translate(ENGLISH, prefix=prefixes)
    for found in (
        translator.translate(ENGLISH, prefix_ids=ids),
        list(translator.translate_iterable(ENGLISH, prefix_ids=ids, window=3)),
    ):
        assert [one.token_scores for one in found] == [one.token_scores for one in expected]
        assert [one.tokens for one in found] == [one.tokens for one in expected]
    alike = translator.translate(ENGLISH, prefix_ids=ids[2])
    assert all(one.text.startswith("eine katze") for one in alike)
    assert translator.translate(ENGLISH, prefix_ids=[])[0].text == translator.translate(ENGLISH[0]).text
    within = [tokenizer.id("▁"), tokenizer.id("h")]  # no text has these tokens
    assert min(within) > 3
    assert translator.translate(ENGLISH[0], prefix_ids=within).tokens[:2] == ["▁", "h"]
    assert "eine" in translator.attention_page(ENGLISH[0], prefix_ids=ids[2]).html


def test_wrong_tokens_to_begin_with_are_named(models: Models) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="prefix_ids: expected ids of target tokens"):
        translator.translate("a cat", prefix_ids=[60])
    with pytest.raises(attend.ConfigError, match="prefix_ids: expected 4 lists of ids, got 2"):
        translator.translate(ENGLISH, prefix_ids=[[4], [5]])
    with pytest.raises(attend.ConfigError, match="prefix_ids: expected no prefix with it"):
        translator.translate("a cat", prefix_ids=[4], prefix="der")


@pytest.fixture(scope="module")
def other(models: Models) -> pathlib.Path:
    """A model with the vocabulary of the first that says other things."""
    program(
        "train", "translation", "--data", models.folder, "--out", models.folder / "other",
        "--src-train", "train.en", "--tgt-train", "train.de", "--vocab-size", 60,
        "--n-encoder-layers", 1, "--n-decoder-layers", 1, "--max-steps", 60, "--seed", 7,
        "--batch-tokens", 64, "--valid-every", 0, *SMALL,
    )  # fmt: skip
    return models.folder / "other" / "model.safetensors"


def test_an_ensemble_gives_the_values_of_the_command_line(models: Models, other: pathlib.Path) -> None:
    translator = attend.Translator.ensemble([models.translator, other])
    printed = program(
        "translate", models.translator, "--ensemble", other, "--format", "json", "--n-best", 2,
        text="\n".join(SENTENCES) + "\n",
    )  # fmt: skip
    alone = attend.Translator(models.translator).translate(SENTENCES, n_best=2)
    different = 0
    for ours, line, one in zip(
        translator.translate(SENTENCES, n_best=2), printed.splitlines(), alone, strict=True
    ):
        for candidate, expected in zip(ours.candidates, json.loads(line)["translations"], strict=True):
            assert candidate.tokens == expected["tokens"]
            assert as_float32(candidate.score) == as_float32(expected["score"])
            assert list(map(as_float32, candidate.token_scores)) == list(
                map(as_float32, expected["token_log_probabilities"])
            )
        different += ours.score != one.score
    assert different >= len(SENTENCES) - 1


def test_an_ensemble_scores_as_the_command_line_does(models: Models, other: pathlib.Path) -> None:
    translator = attend.Translator.ensemble([attend.Translator(models.translator), other])
    source, target = "the dog sleeps", "der hund schläft"
    for name, text in ("one.en", source), ("one.de", target):
        (models.folder / name).write_text(text + "\n")
    printed = program(
        "score", models.translator, "--ensemble", other, "--src", models.folder / "one.en",
        "--tgt", models.folder / "one.de", "--format", "json", "--tokens",
    )  # fmt: skip
    expected = [as_float32(one) for one in json.loads(printed)["token_log_probabilities"]]
    score = translator.score(source, target)
    assert [as_float32(one) for one in score.token_scores] == expected
    tokens = translator.source_tokenizer.pieces(source), translator.target_tokenizer.pieces(target)
    members = attend.ctranslate2.Translator(models.translator), other
    (batch,) = attend.ctranslate2.Translator.ensemble(members).score_batch(
        [tokens[0]], [tokens[1]]
    )
    assert batch.log_probs == score.token_scores
    alternatives = translator.alternatives(source, target)
    assert [one.written.log_probability for one in alternatives] == pytest.approx(
        score.token_scores, abs=1e-5
    )


def test_an_ensemble_says_what_it_is_and_travels_as_its_paths(
    models: Models, other: pathlib.Path
) -> None:
    members = [attend.Translator(models.translator), attend.Translator(other, heads_off="encoder.*")]
    translator = attend.Translator.ensemble(members)
    assert translator.members == tuple(members)
    assert translator.path == str(models.translator) and members[0].members == ()
    assert repr(translator) == f"attend.Translator.ensemble([{members[0]!r}, {members[1]!r}])"
    copy = pickle.loads(pickle.dumps(translator))
    assert repr(copy) == repr(translator)
    assert copy.translate("a cat").token_scores == translator.translate("a cat").token_scores
    nested = attend.Translator.ensemble([translator])
    assert nested.translate("a cat").token_scores == translator.translate("a cat").token_scores
    assert translator.longest_source == members[0].longest_source == 0


def test_models_that_do_not_fit_together_are_named(models: Models, tmp_path: pathlib.Path) -> None:
    with pytest.raises(attend.ConfigError, match="ensemble: expected at least one model"):
        attend.Translator.ensemble([])
    stranger = attend.train_translation(
        out=tmp_path / "run", pairs=[("a b", "c d")] * 8, d_model=16, n_heads=2, d_ff=16,
        n_encoder_layers=1, n_decoder_layers=1, vocab_size=12, max_steps=1, valid_every=0,
        progress=False,
    )  # fmt: skip
    with pytest.raises(attend.DataError, match="vocabulary") as caught:
        attend.Translator.ensemble([models.translator, stranger])
    assert str(stranger.path) in str(caught.value)
