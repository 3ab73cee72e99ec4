"""CTranslate2's batches of tokens: continuations of prompts."""

from __future__ import annotations

from typing import Any

import attend
import attend.ctranslate2 as ctranslate2
import pytest
from conftest import ENGLISH, Models


def test_generated_batches_follow_rules(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
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


def test_generates_batches_of_tokens(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
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


def test_generated_batches_show_alternatives_after_the_prompt(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
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
    generator = ctranslate2.Generator(models.generator)
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


def test_a_callback_hears_of_every_token_and_may_end_a_continuation(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ("the old", "a cat")]
    steps: list[ctranslate2.GenerationStepResult] = []

    def enough(step: ctranslate2.GenerationStepResult) -> bool:
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


def _raise(step: ctranslate2.GenerationStepResult) -> bool:
    raise RuntimeError("mine")


def test_generated_batches_return_logits(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
    prompts = [generator.tokenizer.pieces(text) for text in ("the old", "a cat")] + [[]]
    for result in generator.generate_batch(
        prompts, max_length=9, include_prompt_in_result=False, return_end_token=True, return_logits_vocab=True
    ):
        assert [int(row.argmax()) for row in result.logits[0]] == result.sequences_ids[0]
    assert not generator.generate_batch(prompts)[0].logits
    longer = prompts[0] * 9  # leaves no room
    for options in ({}, {"return_alternatives": True, "num_hypotheses": 2}):
        (result,) = generator.generate_batch(
            [longer], max_length=9, return_scores=True, return_logits_vocab=True, **options
        )
        assert result.logits == [[]] * len(result.sequences)
        assert result.sequences == [longer[:10]] * len(result.sequences)


def test_generated_batches_refuse_wrong_options(models: Models) -> None:
    generator = ctranslate2.Generator(models.generator)
    with pytest.raises(attend.ConfigError, match="callback: expected no return_alternatives"):
        generator.generate_batch([["a"]], callback=print, return_alternatives=True)
