"""CTranslate2's batches of tokens: translations."""

from __future__ import annotations

import pathlib
from typing import Any

import attend
import attend.ctranslate2 as ctranslate2
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


def test_translates_batches_of_tokens(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(sentence) for sentence in ENGLISH]
    texts = translator.translate(ENGLISH, beam_size=2)
    results = translator.translate_batch(tokens)
    assert [result.hypotheses for result in results] == [[one.tokens] for one in texts]
    assert results[0].scores == [] and results[0].attention == []
    # The end that other tokenizers add is not added twice.
    assert translator.translate_batch([[*one, "</s>"] for one in tokens]) == results


def test_batches_have_hypotheses_scores_and_attention(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(ENGLISH[0])]
    (result,) = translator.translate_batch(
        tokens, beam_size=3, num_hypotheses=2, return_scores=True, return_attention=True,
        max_batch_size=32, batch_type="examples", length_penalty=0.5,
    )  # fmt: skip
    text = translator.translate(ENGLISH[0], beam_size=3, n_best=2, length_penalty=0.5, max_length=256, min_length=1)
    assert result.hypotheses == [one.tokens for one in text.candidates]
    assert result.scores == pytest.approx([one.score for one in text.candidates])
    weights = numpy.array(result.attention[0])
    assert weights.shape == (len(result.hypotheses[0]), len(tokens[0]) + 1)
    numpy.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-5)


def test_batches_have_their_end_if_asked(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(sentence) for sentence in ENGLISH]
    plain = translator.translate_batch(tokens, return_scores=True, return_attention=True)
    ended = translator.translate_batch(
        tokens, return_scores=True, return_attention=True, return_end_token=True
    )
    for one, other in zip(plain, ended, strict=True):
        assert other.hypotheses == [[*one.hypotheses[0], "</s>"]]
        assert other.scores == one.scores
        assert other.attention[0][:-1] == one.attention[0]
        assert len(other.attention[0]) == len(other.hypotheses[0])
    (cut,) = translator.translate_batch(tokens[:1], max_decoding_length=2, return_end_token=True)
    assert len(cut.hypotheses[0]) == 2 and cut.hypotheses[0][-1] != "</s>"


def test_batches_are_sampled_limited_and_computed_in_the_background(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(sentence) for sentence in ENGLISH]
    sampled = translator.translate_batch(
        tokens, beam_size=1, sampling_topk=10, sampling_temperature=2.0, num_hypotheses=3
    )
    assert [len(result.hypotheses) for result in sampled] == [3] * 4
    short = translator.translate_batch(tokens, max_decoding_length=2, max_input_length=1)
    assert max(len(result.hypotheses[0]) for result in short) == 2
    later = translator.translate_batch(tokens, asynchronous=True)
    assert [one.result() for one in later] == translator.translate_batch(tokens)
    assert all(one.done() for one in later)


def test_batches_follow_rules(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(sentence) for sentence in ENGLISH]

    def written(**options: object) -> list[list[str]]:
        results = translator.translate_batch(tokens, **{"beam_size": 1, **options})  # type: ignore[arg-type]
        return [hypothesis for result in results for hypothesis in result.hypotheses]

    usual = written()
    first, second = usual[0][:2]
    assert all([first] not in [[token] for token in one] for one in written(suppress_sequences=[[first]]))
    pair = written(suppress_sequences=[[first, second]])[0]
    assert [first, second] not in [pair[at : at + 2] for at in range(len(pair))]
    assert written(end_token=second)[0] == [first]
    end = translator.target_tokenizer.id(second)
    assert written(end_token=[end], return_end_token=True)[0] == [first, second]
    assert "<unk>" not in str(written(disable_unk=True, sampling_topk=0, sampling_temperature=9.0))
    for one in written(min_decoding_length=9, sampling_topk=5, no_repeat_ngram_size=2, max_decoding_length=12):
        pairs = list(zip(one, one[1:], strict=False))
        assert len(one) >= 9 and len(set(pairs)) == len(pairs)
    once = written(repetition_penalty=1e6, min_decoding_length=6, max_decoding_length=6)
    assert all(len(set(one)) == len(one) for one in once)
    assert len(written(beam_size=2, patience=3.0, num_hypotheses=6)) == 6 * len(tokens)


