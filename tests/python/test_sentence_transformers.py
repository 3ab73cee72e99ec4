"""What sentence-transformers itself makes of the same calls, where it is installed."""

from __future__ import annotations

import inspect
import json
import pathlib
import pickle
import shutil
from typing import Any

import attend
import numpy
import pytest
from attend import sentence_transformers as ours
from conftest import SOURCE

theirs = pytest.importorskip("sentence_transformers")
torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")

FOREIGN = SOURCE / "tests" / "interchange" / "data" / "models"
TEXTS = ["the dog", "a man", "the man and the dog sees a dog"]
PAIRS = [("the dog", "a man"), ("a dog", "the dog"), ("the man and the dog", "the dog")]


def same_kind(found: Any, expected: Any) -> bool:
    if isinstance(found, list):
        return isinstance(expected, list) and all(map(same_kind, found, expected))
    return type(found) is type(expected) and found.dtype == expected.dtype


def assert_same(found: Any, expected: Any) -> None:
    assert same_kind(found, expected), (type(found), type(expected))
    for one, other in zip(*(x if isinstance(x, list) else [x] for x in (found, expected)), strict=True):
        numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), atol=1e-5)


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    directory = FOREIGN / "bert_sentences"
    return ours.SentenceTransformer(directory), theirs.SentenceTransformer(str(directory), device="cpu")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"prompt_name": "query"},
        {"prompt": "a man: ", "batch_size": 1},
        {"normalize_embeddings": True, "truncate_dim": 5},
        {"convert_to_tensor": True, "show_progress_bar": False},
        {"convert_to_numpy": False, "device": "cpu"},
        {"output_value": "token_embeddings"},
        {"precision": "ubinary"},
        {"precision": "binary", "convert_to_tensor": True},
    ],
    ids=str,
)
def test_encodes_as_sentence_transformers_does(both: tuple[Any, Any], options: dict) -> None:
    for name in "encode", "encode_query", "encode_document":
        for texts in TEXTS, TEXTS[0]:
            found, expected = (getattr(model, name)(texts, **options) for model in both)
            assert_same(found, expected)
    assert_same(*(model.encode(sentences=TEXTS) for model in both))


PADDED = ["<pad>", "<pad> a man", "a <pad>man<pad><pad> and the dog<pad>", "<pad></s><pad> the <mask>"]


@pytest.mark.parametrize("name", ["xlm_roberta_sentences", "roberta_classifier", "xlm_roberta_tagger"])
def test_padding_in_a_text_has_the_position_that_transformers_gives_it(
    tmp_path: pathlib.Path, name: str
) -> None:
    directory = shutil.copytree(FOREIGN / name, tmp_path / "model")
    if not (directory / "modules.json").exists():
        file = directory / "config.json"
        settings = json.loads(file.read_text())
        kind = settings["architectures"][0].split("For")[0]
        settings["architectures"] = [f"{kind}Model"]
        file.write_text(json.dumps(settings))
        prefix = {"RobertaModel": "roberta.", "XLMRobertaModel": "roberta."}[f"{kind}Model"]
        weights = safetensors.load_file(directory / "model.safetensors")
        weights = {name: tensor for name, tensor in weights.items() if name.startswith(prefix)}
        safetensors.save_file(weights, directory / "model.safetensors", {"format": "pt"})
    expected = theirs.SentenceTransformer(str(directory), device="cpu")
    position = expected[0].auto_model.embeddings.position_embeddings.weight[1]
    assert abs(position).max() > 0.01, "the row of padding is not zero"
    found = ours.SentenceTransformer(directory)
    for texts in PADDED, PADDED[1], [*TEXTS, *PADDED]:
        assert_same(found.encode(texts), expected.encode(texts))
    plain = found.encode(["a <pad> man"], split_special_tokens=True)
    assert abs(plain - found.encode(["a <pad> man"])).max() > 0.01


def test_compares_as_sentence_transformers_does(both: tuple[Any, Any]) -> None:
    for options in {}, {"convert_to_tensor": True}:
        vectors = [model.encode(TEXTS, **options) for model in both]
        for name in "similarity", "similarity_pairwise":
            found, expected = (
                getattr(model, name)(one, one) for model, one in zip(both, vectors, strict=True)
            )
            assert_same(found, expected)
    for name in "get_embedding_dimension", "get_sentence_embedding_dimension":
        assert getattr(both[0], name)() == getattr(both[1], name)()
    assert repr(both[0]).startswith("attend.sentence_transformers.SentenceTransformer('")


