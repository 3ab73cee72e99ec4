#!/usr/bin/env python3
"""Small random models in checkpoints that fairseq writes, and what it makes of a few texts: tests/interchange/data/models/fairseq_*.

    python tools/make_fairseq_fixtures.py FAIRSEQ [NAME ...]

FAIRSEQ is the unpacked source of fairseq 0.12.2 (pip download --no-deps fairseq==0.12.2), which needs no compiled part here. Each folder
holds the checkpoint with the dictionaries and the subword file, golden.safetensors in the form of tools/golden_of_huggingface.py, and
record.json: translations with their scores, and the log-probability of every token of given ones. Checkpoints of old versions are those
that fairseq's own code for old checkpoints reads. Needs torch, safetensors, sentencepiece, subword-nmt, sacrebleu, bitarray, hydra-core 1.0
and omegaconf 2.0.
"""

import argparse
import dataclasses
import functools
import json
import os
import pathlib
import random
import shutil
import sys

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "tests/interchange/data/models"
TEXTS = ["the old man reads a book .", "a child plays in the red garden today", "lower newest widest slow", "großes Haus , kleine Katze !",
         "x", "lowest  lowest  ünder ☃", "the thethe therthe", "ab ba abba bab", "he sees the cat"]
TARGETS = ["der alte Mann liest ein Buch .", "ein Kind", "niedrig neuest", "Haus", "x", "ünder", "der derder", "ab", "er sieht die Katze"]
LOOKED_INTO = 2


def accept_mutable_defaults():
    """Newer Pythons refuse what fairseq's configurations have."""
    original = dataclasses._get_field

    def lenient(cls, name, kind, *rest):
        default = getattr(cls, name, None)
        default = default.default if isinstance(default, dataclasses.Field) else default
        if dataclasses.is_dataclass(type(default)) and type(default).__hash__ is None:
            type(default).__hash__ = object.__hash__
        return original(cls, name, kind, *rest)

    dataclasses._get_field = lenient


def load_what_was_written_here():
    """Newer versions of PyTorch load only tensors by default."""
    torch.load = functools.partial(torch.load, weights_only=False)


def lines(seed, words):
    generator = random.Random(seed)
    return [" ".join(generator.choice(words) for _ in range(generator.randint(3, 8))) for _ in range(200)]


SOURCE_WORDS = "the old man reads a book . child plays in red garden today low lower lowest new newer newest wide widest slow cat house ab abba".split()
TARGET_WORDS = "der alte Mann liest ein Buch . Kind spielt im roten Garten heute niedrig niedriger neu neuest weit langsam Katze Haus ab er".split()


