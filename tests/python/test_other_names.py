"""The names of other packages: CTranslate2's batches of tokens, sentence-transformers' encode."""

from __future__ import annotations

import pathlib
import shutil
import sys

import attend
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


def test_translates_batches_of_tokens(models: Models) -> None:
    translator = attend.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(sentence) for sentence in ENGLISH]
    texts = translator.translate(ENGLISH, beam_size=2)
    results = translator.translate_batch(tokens)
    assert [result.hypotheses for result in results] == [[one.tokens] for one in texts]
    assert results[0].scores == [] and results[0].attention == []
    # The end that other tokenizers add is not added twice.
    assert translator.translate_batch([[*one, "</s>"] for one in tokens]) == results


def test_batches_have_hypotheses_scores_and_attention(models: Models) -> None:
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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
    translator = attend.Translator(models.translator)
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


def test_generated_batches_follow_rules(models: Models) -> None:
    generator = attend.Generator(models.generator)
    tokens = generator.tokenizer.pieces("the old")
    options = {"max_length": 14, "include_prompt_in_result": False}
    (usual,) = generator.generate_batch([tokens], **options)
    first, second, *_ = usual.sequences[0]
    (stopped,) = generator.generate_batch([tokens], end_token=[second], **options)
    assert stopped.sequences[0] == [first]
    (ended,) = generator.generate_batch([tokens], end_token=second, return_end_token=True, **options)
    assert ended.sequences[0] == [first, second]
    (other,) = generator.generate_batch([tokens], suppress_sequences=[[first]], **options)
    assert first not in other.sequences[0]
    (longer,) = generator.generate_batch([tokens], min_length=13, no_repeat_ngram_size=2, **options)
    pairs = list(zip(longer.sequences[0], longer.sequences[0][1:], strict=False))
    assert len(longer.sequences[0]) >= 13 and len(set(pairs)) == len(pairs)
    (counted,) = generator.generate_batch([tokens], min_length=13, max_length=14)
    assert len(counted.sequences[0]) >= 14  # with the first token of the prompt
    steps = list(generator.generate_tokens(tokens, end_token=second, max_length=14))
    assert [step.token for step in steps] == [first, second] and steps[-1].is_last
    searched = generator.generate_batch(
        [tokens], beam_size=2, patience=2.0, num_hypotheses=4, disable_unk=True, **options
    )
    assert len(searched[0].sequences) == 4


def test_batches_refuse_what_attend_does_not_have(models: Models) -> None:
    translator = attend.Translator(models.translator)
    with pytest.raises(attend.ConfigError, match="callback"):  # a beam of 2
        translator.translate_batch([["a"]], callback=print)
    generator = attend.Generator(models.generator)
    with pytest.raises(attend.ConfigError, match="callback: expected no return_alternatives"):
        generator.generate_batch([["a"]], callback=print, return_alternatives=True)
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
    translator = attend.Translator(model)
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


def test_generates_batches_of_tokens(models: Models) -> None:
    generator = attend.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ("the old", "a cat")]
    results = generator.generate_batch(prompts, max_length=9, return_scores=True)
    for prompt, result in zip(prompts, results, strict=True):
        assert result.sequences[0][: len(prompt)] == prompt
        assert [generator.tokenizer.id(token) for token in result.sequences[0]] == result.sequences_ids[0]
        assert len(result.sequences[0]) <= len(prompt) + 9
        assert result.scores[0] < 0
    greedy = generator.generate("the old", top_k=1, max_tokens=9, one_line=True)
    (bare,) = generator.generate_batch(
        prompts[:1], max_length=9, include_prompt_in_result=False, return_end_token=True
    )
    assert bare.sequences_ids == [greedy.ids]


