#!/usr/bin/env python3
"""Small models of COMET with random weights, and what COMET computes with them: tests/interchange/data/models/comet_*.

    python3 -m venv build/comet && build/comet/bin/pip install 'unbabel-comet==2.2.7' && build/comet/bin/python tools/make_comet_fixtures.py

Each directory has what the Hugging Face Hub has of a model of COMET, hparams.yaml and checkpoints/model.ckpt, and beside it the settings and the
tokenizer of its encoder, which COMET takes from another model of the Hub. record.json holds texts with their scores, and of some what is inside.
choices.jsonl holds sources with candidates for their translation, and the values that these are chosen by: what comet-mbr computes with a model
that reads references, else the scores of predict(). With --choices COUNT and --seed SEED, only these are written, of the models that there are.
"""

import argparse
import json
import logging
import os
import pathlib
import random
import shutil
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import pytorch_lightning  # noqa: E402
import sentencepiece  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
import yaml  # noqa: E402
from comet.cli import mbr  # noqa: E402
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric, load_from_checkpoint  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/interchange/data/models"
CHOICES = 12  # sources, for each model
ENCODER = "attend-tests/small-xlm-r"  # in the hyperparameters, as the Hub names models

SENTENCES = [
    "A man is walking with his dog.", "Two children play football in the rain!", "I don't know; do you?", "She reads a book in the garden.",
    "Ein Mann geht mit seinem Hund spazieren.", "Zwei Kinder spielen im Regen Fußball!", "Ich weiß es nicht; weißt du es?",
    "Человек гуляет с собакой.", "一个人在遛狗。", "男が犬と散歩している。", "رجل يمشي مع كلبه.", "आदमी कुत्ते के साथ चल रहा है।"]

# Source, translation, reference.
TEXTS = [
    ("Ein Mann geht mit seinem Hund spazieren.", "A man is walking with his dog.", "A man walks his dog."),
    ("Ich weiß es nicht; weißt du es?", "I don't know; do you?", "I do not know, do you?"),
    ("Ein Mann", "A man", "A man"),
    ("", "", ""),
    ("", "A dog", ""),
    ("Hund", "", "dog"),
    ("  Zwei Kinder   spielen ", "Two\tchildren\u00a0play  ", " Two children play"),
    ("Zwei Kinder\nspielen im Regen.", "Two children\r\nplay in the rain.", "Two children\u2028play in the rain."),
    ("Человек гуляет с собакой.", "A man walks a dog. 🐕 ☃", "مرحبا رجل يمشي مع كلبه"),
    ("一个人在遛狗。", "男が犬と散歩している。", "개와 산책하는 남자 ๑ ไทย"),
    ("<s> Hund </s>", "A dog </s> <unk> <mask>", "a <s> dog"),
    ("x" * 40, "\ufffd\u200b\u0301e\u0301 é", "\u0000\u0007 A"),
    ("der Hund und " * 300, "the dog and " * 150, "a dog, " * 200),
    ("Ein Mann geht. " * 30, "A man walks. " * 250, "A man is walking. " * 3),
    ("Hund " * 16, "dog " * 17, "dog " * 15),
]
# The token of padding in a text: COMET does not pool it, or leaves it out.
PADDED = ("Ein <pad> Hund", "A <pad> <pad> dog", "<pad>A dog")


def random_texts(count, seed):
    """Texts that nobody chose: of the words of the sentences, and of characters of any kind."""
    draw = random.Random(seed)
    words = " ".join(SENTENCES).split()
    blocks = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x4FF), (0x5D0, 0x5EA), (0x620, 0x64A), (0x900, 0x939), (0xE01, 0xE3A),
              (0x3041, 0x3096), (0x4E00, 0x4F00), (0xAC00, 0xAD00), (0x1F600, 0x1F640)]

    def text():
        parts = []
        for _ in range(draw.randrange(0, 14)):
            if draw.random() < 0.7:
                parts.append(draw.choice(words))
            else:
                low, high = draw.choice(blocks)
                parts.append("".join(chr(draw.randint(low, high)) for _ in range(draw.randrange(1, 6))))
        return draw.choice(["", " "]).join(parts) if draw.random() < 0.1 else " ".join(parts)

    return [(text(), text(), text()) for _ in range(count)]


