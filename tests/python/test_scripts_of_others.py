"""Scripts as the documentation of CTranslate2 and sentence-transformers shows them: the same calls
on models of attend, with another import."""

from __future__ import annotations

import pathlib
import shutil

import attend
import numpy
import pytest
from conftest import ENGLISH, SOURCE, Models

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"


@pytest.fixture
def folder(
    models: Models, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> pathlib.Path:
    """Has the models under the names that the scripts give them."""
    shutil.copy(models.translator, tmp_path / "ende")
    shutil.copy(models.generator, tmp_path / "gpt")
    for name in ("m2m_100", "bert_sentences"):
        shutil.copytree(FOREIGN / name, tmp_path / name)
    shutil.copy(models.folder / "train.en", tmp_path)
    tokenizer = attend.Translator(models.translator).source_tokenizer
    (tmp_path / "source.spm").write_bytes(tokenizer.to_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ctranslate2_translates_tokens(folder: pathlib.Path) -> None:
    import attend.ctranslate2 as ctranslate2

    translator = ctranslate2.Translator("ende", device="cpu", inter_threads=1, intra_threads=2)
    tokenizer = translator.source_tokenizer
    source = tokenizer.pieces("the old dog sees the cat")

    results = translator.translate_batch([source])
    print(results[0].hypotheses[0])
    results = translator.translate_batch([source], beam_size=4, num_hypotheses=4)
    assert len(results[0].hypotheses) == 4

    results = translator.translate_batch([source], max_decoding_length=3)
    assert len(results[0].hypotheses[0]) == 3
    results = translator.translate_batch([[]], min_decoding_length=1)
    assert len(results[0].hypotheses[0]) == 0

    prefix = translator.target_tokenizer.pieces("eine alte katze")
    results = translator.translate_batch([source], target_prefix=[prefix])
    assert results[0].hypotheses[0][: len(prefix)] == prefix

    results = translator.translate_batch(
        [source], beam_size=1, sampling_topk=10, num_hypotheses=3, sampling_temperature=0.8
    )
    for hypothesis in results[0].hypotheses:
        print(hypothesis)

    with open("train.en") as file:
        batch = [tokenizer.pieces(line.strip()) for line in file]
    async_results = []
    for begin in range(0, len(batch), 10):
        async_results.extend(
            translator.translate_batch(
                batch[begin : begin + 10], asynchronous=True, max_batch_size=1024, batch_type="tokens"
            )
        )
    translations = [async_result.result().hypotheses[0] for async_result in async_results]
    assert len(translations) == len(batch)

    scores = translator.score_batch([source], [results[0].hypotheses[0]])
    assert scores[0].tokens == [*results[0].hypotheses[0], "</s>"]
    assert sum(scores[0].log_probs) < 0


def test_ctranslate2_translates_into_a_language(folder: pathlib.Path) -> None:
    import attend.ctranslate2 as ctranslate2

    translator = ctranslate2.Translator("m2m_100")
    first, second = translator.languages[:2]
    source = [f"__{first}__", *translator.source_tokenizer.pieces("a b"), "</s>"]
    target_prefix = [f"__{second}__"]
    results = translator.translate_batch([source], target_prefix=[target_prefix])
    target = results[0].hypotheses[0][1:]
    expected = translator.translate(
        "a b", src_lang=first, tgt_lang=second, beam_size=2, max_length=256, min_length=1
    )
    assert target == expected.tokens


def test_ctranslate2_generates_tokens(folder: pathlib.Path) -> None:
    import attend.ctranslate2 as ctranslate2

    generator = ctranslate2.Generator("gpt", device="cpu")
    tokenizer = generator.tokenizer
    start_tokens = tokenizer.pieces("the old")

    results = generator.generate_batch([start_tokens], max_length=12, sampling_topk=10)
    assert results[0].sequences[0][: len(start_tokens)] == start_tokens
    print(tokenizer.decode(results[0].sequences_ids[0]))

    results = generator.generate_batch(
        [start_tokens], max_length=8, include_prompt_in_result=False, sampling_temperature=0.8
    )
    expected = results[0].sequences_ids[0]

    step_results = generator.generate_tokens(start_tokens, max_length=8)
    output_ids = []
    for step_result in step_results:
        is_new_word = step_result.token.startswith("▁")
        if is_new_word:
            print(end=" ", flush=True)
        if not step_result.is_last or step_result.token != "</s>":
            output_ids.append(step_result.token_id)
    assert output_ids == expected

    for step_result in (steps := generator.generate_tokens(start_tokens, max_length=1000)):
        if step_result.step == 3:
            break
    steps.close()

    log_probs = generator.score_batch([["</s>", *start_tokens]])[0].log_probs
    perplexity = numpy.exp(-numpy.mean(log_probs))
    assert perplexity > 1


def test_sentence_transformers_compares_sentences(folder: pathlib.Path) -> None:
    from attend.sentence_transformers import SentenceTransformer

    model = SentenceTransformer("bert_sentences")
    sentences = ["the dog", "a man", "the man and the dog"]
    embeddings = model.encode(sentences)
    assert embeddings.shape == (3, model.get_sentence_embedding_dimension())
    similarities = model.similarity(embeddings, embeddings)
    assert similarities.shape == (3, 3)
    numpy.testing.assert_allclose(similarities.diagonal(), 1, rtol=1e-5)
    numpy.testing.assert_allclose(similarities, similarities.T, rtol=1e-5)
    pairs = model.similarity_pairwise(embeddings, embeddings[::-1])
    numpy.testing.assert_allclose(pairs, similarities[[0, 1, 2], [2, 1, 0]], rtol=1e-5)
    for idx_i, sentence1 in enumerate(sentences):
        for idx_j, sentence2 in enumerate(sentences):
            print(f"{sentence1} {sentence2} {similarities[idx_i][idx_j]:.4f}")


def test_sentence_transformers_searches(folder: pathlib.Path) -> None:
    torch = pytest.importorskip("torch")
    from attend.sentence_transformers import SentenceTransformer

    embedder = SentenceTransformer("bert_sentences")
    corpus_embeddings = embedder.encode_document(ENGLISH, convert_to_tensor=True)
    top_k = min(5, len(ENGLISH))
    for query in ("the dog", "a fish"):
        query_embedding = embedder.encode_query(query, convert_to_tensor=True)
        similarity_scores = embedder.similarity(query_embedding, corpus_embeddings)[0]
        scores, indices = torch.topk(similarity_scores, k=top_k)
        for score, idx in zip(scores, indices, strict=True):
            print(ENGLISH[idx], f"(Score: {score:.4f})")


def test_queries_and_documents_have_their_prompts(folder: pathlib.Path) -> None:
    model = attend.Embedder("bert_sentences")
    assert "query" in model.prompts
    numpy.testing.assert_array_equal(
        model.encode_query("the dog"), model.encode("the dog", prompt_name="query")
    )
    numpy.testing.assert_array_equal(
        model.encode_query("the dog", prompt="man: "), model.encode("the dog", prompt="man: ")
    )
    assert model.prompts["document"] == ""
    numpy.testing.assert_array_equal(model.encode_document("a dog"), model.encode("a dog"))


def test_prompts_are_those_of_sentence_transformers(folder: pathlib.Path) -> None:
    # SentenceTransformer(..., prompts=...): "query" and "document" are always there, empty unless
    # the model or the script fills them, and encode_document uses no other one.
    own = attend.Embedder("bert_sentences").prompts
    given = {"passage": "a: ", "query": "the "}
    model = attend.Embedder("bert_sentences", prompts=given, default_prompt_name="passage")
    assert model.prompts == own | given
    for name in ("query", "document"):
        numpy.testing.assert_array_equal(
            getattr(model, f"encode_{name}")("dog"), model.encode("dog", prompt_name=name)
        )
    numpy.testing.assert_array_equal(model.encode_document("dog"), model.encode("dog", prompt=""))
    numpy.testing.assert_array_equal(model.encode("dog"), model.encode("dog", prompt="a: "))


def test_models_refuse_what_only_others_have(models: Models) -> None:
    import attend.ctranslate2 as ctranslate2

    with pytest.raises(attend.ConfigError, match="device: expected cpu, got 'cuda'"):
        ctranslate2.Translator(models.translator, device="cuda")
    for wrong in (
        {"compute_type": "int8"},
        {"compute_type": {"cpu": "int8"}},
        {"flash_attention": True},
        {"tensor_parallel": True},
        {"files": {}},
    ):
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            ctranslate2.Generator(models.generator, **wrong)
    with pytest.raises(TypeError, match="beam"):
        ctranslate2.Generator(models.generator, beam_size=1)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="Encoder"):
        ctranslate2.Encoder  # type: ignore[attr-defined]