def test_batches_prefer_what_covers_the_source(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(ENGLISH[0])]
    plain, covering = (
        translator.translate_batch(
            tokens, beam_size=3, num_hypotheses=3, return_scores=True, coverage_penalty=penalty
        )[0]
        for penalty in (0.0, 0.5)
    )
    assert sorted(plain.hypotheses) == sorted(covering.hypotheses)
    scores = dict(zip(map(tuple, plain.hypotheses), plain.scores, strict=True))
    assert all(
        score < scores[tuple(one)]
        for one, score in zip(covering.hypotheses, covering.scores, strict=True)
    )
    assert covering.scores == sorted(covering.scores, reverse=True)


def test_batches_show_alternatives_after_a_prefix(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(ENGLISH[0])]
    (best,) = translator.translate_batch(tokens)
    prefix = best.hypotheses[0][:2]
    (result,) = translator.translate_batch(
        tokens, [prefix], num_hypotheses=4, return_alternatives=True, return_scores=True
    )
    assert [one[:2] for one in result.hypotheses] == [prefix] * 4
    assert len({one[2] for one in result.hypotheses}) == 4
    assert result.hypotheses[0] == best.hypotheses[0]
    (likely,) = translator.translate_batch(
        tokens, [prefix], num_hypotheses=4, return_alternatives=True,
        min_alternative_expansion_prob=0.9,
    )  # fmt: skip
    assert len(likely.hypotheses) < 4