def test_batches_return_logits(models: Models) -> None:
    translator = attend.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(text) for text in ENGLISH]
    options: dict[str, Any] = {"return_logits_vocab": True, "return_end_token": True}
    for result in translator.translate_batch(tokens, beam_size=1, **options):
        (logits,), (hypothesis,) = result.logits, result.hypotheses
        best = [translator.target_tokenizer.piece(int(row.argmax())) for row in logits]
        assert best == hypothesis
    generator = attend.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ("the old", "a cat")] + [[]]
    for result in generator.generate_batch(
        prompts, max_length=9, include_prompt_in_result=False, **options
    ):
        assert [int(row.argmax()) for row in result.logits[0]] == result.sequences_ids[0]
    assert not generator.generate_batch(prompts)[0].logits


def test_generated_batches_show_alternatives_after_the_prompt(models: Models) -> None:
    generator = attend.Generator(models.generator)
    prompt = generator.tokenizer.pieces("the")
    options: dict[str, Any] = {"max_length": 9, "return_scores": True}
    (best,) = generator.generate_batch([prompt], **options)
    (result,) = generator.generate_batch(
        [prompt], num_hypotheses=4, return_alternatives=True, return_logits_vocab=True, **options
    )
    assert [one[: len(prompt)] for one in result.sequences] == [prompt] * 4
    assert len({one[len(prompt)] for one in result.sequences}) == 4
    assert result.sequences[0] == best.sequences[0]
    assert len(result.scores) == len(result.logits) == 4
    (likely,) = generator.generate_batch(
        [prompt], num_hypotheses=4, return_alternatives=True,
        min_alternative_expansion_prob=0.9, max_length=9,
    )  # fmt: skip
    assert len(likely.sequences) < 4


def test_prompts_continued_together_get_what_they_get_alone(models: Models) -> None:
    generator = attend.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ENGLISH]
    prompts.insert(1, prompts[0] * 9)  # longer than the result may be: nothing is written
    options = {"max_length": 12, "sampling_topk": 8, "num_hypotheses": 2}
    together = generator.generate_batch(prompts, **options)
    assert [len(one.sequences) for one in together] == [2] * 5
    assert together[1].sequences == [prompts[1][:13]] * 2
    assert together[0] == generator.generate_batch(prompts[:1], **options)[0]
    assert together == generator.generate_batch(prompts, max_batch_size=2, **options)
    # Equal prompts are different samples, those of generate_best().
    same = generator.generate_batch([prompts[0]] * 4, max_length=20, sampling_topk=0)
    assert len({tuple(one.sequences_ids[0]) for one in same}) > 1
    searched = generator.generate_batch(prompts, max_length=9, beam_size=3, num_hypotheses=3)
    assert searched[2] == generator.generate_batch(
        prompts[2:3], max_length=9, beam_size=3, num_hypotheses=3
    )[0]


def test_a_callback_hears_of_every_token_and_may_end_a_translation(models: Models) -> None:
    translator = attend.Translator(models.translator)
    tokens = [translator.source_tokenizer.pieces(text) for text in ENGLISH[:2]]
    prefixes = [translator.target_tokenizer.pieces("die alte"), []]
    options: dict[str, Any] = {"beam_size": 1, "max_decoding_length": 12, "return_scores": True}
    steps: list[attend.GenerationStepResult] = []

    def listen(step: attend.GenerationStepResult) -> bool:
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


def test_a_callback_hears_of_every_token_and_may_end_a_continuation(models: Models) -> None:
    generator = attend.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ("the old", "a cat")]
    steps: list[attend.GenerationStepResult] = []

    def enough(step: attend.GenerationStepResult) -> bool:
        steps.append(step)
        return step.batch_id == 1 and len([one for one in steps if one.batch_id == 1]) == 2

    options = {"max_length": 9, "include_prompt_in_result": False, "return_end_token": True}
    whole = generator.generate_batch(prompts, **options)
    ended = generator.generate_batch(prompts, callback=enough, return_scores=True, **options)
    assert ended[0].sequences == whole[0].sequences
    assert ended[1].sequences_ids[0] == whole[1].sequences_ids[0][:2]
    assert [one.token_id for one in steps if one.batch_id == 0] == whole[0].sequences_ids[0]
    assert [one.is_last for one in steps if one.batch_id == 0][-1]
    assert all(one.log_prob is not None and one.log_prob <= 0 for one in steps)
    with pytest.raises(RuntimeError, match="mine"):
        generator.generate_batch(prompts, callback=_raise)