class Fixture:
    """The files of a model in a folder."""

    def __init__(self, name, arguments, subwords, joined=False, container="zip", version=None):
        self.folder = DATA / name
        self.arguments, self.subwords, self.joined, self.container, self.version = arguments, subwords, joined, container, version
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.random = torch.Generator().manual_seed(sum(map(ord, name)))
        self.write_texts()
        self.build()

    def split(self, text):
        return self.bpe.encode(text) if self.bpe else text

    def write_texts(self):
        from fairseq.data import Dictionary, encoders
        corpus = {"en": lines(1, SOURCE_WORDS), "de": lines(2, TARGET_WORDS)}
        both = corpus["en"] + corpus["de"]
        self.bpe = None
        if self.subwords == "sentencepiece":
            self.write_sentencepiece(both)
        elif self.subwords:
            self.write_codes(both)
        counts = {side: [word for line in (both if self.joined else corpus[side]) for word in self.split(line).split()] for side in corpus}
        for side, words in counts.items():
            dictionary = Dictionary()
            for word in words:
                dictionary.add_symbol(word)
            dictionary.finalize(nwords=60, padding_factor=8)
            dictionary.save(str(self.folder / f"dict.{side}.txt"))

    def write_sentencepiece(self, corpus):
        import sentencepiece
        from fairseq.data import encoders
        text = self.folder / "text"
        text.write_text("\n".join(corpus) + "\n", encoding="utf-8")
        model = self.folder / "sentencepiece.bpe"
        sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=str(model), vocab_size=70, model_type="bpe",
                                                 normalization_rule_name="identity")
        text.unlink()
        (self.folder / "sentencepiece.bpe.vocab").unlink()
        self.bpe = encoders.build_bpe(argparse.Namespace(bpe="sentencepiece", sentencepiece_model=f"{model}.model",
                                                         sentencepiece_enable_sampling=False, sentencepiece_alpha=None))

    def write_codes(self, corpus):
        from fairseq.data import encoders
        from subword_nmt.learn_bpe import learn_bpe
        codes = self.folder / ("code" if self.subwords == "fastbpe" else "bpecodes")
        with open(codes, "w", encoding="utf-8") as out:
            learn_bpe(corpus, out, 60)
        if self.subwords == "0.1":  # as that version wrote them, the end of a word is a symbol of its own
            merges = codes.read_text(encoding="utf-8").split("\n")[1:]
            ends = sorted({line.split()[1][:-4] for line in merges if line.endswith("</w>") and len(line.split()[1]) == 5})
            plain = [line.replace("</w>", "") for line in merges if line]
            codes.write_text("\n".join(dict.fromkeys(plain[:30] + [f"{end} </w>" for end in ends] + plain[30:])) + "\n", encoding="utf-8")
        self.bpe = encoders.build_bpe(argparse.Namespace(bpe="subword_nmt", bpe_codes=str(codes), bpe_separator="@@"))
        if self.subwords == "fastbpe":  # which has the same merges with counts
            merges = codes.read_text(encoding="utf-8").strip().split("\n")[1:]
            codes.write_text("".join(f"{line} {1000 - i}\n" for i, line in enumerate(merges)), encoding="utf-8")

    def options(self):
        return [os.path.relpath(self.folder), "--source-lang", "en", "--target-lang", "de"]

    def change(self, cfg):
        """Sets what no option does."""

    def build(self):
        from fairseq import checkpoint_utils, options, tasks
        from fairseq.dataclass.utils import convert_namespace_to_omegaconf
        from fairseq.trainer import Trainer
        parser = options.get_training_parser()
        args = options.parse_args_and_arch(parser, [*self.options(), "--cpu", "--optimizer", "adam", "--max-tokens", "100", *self.arguments])
        cfg = convert_namespace_to_omegaconf(args)
        self.change(cfg)
        self.task = tasks.setup_task(cfg.task)
        model = self.task.build_model(cfg.model)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if "layer_norm" in name or "layernorm" in name:
                    parameter.add_(0.2 * torch.randn(parameter.shape, generator=self.random))
                else:
                    parameter.copy_((0.3 if parameter.dim() > 1 else 0.1) * torch.randn(parameter.shape, generator=self.random))
        self.make_outputs_end(model.decoder)
        path = self.folder / "checkpoint_best.pt"
        if self.version is None:
            trainer = Trainer(cfg, self.task, model, self.task.build_criterion(cfg.criterion))
            trainer.consolidate_optimizer()
            trainer.save_checkpoint(str(path), {"train_iterator": {"epoch": 1}, "val_loss": 3.25})
        else:
            torch.save(self.older_state(model, args), path, _use_new_zipfile_serialization=self.container == "zip")
        [self.model], _, _ = checkpoint_utils.load_model_ensemble_and_task([str(path)])
        self.model.eval()
        for layer in getattr(self.model, "encoder", self.model.decoder).layers:
            layer.load_to_BT = False  # the fast path asks for what newer versions of PyTorch do not have

    @torch.no_grad()
    def make_outputs_end(self, decoder):
        """A direction that every output has, and the end of a sentence with it."""
        last = decoder.layers[-1]
        is_normalized = decoder.layer_norm is not None and "final" not in (self.version or {"without": []})["without"]
        bias = decoder.layer_norm.bias if is_normalized else last.fc2.bias if last.normalize_before else last.final_layer_norm.bias
        bias.add_(0.5 * torch.randn(bias.shape, generator=self.random))
        direction = bias if decoder.project_out_dim is None else decoder.project_out_dim(bias)
        decoder.output_projection.weight[2] += 3 * direction / (direction @ direction)

    def older_state(self, model, args):
        """What a version wrote that had fewer options, one tensor for queries, keys and values, and numbered normalizations."""
        state, numbers = {}, {"self_attn_layer_norm": 0, "encoder_attn_layer_norm": 1}
        for name, value in model.state_dict().items():
            part = name.split(".")
            if name.endswith("q_proj.weight") or name.endswith("q_proj.bias"):
                joined = torch.cat([model.state_dict()[name.replace("q_proj", which)] for which in ("q_proj", "k_proj", "v_proj")])
                state[name.replace("q_proj.", "in_proj_")] = joined
            elif part[-1].endswith(("_weight", "_bias")):  # copies that only the newest versions have
                continue
            elif "k_proj" in name or "v_proj" in name or "output_projection" in name and "output_projection" in self.version["without"]:
                continue
            elif len(part) == 5 and part[3].endswith("layer_norm"):
                last = 2 if part[0] == "decoder" else 1
                state[".".join([*part[:3], "layer_norms", str(numbers.get(part[3], last)), part[4]])] = value
            elif name == "decoder.output_projection.weight":
                state["decoder.embed_out"] = value
            elif name.endswith("version"):
                state[name] = torch.tensor([float(self.version["version"])])
            else:
                state[name] = value
        if "final" in self.version["without"]:
            state = {name: value for name, value in state.items() if not name.startswith(("encoder.layer_norm.", "decoder.layer_norm."))}
        for option in self.version["without_options"]:
            vars(args).pop(option, None)
        for sinusoids in self.version.get("sinusoids", []):
            state[sinusoids] = torch.zeros(3, 4)
        return {"args": args, "model": state, "optimizer_history": [{"criterion_name": "CrossEntropyCriterion", "num_updates": 7, "best_loss": 2.5}],
                "extra_state": {"epoch": 1, "train_meters": {"loss": older_meter()}}, "last_optimizer_state": {"state": {}}}

    def source(self, text):
        return self.task.source_dictionary.encode_line(self.split(text), add_if_not_exist=False).long()

    def search(self, text, **options):
        generator = self.task.build_generator([self.model], argparse.Namespace(**options))
        ids = self.source(text)[None]
        sample = {"net_input": {"src_tokens": ids, "src_lengths": torch.tensor([ids.shape[1]])}}
        return generator.generate([self.model], sample)[0]

    def text_of(self, ids):
        text = self.task.target_dictionary.string(ids)
        return self.bpe.decode(text) if self.bpe else text

    @torch.no_grad()
    def record(self):
        dictionary = self.task.target_dictionary
        ids, written, greedy = [], [], []
        states = {"encoder": [], "decoder": [], "logits": []}
        records = []
        for text, target in zip(TEXTS, TARGETS):
            source = self.source(text)
            ids.append(source.tolist())
            output = self.search(text, beam=1, max_len_a=0, max_len_b=14)[0]["tokens"].tolist()
            # What the length ended is cut, not ended.
            written.append([dictionary.eos()] + (output[:-1] if len(output) == 15 else output))
            greedy.append(self.text_of(torch.tensor(written[-1])))
            if len(written) <= LOOKED_INTO:
                self.look_into(source, written[-1], states)
            beams = [{"text": self.text_of(h["tokens"]), "score": float(h["score"]), "ids": h["tokens"].tolist()}
                     for h in self.search(text, beam=5, max_len_a=0, max_len_b=30)]
            records.append({"source": text, "beam": beams, "target": target, "target_scores": self.scores(source, target)})
        tensors = {}
        for name, sequences in (("ids", ids), ("written", written)):
            put_ids(tensors, name, sequences)
        for side in ("encoder", "decoder"):
            for layer in range(len(states[side][0])):
                tensors[f"{side}.{layer}"] = torch.cat([run[layer] for run in states[side]]).contiguous()
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        save_file(tensors, self.folder / "golden.safetensors",
                  {"kind": "translation", "texts": json.dumps(TEXTS), "greedy": json.dumps(greedy), "fairseq": "0.12.2"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def look_into(self, source, target, states):
        run = self.model.encoder(source[None], torch.tensor([len(source)]), return_all_hiddens=True)
        layers = [state[:, 0] for state in run["encoder_states"]]
        states["encoder"].append(layers[:-1] + [run["encoder_out"][0][:, 0]])
        features, extra = self.model.decoder(torch.tensor([target]), encoder_out=run, features_only=True)
        states["decoder"].append([state[:, 0] for state in extra["inner_states"]][:-1] + [features[0]])
        states["logits"].append(self.model.decoder.output_layer(features)[0])

    def scores(self, source, target):
        tokens = self.task.target_dictionary.encode_line(self.split(target), add_if_not_exist=False).long()
        before = torch.cat([tokens[-1:], tokens[:-1]])
        logits, _ = self.model(source[None], torch.tensor([len(source)]), before[None])
        return torch.log_softmax(logits[0], -1)[torch.arange(len(tokens)), tokens].tolist()


def put_ids(tensors, name, sequences):
    offsets = [0]
    for sequence in sequences:
        offsets.append(offsets[-1] + len(sequence))
    tensors[name] = torch.tensor(sum(sequences, []), dtype=torch.int32)
    tensors[name + ".offsets"] = torch.tensor(offsets, dtype=torch.int32)


def older_meter():
    from fairseq.meters import AverageMeter
    return AverageMeter()


SMALL = ["--encoder-embed-dim", "16", "--decoder-embed-dim", "16", "--encoder-ffn-embed-dim", "24", "--decoder-ffn-embed-dim", "24",
         "--encoder-attention-heads", "2", "--decoder-attention-heads", "2", "--encoder-layers", "2", "--decoder-layers", "2"]
PRE = ["--encoder-normalize-before", "--decoder-normalize-before"]
NEWER_OPTIONS = ["adaptive_input", "cross_self_attention", "no_cross_attention", "layernorm_embedding", "no_scale_embedding", "encoder_layerdrop",
                 "decoder_layerdrop", "quant_noise_pq", "activation_fn", "checkpoint_activations", "task"]


def main():
    torch.set_num_threads(1)
    accept_mutable_defaults()
    load_what_was_written_here()
    sys.path.insert(0, sys.argv[1])
    import fairseq  # noqa: F401
    fixtures = {
        # A model of today with its optimizer.
        "fairseq_joined": lambda n: Fixture(n, ["--arch", "transformer_iwslt_de_en", "--share-all-embeddings", "--dropout", "0.2", *SMALL], "0.2", joined=True),
        "fairseq_pre": lambda n: Fixture(n, ["--arch", "transformer", "--encoder-learned-pos", "--decoder-learned-pos", "--layernorm-embedding",
                                             "--activation-fn", "gelu_accurate", "--max-source-positions", "40", "--max-target-positions", "40",
                                             *PRE, *SMALL], "sentencepiece"),
        "fairseq_words": lambda n: Fixture(n, ["--arch", "transformer_wmt_en_de_big_t2t", "--share-decoder-input-output-embed", "--no-scale-embedding",
                                               *SMALL, "--decoder-layers", "1"], None),
        # Of older versions: one that did not normalize its output, and one of the containers of PyTorch before 1.6.
        "fairseq_older": lambda n: Fixture(n, ["--arch", "transformer_wmt_en_de", *SMALL], "0.1", container="legacy",
                                           version={"version": 3, "without": ["embed_out"], "without_options": NEWER_OPTIONS,
                                                    "sinusoids": ["encoder.embed_positions.weights"]}),
        "fairseq_oldest": lambda n: Fixture(n, ["--arch", "transformer", "--share-decoder-input-output-embed", *PRE, *SMALL], "fastbpe",
                                            version={"version": 1, "without": ["final", "output_projection"], "without_options": NEWER_OPTIONS}),
    }
    for name, make in fixtures.items():
        if not sys.argv[2:] or name in sys.argv[2:]:
            make(name).record()


if __name__ == "__main__":
    main()