def read_again(folder):
    """The model of a directory, with the encoder that is beside it."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = pathlib.Path(temporary) / "model"
        shutil.copytree(folder, copy)
        hparams = yaml.safe_load((copy / "hparams.yaml").read_text())
        hparams["pretrained_model"] = str(copy)
        (copy / "hparams.yaml").write_text(yaml.dump(hparams))
        content = torch.load(copy / "checkpoints/model.ckpt", weights_only=False)
        content["hyper_parameters"]["pretrained_model"] = str(copy)
        torch.save(content, copy / "checkpoints/model.ckpt")
        model = load_from_checkpoint(str(copy / "checkpoints/model.ckpt"), local_files_only=True)
    model.eval()
    return model


def mbr_values(model, source, candidates):
    """Those of comet-mbr, which reads files; in 32 bits, on the CPU."""
    sources, translations = mbr.build_embeddings([source], candidates, model, batch_size=4)
    return mbr.mbr_decoding(sources, translations.reshape(1, len(candidates), -1), model)[0].tolist()


def write_choices(folder, count, seed):
    model, draw = read_again(folder), random.Random(seed)
    given = [text for texts in TEXTS for text in texts]
    others = [text for texts in random_texts(count * 3, seed) for text in texts]
    with open(folder / "choices.jsonl", "w") as file, torch.no_grad():
        for _ in range(count):
            source = draw.choice(given if draw.random() < 0.3 else others)
            candidates = [draw.choice(given if draw.random() < 0.3 else others) for _ in range(draw.randrange(2, 8))]
            candidates += [draw.choice(["", " ", "\t"]) + one for one in candidates if draw.random() < 0.3]  # equal ones, as lines of files
            draw.shuffle(candidates)
            read = [one.strip() for one in candidates]
            if model.requires_references():
                values = mbr_values(model, source.strip(), read)
            else:
                values = [scores(model, [{"src": source.strip(), "mt": one}])[0] for one in read]
            file.write(json.dumps({"source": source, "candidates": candidates, "values": values}) + "\n")


def write_encoder(folder, layers, positions, normalization):
    (folder / "text").write_text("\n".join(SENTENCES * 3) + "\n")
    sentencepiece.SentencePieceTrainer.train(input=str(folder / "text"), model_prefix=str(folder / "sentencepiece.bpe"), vocab_size=170,
                                             minloglevel=2, character_coverage=1.0, hard_vocab_limit=False, num_threads=1,
                                             normalization_rule_name=normalization, unk_id=0, bos_id=1, eos_id=2)
    (folder / "text").unlink()
    (folder / "sentencepiece.bpe.vocab").unlink()
    tokenizer = transformers.XLMRobertaTokenizer(str(folder / "sentencepiece.bpe.model"))
    tokenizer.save_pretrained(folder)
    transformers.XLMRobertaTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    config = transformers.XLMRobertaConfig(
        vocab_size=len(tokenizer) + 3, hidden_size=16, num_hidden_layers=layers, num_attention_heads=4, intermediate_size=24,
        max_position_embeddings=positions, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1, architectures=["XLMRobertaForMaskedLM"])
    transformers.XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    config.save_pretrained(folder)


def randomize(model, seed):
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "LayerNorm.weight" in name or name.endswith("gamma"):
                p.copy_(1 + 0.2 * torch.randn(p.shape, generator=generator))
            else:
                p.copy_((0.5 if "scalar_parameters" in name or "estimator" in name else 0.25) * torch.randn(p.shape, generator=generator))


def inside(model, texts):
    """The tokens of single texts, the vectors of their tokens in every layer, and the vectors of the texts."""
    records = []
    for text in texts:
        tokens = model.encoder.prepare_sample([text])
        hidden = model.encoder(**tokens)["all_layers"]
        record = {"text": text, "ids": tokens["input_ids"][0].tolist(), "layers": [layer[0].flatten().tolist() for layer in hidden]}
        if not isinstance(model, UnifiedMetric):
            record["vector"] = model.compute_sentence_embedding(**tokens)[0].tolist()
        records.append(record)
    return records


def scores(model, samples):
    batch = model.prepare_sample(samples, stage="predict")
    prediction = model.predict_step(batch)
    return prediction["scores"].tolist()


def write_record(path, record):
    """A line for each text."""
    lists = ",\n".join(f'"{key}": [\n' + ",\n".join(json.dumps(one) for one in record[key]) + "\n]" for key in ("inside", "texts"))
    path.write_text(f'{{{lists},\n"system_score": {record["system_score"]}}}\n')


def made(name, kind, seed, layers=2, positions=514, normalization="identity", patch=False, padded=True, **settings):
    folder = DATA / name
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "checkpoints").mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        encoder = pathlib.Path(temporary)
        write_encoder(encoder, layers, positions, normalization)
        model = kind(pretrained_model=str(encoder), batch_size=4, train_data=["data/train.csv"], validation_data=["data/dev.csv"], **settings)
        randomize(model, seed)
        trainer = pytorch_lightning.Trainer(logger=False, enable_checkpointing=True, accelerator="cpu", max_epochs=1,
                                            default_root_dir=temporary, enable_progress_bar=False)
        trainer.strategy.connect(model)
        checkpoint = folder / "checkpoints/model.ckpt"
        trainer.save_checkpoint(checkpoint)
        content = torch.load(checkpoint, weights_only=False)
        hparams = dict(content["hyper_parameters"])
        if patch:
            hparams["layer_transformation"] = "sparsemax_patch"
        (folder / "hparams.yaml").write_text(yaml.dump(hparams))
        loaded = load_from_checkpoint(str(checkpoint), local_files_only=True)
        loaded.eval()
        with torch.no_grad():
            record = {"inside": inside(loaded, [TEXTS[0][0], TEXTS[1][1], ""]), "texts": []}
            texts = TEXTS + ([PADDED] if padded else []) + random_texts(25, seed)
            for source, translation, reference in texts:
                sample = {"src": source, "mt": translation, "ref": reference}
                line = {"source": source, "translation": translation, "reference": reference, "score": scores(loaded, [sample])[0]}
                if kind is UnifiedMetric and "ref" in settings["input_segments"] and "src" in settings["input_segments"]:
                    del sample["ref"]
                    line["without_reference"] = scores(loaded, [sample])[0]
                record["texts"].append(line)
            batch = [{"src": s, "mt": t, "ref": r} for s, t, r in texts]
            together = loaded.predict(batch, batch_size=4, gpus=0, progress_bar=False, num_workers=0)
            record["system_score"] = together.system_score
            for line, score in zip(record["texts"], together.scores):
                assert abs(line["score"] - score) < 2e-5 * (1 + abs(score)), (name, line, score)
        content["hyper_parameters"]["pretrained_model"] = hparams["pretrained_model"] = ENCODER
        (folder / "hparams.yaml").write_text(yaml.dump(hparams))
        torch.save(content, checkpoint)
        write_record(folder / "record.json", record)
        vocabulary = "tokenizer.json" if normalization == "identity" else "sentencepiece.bpe.model"
        for file in ("config.json", "tokenizer_config.json", vocabulary):
            shutil.copy(encoder / file, folder / file)
    write_choices(folder, CHOICES, seed)
    print(name, round(record["system_score"], 4), [round(line["score"], 3) for line in record["texts"][:6]])


MODELS = {
    # As wmt22-comet-da: what its file calls sparsemax_patch is a softmax.
    "comet_regression": dict(kind=RegressionMetric, seed=1, normalization="nmt_nfkc", layer="mix", layer_norm=False, layer_transformation="sparsemax", patch=True,
                             pool="avg", hidden_sizes=[20, 7]),
    "comet_normed": dict(kind=RegressionMetric, seed=2, layers=3, layer_norm=True, layer_transformation="softmax", pool="cls", hidden_sizes=[9],
                         final_activation="Sigmoid"),
    "comet_layer": dict(kind=RegressionMetric, seed=8, layer=1, pool="max", padded=False, hidden_sizes=[8, 6, 5], activations="Identity",
                        final_activation="Tanh"),
    "comet_referenceless": dict(kind=ReferencelessRegression, seed=4, layers=3, layer_transformation="sparsemax", layer_norm=True, pool="avg",
                                hidden_sizes=[12, 6]),
    "comet_kiwi": dict(kind=UnifiedMetric, seed=5, layers=3, sent_layer="mix", layer_transformation="sparsemax", layer_norm=False,
                       input_segments=["mt", "src"], hidden_sizes=[14, 6]),
    "comet_unified": dict(kind=UnifiedMetric, seed=6, sent_layer=2, word_layer=1, word_level_training=True,
                          input_segments=["mt", "src", "ref"], hidden_sizes=[10], positions=70),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--choices", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or MODELS:
        if arguments.choices:
            write_choices(DATA / name, arguments.choices, arguments.seed)
        else:
            made(name, **MODELS[name])