def test_unknown_words_are_replaced(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = translator.source_tokenizer.pieces(ENGLISH[0])
    options = {"max_decoding_length": 8, "return_attention": True}
    (plain,) = translator.translate_batch([tokens], [["<unk>"]], **options)
    (replaced,) = translator.translate_batch([tokens], [["<unk>"]], replace_unknowns=True, **options)
    weights = numpy.array(plain.attention[0])[:, : len(tokens)]
    expected = [
        tokens[weights[place].argmax()] if token == "<unk>" else token
        for place, token in enumerate(plain.hypotheses[0])
    ]
    assert plain.hypotheses[0][0] == "<unk>" and replaced.hypotheses[0] == expected


def test_batches_refuse_wrong_options(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="callback"):  # a beam of 2
        translator.translate_batch([["a"]], callback=print)
    with pytest.raises(attend.ConfigError, match="callback: expected no return_alternatives"):
        translator.translate_batch([["a"]], callback=print, beam_size=1, return_alternatives=True)
    for bad in ({"suppress_sequences": [["no token"]]}, {"end_token": "no token"}):
        with pytest.raises(attend.ConfigError, match="no token"):
            translator.translate_batch([["a"]], **bad)
    with pytest.raises(attend.ConfigError, match="end_ids"):
        translator.translate_batch([["a"]], end_token=[9999])
    with pytest.raises(TypeError, match="beem_size"):
        translator.translate_batch([["a"]], beem_size=2)
    with pytest.raises(attend.ConfigError, match="expected 1 prefixes, got 2"):
        translator.translate_batch([["a"]], target_prefix=[[], []])


def test_languages_are_chosen_by_tokens(tmp_path: pathlib.Path) -> None:
    model = tmp_path / "m2m.safetensors"
    attend.import_model(FOREIGN / "m2m_100", model)
    translator = ctranslate2.Translator(model)
    source, target, *_ = translator.languages
    text = "a b"
    tokens = translator.source_tokenizer.pieces(text)
    expected = translator.translate(
        text, src_lang=source, tgt_lang=target, beam_size=2, max_length=256, min_length=1
    )
    language = f"__{target}__"
    sentence = [f"__{source}__", *tokens, "</s>"]
    (result,) = translator.translate_batch([sentence], target_prefix=[[language]])
    assert result.hypotheses == [[language, *expected.tokens]]
    (result,) = translator.translate_batch(
        [sentence], target_prefix=[[language, *expected.tokens[:2], *tokens]],
        return_attention=True, max_decoding_length=9,
    )  # fmt: skip
    assert result.hypotheses[0][: 3 + len(tokens)] == [language, *expected.tokens[:2], *tokens]
    weights = numpy.array(result.attention[0])
    assert weights.shape == (len(result.hypotheses[0]), len(sentence))
    # The first row after that of the language is the same for every target.
    maps = translator.attention(text, "a", src_lang=source, tgt_lang=target)
    numpy.testing.assert_allclose(weights[1], maps["cross"][-1].mean(axis=0)[0], rtol=1e-5)


def test_batches_return_logits(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(text) for text in ENGLISH]
    options: dict[str, Any] = {"return_logits_vocab": True, "return_end_token": True}
    for result in translator.translate_batch(tokens, beam_size=1, **options):
        (logits,), (hypothesis,) = result.logits, result.hypotheses
        best = [translator.target_tokenizer.piece(int(row.argmax())) for row in logits]
        assert best == hypothesis
    assert not translator.translate_batch(tokens)[0].logits


def test_a_callback_hears_of_every_token_and_may_end_a_translation(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(text) for text in ENGLISH[:2]]
    prefixes = [translator.target_tokenizer.pieces("die alte"), []]
    options: dict[str, Any] = {"beam_size": 1, "max_decoding_length": 12, "return_scores": True}
    steps: list[ctranslate2.GenerationStepResult] = []

    def listen(step: ctranslate2.GenerationStepResult) -> bool:
        steps.append(step)
        return False

    expected = translator.translate_batch(tokens, prefixes, return_end_token=True, **options)
    heard = translator.translate_batch(
        tokens, prefixes, return_end_token=True, callback=listen, **options
    )
    assert heard == expected
    for number, result in enumerate(expected):
        of_one = [step for step in steps if step.batch_id == number]
        assert [step.token for step in of_one] == result.hypotheses[0]
        assert [step.step for step in of_one] == list(range(len(of_one)))
        assert [step.is_last for step in of_one] == [False] * (len(of_one) - 1) + [True]
        log_probs = [step.log_prob or 0 for step in of_one]
        assert log_probs[: len(prefixes[number])] == [0] * len(prefixes[number])
        assert sum(log_probs) / len(of_one) == pytest.approx(result.scores[0], abs=1e-5)
    ended = translator.translate_batch(
        tokens, prefixes, callback=lambda step: step.step == 3 - step.batch_id, **options
    )
    assert [one.hypotheses[0] for one in ended] == [
        expected[0].hypotheses[0][:4], expected[1].hypotheses[0][:3]
    ]  # fmt: skip
    written = translator.generate_tokens(tokens[0], prefixes[0], max_decoding_length=12)
    assert [step.token for step in written] == expected[0].hypotheses[0]
    for more in ({"beam_size": 2}, {"sampling_topk": 5}, {"return_alternatives": True}):
        with pytest.raises(attend.ConfigError, match="callback"):
            translator.translate_batch(tokens, callback=listen, **(options | more))


def test_shows_attention_by_tokens(models: Models) -> None:
    translator = ctranslate2.Translator(models.translator)
    maps = translator.attention("the dog sleeps", "der hund")
    s, t = len(maps["source_tokens"]), len(maps["target_tokens"])
    assert maps["source_tokens"][-1] == "</s>"
    assert maps["encoder"].shape == (1, 2, s, s)
    assert maps["decoder"].shape == (2, 2, t, t)
    assert maps["cross"].shape == (2, 2, t, s)
    for name in "encoder", "decoder", "cross":
        numpy.testing.assert_allclose(maps[name].sum(axis=-1), 1, rtol=1e-5)
    assert numpy.triu(maps["decoder"][0, 0], 1).max() == 0