def cross_encoders(folder: pathlib.Path, name: str, **settings: object) -> tuple[Any, Any]:
    directory = shutil.copytree(FOREIGN / name, folder / "model")
    file = directory / "config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))
    return ours.CrossEncoder(directory), theirs.CrossEncoder(str(directory), device="cpu")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"activation_fn": torch.nn.Identity()},
        {"activation_fn": torch.nn.Sigmoid(), "convert_to_tensor": True},
        {"convert_to_numpy": False},
        {"apply_softmax": True, "batch_size": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["bert_regression", "roberta_classifier"])
def test_predicts_as_sentence_transformers_does(
    tmp_path: pathlib.Path, name: str, options: dict
) -> None:
    both = cross_encoders(tmp_path, name, problem_type=None)
    for pairs in PAIRS, [list(pair) for pair in PAIRS], PAIRS[0]:
        found, expected = (model.predict(pairs, **options) for model in both)
        assert_same(found, expected)
    assert both[0].num_labels == both[1].num_labels
    assert len(both[0].predict([])) == len(both[1].predict([])) == 0
    other = pickle.loads(pickle.dumps(both[0]))
    numpy.testing.assert_array_equal(other.predict(PAIRS), both[0].predict(PAIRS))


SIGMOID, TANH = (f"torch.nn.modules.activation.{name}" for name in ("Sigmoid", "Tanh"))
IDENTITY = "torch.nn.modules.linear.Identity"


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("bert_regression", {}),
        ("bert_regression", {"sentence_transformers": {"activation_fn": IDENTITY}}),
        ("bert_regression", {"sentence_transformers": {"activation_fn": TANH, "version": "5.0.0"}}),
        ("bert_regression", {"sbert_ce_default_activation_function": "torch.nn.Tanh"}),
        ("bert_regression", {"problem_type": "multi_label_classification"}),
        ("bert_regression", {"problem_type": None, "sentence_transformers": {"version": "4.0.0"}}),
        ("bert_regression", {"problem_type": None, "sbert_ce_default_activation_function": IDENTITY}),
        ("roberta_classifier", {}),
        ("roberta_classifier", {"sentence_transformers": {"activation_fn": SIGMOID}}),
        ("roberta_classifier", {"sentence_transformers": {"activation_fn": TANH}}),
        ("roberta_classifier", {"sentence_transformers": {"activation_fn": "my.own.function"}}),
        ("roberta_classifier", {"problem_type": "single_label_classification"}),
        ("roberta_classifier", {"problem_type": "multi_label_classification"}),
        ("roberta_multi_label", {"sbert_ce_default_activation_function": SIGMOID}),
    ],
    ids=str,
)
def test_predicts_with_the_function_that_a_model_was_saved_with(
    tmp_path: pathlib.Path, name: str, settings: dict
) -> None:
    both = cross_encoders(tmp_path, name, **settings)
    assert type(both[0].activation_fn) is type(both[1].activation_fn)
    for options in {}, {"apply_softmax": True}, {"activation_fn": torch.nn.Tanh()}:
        for pairs in PAIRS, PAIRS[:1], PAIRS[0], [], [("the dog", "")], "a man":
            found, expected = (model.predict(pairs, **options) for model in both)
            assert_same(found, expected)
            found, expected = (
                model.predict(pairs, convert_to_tensor=True, **options) for model in both
            )
            assert_same(found, expected)
    if both[0].num_labels == 1:
        for options in {}, {"activation_fn": torch.nn.Identity()}:
            found, expected = (model.rank(TEXTS[0], TEXTS, **options) for model in both)
            assert [one["corpus_id"] for one in found] == [one["corpus_id"] for one in expected]
            scores = [[one["score"] for one in ranked] for ranked in (found, expected)]
            assert scores[0] == pytest.approx(scores[1], abs=1e-5)
        assert [*map(len, (model.rank(TEXTS[0], []) for model in both))] == [0, 0]


