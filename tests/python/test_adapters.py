"""Adapters of models: trained, joined with their base, and exchanged with PEFT."""

from __future__ import annotations

import pathlib
import pickle
import shutil

import attend
import pytest
from conftest import LABELED, SOURCE, Models
from conftest import attend as program

EXAMPLES = [tuple(line.split("\t")) for line in LABELED * 8]
TEXTS = ["the old dog sleeps", "bread and fish"]


@pytest.fixture
def base(models: Models, tmp_path: pathlib.Path) -> pathlib.Path:
    return pathlib.Path(shutil.copy(models.classifier, tmp_path / "base.safetensors"))


def train(base: pathlib.Path, out: pathlib.Path) -> attend.Classifier:
    return attend.train_classification(
        out=out, examples=EXAMPLES, init_from=base, lora_rank=2, lora_alpha=4, max_steps=20,
        learning_rate=0.02, warmup_steps=5, save_every=0,
    )  # fmt: skip


def test_training_an_adapter_gives_the_adapted_model(
    base: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    run = tmp_path / "adapter"
    adapted = train(base, run)
    program("merge", base, run, "--out", tmp_path / "theirs.safetensors")
    attend.merge(base, run, tmp_path / "ours.safetensors")
    ours, theirs = (tmp_path / f"{name}.safetensors" for name in ("ours", "theirs"))
    assert ours.read_bytes() == theirs.read_bytes()
    expected = attend.Classifier(ours).classify(TEXTS)
    assert adapted.classify(TEXTS) == expected != attend.Classifier(base).classify(TEXTS)
    for path in run, run / "model.safetensors", adapted.path:
        assert attend.load(path).classify(TEXTS) == expected


def test_an_adapter_is_joined_once_until_something_changes(
    base: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    adapted = train(pathlib.Path(base.name), pathlib.Path("adapter"))  # a relative path
    written = pathlib.Path(adapted.path).stat().st_mtime_ns
    monkeypatch.chdir("/")
    assert attend.load(tmp_path / "adapter").path == adapted.path
    assert pathlib.Path(adapted.path).stat().st_mtime_ns == written
    other = attend.train_classification(
        out=tmp_path / "other", examples=EXAMPLES, init_from=base, max_steps=1, warmup_steps=1
    )
    shutil.copy(other.path, base)  # newer, and not the model that was adapted
    with pytest.raises(attend.DataError, match="expected the model that it adapts"):
        attend.load(tmp_path / "adapter")
    base.unlink()
    with pytest.raises(attend.DataError, match=r"attend\.merge in Python, joins the two"):
        attend.load(tmp_path / "adapter")


def test_an_adapter_without_its_run_needs_merge(base: pathlib.Path, tmp_path: pathlib.Path) -> None:
    train(base, tmp_path / "adapter")
    alone = shutil.copy(tmp_path / "adapter" / "model.safetensors", tmp_path / "alone.safetensors")
    with pytest.raises(attend.DataError, match="names the path of its base model, got none"):
        attend.load(alone)
    attend.merge(base, alone, tmp_path / "whole.safetensors")
    assert isinstance(attend.load(tmp_path / "whole.safetensors"), attend.Classifier)
    with pytest.raises(attend.DataError, match="expected an adapter"):
        attend.merge(base, base, tmp_path / "none.safetensors")


def test_adapters_become_directories_of_peft_and_come_back(tmp_path: pathlib.Path) -> None:
    foreign = SOURCE / "tests" / "interchange" / "data" / "models" / "bert_classifier"
    base = shutil.copytree(foreign, tmp_path / "bert")
    labels = attend.load(base).labels
    adapted = attend.train_classification(
        out=tmp_path / "adapter", examples=[(label, "a dog") for label in labels] * 4,
        init_from=base, lora_rank=2, max_steps=3, warmup_steps=1,
    )  # fmt: skip
    adapter = tmp_path / "adapter" / "model.safetensors"
    assert attend.export(adapter, tmp_path / "peft", base=base) == "peft"
    assert (tmp_path / "peft" / "adapter_config.json").exists()
    loaded = attend.load(tmp_path / "peft")
    assert isinstance(loaded, attend.Classifier)
    ours, theirs = (one.classify(["a dog", "the man"]) for one in (adapted, loaded))
    for mine, other in zip(ours, theirs, strict=True):
        assert [one["label"] for one in mine] == [one["label"] for one in other]
        for one, same in zip(mine, other, strict=True):
            assert one["score"] == pytest.approx(same["score"], abs=1e-6)
    with pytest.raises(attend.ConfigError, match="base: expected the model that the adapter adapts"):
        attend.export(adapter, tmp_path / "again")
    with pytest.raises(attend.ConfigError, match="base: expected an adapter to export, got a model"):
        attend.export(adapted.path, tmp_path / "again", base=base)


def test_an_adapter_of_peft_names_a_base_that_is_there(tmp_path: pathlib.Path) -> None:
    (tmp_path / "peft").mkdir()
    (tmp_path / "peft" / "adapter_config.json").write_text(
        '{"peft_type": "LORA", "r": 2, "lora_alpha": 4, "base_model_name_or_path": "hub/name"}'
    )
    (tmp_path / "peft" / "adapter_model.safetensors").write_bytes(b"")
    with pytest.raises(attend.IoError, match="`hf download hub/name` downloads it"):
        attend.load(tmp_path / "peft")


def test_models_share_what_their_adapters_leave_as_it_is(
    base: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    run = tmp_path / "adapter"
    expected = train(base, run).classify(TEXTS)
    shared = attend.BaseModel(base, threads=2)
    assert shared.classifier().classify(TEXTS) == attend.Classifier(base).classify(TEXTS)
    for adapter in run, run / "model.safetensors":
        assert shared.classifier(adapter).classify(TEXTS) == expected
    changed = shared.classifier(heads_off="encoder.*")
    assert changed.classify(TEXTS) == attend.Classifier(base, heads_off="encoder.*").classify(TEXTS)
    vectors = attend.Embedder(base).encode(TEXTS)
    assert (shared.embedder().encode(TEXTS) == vectors).all()


def test_a_model_of_a_base_says_so_and_travels_as_paths(
    base: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    run = tmp_path / "adapter"
    expected = train(base, run).classify(TEXTS)
    shared = attend.BaseModel(base)
    models = [shared.classifier(run), shared.classifier(attention_beta=2), shared.classifier()]
    written = f"attend.BaseModel({str(base)!r})"
    assert [repr(one) for one in (shared, *models)] == [
        written,
        f"{written}.classifier({str(run)!r})",
        f"{written}.classifier(attention_beta=2.0)",
        f"{written}.classifier()",
    ]
    copies = pickle.loads(pickle.dumps(models))
    assert [repr(one) for one in copies] == [repr(one) for one in models]
    assert [one.classify(TEXTS) for one in copies] == [one.classify(TEXTS) for one in models]
    assert copies[0].classify(TEXTS) == expected
    assert copies[0].path == str(base)


def test_a_base_names_what_does_not_fit(
    base: pathlib.Path, models: Models, tmp_path: pathlib.Path
) -> None:
    run = tmp_path / "adapter"
    train(base, run)
    with pytest.raises(attend.DataError, match="expected a model for translation"):
        attend.BaseModel(base).translator()
    with pytest.raises(attend.DataError, match="model that it adapts"):
        attend.BaseModel(models.translator).classifier(run)
    with pytest.raises(attend.ConfigError, match="expected no adapter beside them"):
        attend.BaseModel(base).classifier(run, heads_off="encoder.*")
    with pytest.raises(attend.ConfigError, match="encoder.layers.9"):
        attend.BaseModel(base).classifier(heads_off="encoder.layers.9.self_attn")
    with pytest.raises(attend.IoError):
        attend.BaseModel(tmp_path / "missing.safetensors")