def _raise(step: attend.GenerationStepResult) -> bool:
    raise RuntimeError("mine")


def test_shows_attention_by_tokens(models: Models) -> None:
    translator = attend.Translator(models.translator)
    maps = translator.attention("the dog sleeps", "der hund")
    s, t = len(maps["source_tokens"]), len(maps["target_tokens"])
    assert maps["source_tokens"][-1] == "</s>"
    assert maps["encoder"].shape == (1, 2, s, s)
    assert maps["decoder"].shape == (2, 2, t, t)
    assert maps["cross"].shape == (2, 2, t, s)
    for name in "encoder", "decoder", "cross":
        numpy.testing.assert_allclose(maps[name].sum(axis=-1), 1, rtol=1e-5)
    assert numpy.triu(maps["decoder"][0, 0], 1).max() == 0


def test_tensors_without_pytorch_say_what_is_missing(
    models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    embedder = attend.Embedder(models.translator)
    for arguments in {"convert_to_tensor": True}, {"convert_to_numpy": False}:
        with pytest.raises(ImportError, match="PyTorch, which is missing: pip install torch"):
            embedder.encode("a cat", **arguments)


def test_encodes_with_the_arguments_of_sentence_transformers(models: Models) -> None:
    embedder = attend.Embedder(models.translator)
    vectors = embedder.encode(ENGLISH, batch_size=2, show_progress_bar=False, device="cpu")
    assert embedder.get_sentence_embedding_dimension() == 16
    prompted = embedder.encode("a cat", prompt="the old dog sees ")
    numpy.testing.assert_array_equal(prompted, embedder.encode("the old dog sees a cat"))
    tokens = embedder.encode("the dog", output_value="token_embeddings")
    numpy.testing.assert_array_equal(tokens, embedder.forward(["the dog"])[0])
    small = embedder.encode(ENGLISH, precision="uint8")
    assert small.dtype == numpy.uint8 and (small.min(), small.max()) == (0, 255)
    signed = embedder.encode(ENGLISH, precision="int8")
    # Both are cut toward zero.
    numpy.testing.assert_allclose(signed.astype(int), small.astype(int) - 128, atol=1)
    bits = embedder.encode(ENGLISH, precision="ubinary")
    numpy.testing.assert_array_equal(numpy.unpackbits(bits, axis=1), vectors > 0)
    binary = embedder.encode(ENGLISH, precision="binary")
    numpy.testing.assert_array_equal(binary.astype(int), bits.astype(int) - 128)
    for wrong in ({"precision": "float16"}, {"output_value": "words"}, {"device": "cuda"}):
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            embedder.encode("a cat", **wrong)


def test_a_prompt_of_its_own_replaces_those_of_the_model(tmp_path: pathlib.Path) -> None:
    directory = shutil.copytree(FOREIGN / "bert_sentences", tmp_path / "model")
    settings = directory / "config_sentence_transformers.json"
    plain = attend.Embedder(attend.load(directory).path)
    query = plain.encode("the dog", prompt_name="query")
    numpy.testing.assert_array_equal(plain.encode("the dog", prompt="man: "), query)
    settings.write_text(settings.read_text().replace("null", '"query"'))
    attend.import_model(directory, tmp_path / "query.safetensors")
    usual = attend.Embedder(tmp_path / "query.safetensors")
    numpy.testing.assert_array_equal(usual.encode("the dog"), query)
    numpy.testing.assert_array_equal(usual.encode("the dog", prompt=""), plain.encode("the dog"))
    assert not numpy.array_equal(query, plain.encode("the dog"))