@pytest.mark.parametrize("function", [torch.nn.Identity(), torch.nn.Sigmoid(), torch.nn.Tanh()], ids=str)
@pytest.mark.parametrize("name", ["bert_regression", "roberta_classifier"])
def test_reads_cross_encoders_that_sentence_transformers_has_saved(
    tmp_path: pathlib.Path, name: str, function: Any
) -> None:
    saved = theirs.CrossEncoder(str(FOREIGN / name), device="cpu", activation_fn=function)
    saved.max_seq_length = 9
    saved.save_pretrained(str(tmp_path / "saved"))
    both = ours.CrossEncoder(tmp_path / "saved"), theirs.CrossEncoder(str(tmp_path / "saved"), device="cpu")
    long = [*PAIRS, (TEXTS[2], TEXTS[2]), (TEXTS[0], TEXTS[2] + TEXTS[2])]
    assert_same(*(model.predict(long) for model in both))
    exported = tmp_path / "exported"
    model = tmp_path / "model.safetensors"
    attend.import_model(tmp_path / "saved", model)
    attend.export(model, exported)
    assert_same(theirs.CrossEncoder(str(exported), device="cpu").predict(long), both[1].predict(long))


def test_refuses_functions_that_are_no_modules_of_torch(tmp_path: pathlib.Path) -> None:
    for name in "torch.nn.functional.relu", "torch.serialization.os", "torch.nn.nothing.At":
        folder = tmp_path / name
        folder.mkdir()
        directory = shutil.copytree(FOREIGN / "roberta_classifier", folder / "model")
        file = directory / "config.json"
        settings = {"sentence_transformers": {"activation_fn": name}}
        file.write_text(json.dumps({**json.loads(file.read_text()), **settings}))
        with pytest.raises(attend.ConfigError, match=f"activation_fn.*{name}"):
            ours.CrossEncoder(directory).predict(PAIRS)


@pytest.mark.parametrize("function", ["Sigmoid", "Identity"])
def test_ranks_as_sentence_transformers_does(tmp_path: pathlib.Path, function: str) -> None:
    name = f"torch.nn.modules.activation.{function}"
    name = name.replace("activation.Identity", "linear.Identity")
    both = cross_encoders(
        tmp_path, "bert_regression", sentence_transformers={"activation_fn": name}, problem_type=None
    )
    for options in {}, {"top_k": 2, "return_documents": True}:
        found, expected = (model.rank(TEXTS[0], TEXTS, **options) for model in both)
        assert [one.keys() for one in found] == [one.keys() for one in expected]
        for one, other in zip(found, expected, strict=True):
            assert one["corpus_id"] == other["corpus_id"] and one.get("text") == other.get("text")
            assert one["score"] == pytest.approx(other["score"], abs=1e-5)


def test_arguments_have_the_names_and_defaults_of_sentence_transformers() -> None:
    for kind, names in {
        "SentenceTransformer": ["__init__", "encode", "encode_query", "encode_document"],
        "CrossEncoder": ["__init__", "predict", "rank"],
    }.items():
        for name in names:
            mine, reference = (
                inspect.signature(getattr(getattr(module, kind), name)).parameters.values()
                for module in (ours, theirs)
            )
            expected = [(x.name, x.default) for x in reference if x.kind is not x.VAR_KEYWORD]
            found = [(x.name, x.default) for x in mine if x.kind is not x.VAR_KEYWORD]
            assert found[: len(expected)] == expected, name


def test_refuses_by_name_what_only_sentence_transformers_has(both: tuple[Any, Any]) -> None:
    path = FOREIGN / "bert_sentences"
    wrong: dict[str, Any]
    for wrong in (
        {"modules": []}, {"revision": "main"}, {"model_kwargs": {"dtype": "float16"}},
        {"backend": "onnx"}, {"device": "cuda"},
    ):  # fmt: skip
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            ours.SentenceTransformer(path, **wrong)
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            ours.CrossEncoder(FOREIGN / "bert_classifier", **wrong)
    for wrong in {"max_length": 5}, {"num_labels": 9}, {"prompts": {"query": "a"}}:
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            ours.CrossEncoder(FOREIGN / "bert_classifier", **wrong)
    with pytest.raises(attend.ConfigError, match="rank"):
        ours.CrossEncoder(FOREIGN / "bert_classifier").rank("the dog", TEXTS)
    for wrong in {"output_value": None}, {"pool": {}}, {"device": ["cpu", "cpu"]}:
        with pytest.raises(attend.ConfigError, match=next(iter(wrong))):
            both[0].encode(TEXTS, **wrong)
    with pytest.raises(AttributeError, match="encode_multi_process"):
        both[0].encode_multi_process
    with pytest.raises(AttributeError, match="SparseEncoder"):
        ours.SparseEncoder  # type: ignore[attr-defined]
