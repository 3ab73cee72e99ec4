#!/usr/bin/env python3
"""Small random models in checkpoints that OpenNMT-py writes, and what it makes of a few texts: tests/interchange/data/models/opennmt_*.

    python tools/make_opennmt_fixtures.py [NAME ...]

Each folder holds the checkpoint with the file that splits words, golden.safetensors in the form of tools/golden_of_huggingface.py, and
record.json: translations with their scores, and the log-probability of every token of given ones. The checkpoint of version 2 has classes
with the names and attributes that torchtext's had; its weights are read by OpenNMT-py 3 as those of version 3. Needs OpenNMT-py 3.5.1,
pyonmttok, torch, safetensors, sentencepiece and subword-nmt; what else OpenNMT-py imports may be missing.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import types

import torch
from safetensors.torch import save_file

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/interchange/data/models"
TEXTS = ["the old man reads a book .", "a child plays in the red garden today", "lower newest widest slow", "großes Haus , kleine Katze !",
         "x", "lowest  lowest  ünder ☃", "the thethe therthe", "ab ba abba bab", "he sees the cat"]
TARGETS = ["der alte Mann liest ein Buch .", "ein Kind", "niedrig neuest", "Haus", "x", "ünder", "der derder", "ab", "er sieht die Katze"]
LOOKED_INTO = 2
WORDS = {"src": "the old man reads a book . child plays in red garden today low lower lowest new newer newest wide widest slow cat house ab abba".split(),
         "tgt": "der alte Mann liest ein Buch . Kind spielt im roten Garten heute niedrig niedriger neu neuest weit langsam Katze Haus ab er".split()}
SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]


class Missing(types.ModuleType):
    """Modules that only parts of OpenNMT-py need which are not used here."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def import_opennmt():
    for name in ("spacy", "spacy.language", "fasttext", "ahocorasick"):
        sys.modules[name] = Missing(name)
    import onmt.modules.embeddings as embeddings

    original = embeddings.PositionalEncoding.__init__
    embeddings.PositionalEncoding.__init__ = lambda self, dim, enc_type, max_len=60: original(self, dim, enc_type, max_len)  # for small files


class Fixture:
    def __init__(self, name, subwords, joined=False, version=3, **options):
        self.folder = DATA / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.random = torch.Generator().manual_seed(sum(map(ord, name)))
        self.subwords, self.joined, self.version, self.options = subwords, joined, version, options
        self.write_texts()
        self.build()

    def split(self, text):
        if self.subwords == "bpe":
            return self.bpe.process_line(text).split()
        return self.pieces.encode(text, out_type=str) if self.subwords else text.split()

    def write_texts(self):
        generator = random.Random(3)
        corpus = {side: [" ".join(generator.choice(words) for _ in range(generator.randint(3, 8))) for _ in range(200)] for side, words in WORDS.items()}
        both = corpus["src"] + corpus["tgt"]
        if self.subwords == "bpe":
            from subword_nmt.apply_bpe import BPE
            from subword_nmt.learn_bpe import learn_bpe
            codes = self.folder / "bpe.codes"
            with open(codes, "w", encoding="utf-8") as out:
                learn_bpe(both, out, 60)
            self.bpe = BPE(open(codes, encoding="utf-8"))
        elif self.subwords:
            import sentencepiece
            text, model = self.folder / "text", self.folder / "spm"
            text.write_text("\n".join(both) + "\n", encoding="utf-8")
            sentencepiece.SentencePieceTrainer.train(input=str(text), model_prefix=str(model), vocab_size=70, normalization_rule_name="identity")
            text.unlink()
            (self.folder / "spm.vocab").unlink()
            self.pieces = sentencepiece.SentencePieceProcessor(model_file=f"{model}.model")
        self.vocab = {"data_task": "seq2seq", "decoder_start_token": "<s>"}
        for side, lines in corpus.items():
            words = sorted({word for line in (both if self.joined else lines) for word in self.split(line)})
            self.vocab[side] = SPECIALS + words[:50]

    def build(self):
        from onmt import opts
        from onmt.inputters.inputter import dict_to_vocabs
        from onmt.model_builder import build_base_model
        from onmt.models.model_saver import ModelSaver
        from onmt.utils.parse import ArgumentParser
        parser = ArgumentParser()
        opts.train_opts(parser)
        options = {"encoder_type": "transformer", "decoder_type": "transformer", "layers": 2, "hidden_size": 16, "word_vec_size": 16, "heads": 2,
                   "transformer_ff": 24, "src_vocab": "none", "tgt_vocab": "none", "data": "{}", "save_model": os.path.relpath(self.folder / "model"), **self.options}
        arguments = [part for key, value in options.items() for part in (["-" + key] if value is True else ["-" + key, str(value)])]
        opt, _ = parser.parse_known_args(arguments)
        opt.data, opt.transforms = {}, {"bpe": ["bpe"], "sentencepiece": ["sentencepiece", "filtertoolong"], None: []}[self.subwords]
        opt.src_subword_model = opt.tgt_subword_model = {"bpe": "/somewhere/bpe.codes", "sentencepiece": "/somewhere/spm.model", None: None}[self.subwords]
        ArgumentParser.update_model_opts(opt)
        ArgumentParser.validate_model_opts(opt)
        self.vocabs = dict_to_vocabs(self.vocab)
        self.model = build_base_model(opt, self.vocabs).eval()
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                deviation = 0.3 if parameter.dim() > 1 else 0.1
                parameter.copy_((1 if "layer_norm" in name and "weight" in name else 0) + deviation * torch.randn(parameter.shape, generator=self.random))
            self.model.generator.bias[self.vocabs["tgt"]["</s>"]] += 3  # outputs end
        optimizer = types.SimpleNamespace(state_dict=lambda: {"training_step": 3, "decay_step": 4, "optimizer": {"state": {}}})
        saver = ModelSaver(str(self.folder / "model"), self.model, opt, self.vocabs, optimizer, device_id=0)
        saver.save(1)
        path = self.folder / "model_step_1.pt"
        if self.version == 2:
            self.write_older(path)

    def write_older(self, path):
        """As version 2: vocabularies in objects of torchtext, and a generator that is a sequence of modules."""
        state = torch.load(path, weights_only=False)
        text_field = older_class("onmt.inputters.text_dataset", "TextMultiField")
        field, vocabulary = older_class("torchtext.data.field", "Field"), older_class("torchtext.vocab", "Vocab")

        def objects(entries, side):
            words, inner, outer = vocabulary(), field(), text_field()
            words.__dict__ = {"freqs": {}, "itos": entries, "stoi": {entry: i for i, entry in enumerate(entries)}, "vectors": None}
            inner.__dict__ = {"sequential": True, "dtype": torch.int64, "vocab": words, "pad_token": "<blank>"}
            outer.__dict__ = {"fields": [(side, inner)], "is_target": False}
            return outer

        state["vocab"] = {side: objects(self.vocab[side], side) for side in ("src", "tgt")}
        state["generator"] = {"0." + name: value for name, value in state["generator"].items()}
        for option in ("num_kv", "norm_eps", "layer_norm", "add_ffnbias", "rotary_theta", "rotary_interleave", "rotary_dim", "num_experts", "sliding_window",
                       "parallel_residual", "shared_layer_norm", "relative_positions_buckets", "lora_layers", "quant_layers", "position_encoding_type"):
            delattr(state["opt"], option)
        torch.save(state, path)

    def ids(self, side, text):
        return [self.vocabs[side][word] for word in self.split(text)]

    def text_of(self, ids):
        words = [self.vocabs["tgt"].ids_to_tokens[i] for i in ids]
        if self.subwords == "sentencepiece":
            return "".join(words).replace("▁", " ").strip()
        return (" ".join(words) + " ").replace("@@ ", "").rstrip() if self.subwords else " ".join(words)

    def search(self, ids, beam, most):
        """What its translator does, without what needs files: beam search by its own class."""
        from onmt.translate.beam_search import BeamSearch
        from onmt.translate.penalties import PenaltyBuilder
        from onmt.translate.beam_search import GNMTGlobalScorer
        vocabulary = self.vocabs["tgt"]
        scorer = GNMTGlobalScorer(0.0, 0.0, "none", "none")
        search = BeamSearch(beam, batch_size=1, pad=vocabulary["<blank>"], bos=vocabulary["<s>"], eos=vocabulary["</s>"], unk=vocabulary["<unk>"],
                            start=vocabulary["<s>"], n_best=beam, global_scorer=scorer, min_length=0, max_length=most, return_attention=False,
                            block_ngram_repeat=0, exclusion_tokens=set(), stepwise_penalty=False, ratio=0.0, ban_unk_token=False)
        source, length = torch.tensor([ids])[:, :, None], torch.tensor([len(ids)])
        states, final, length = self.model.encoder(source, length)
        self.model.decoder.init_state(source, states, final)
        expand, states, _ = search.initialize(states, length)
        self.model.decoder.map_state(expand)
        for step in range(most):
            output, _ = self.model.decoder(search.current_predictions.view(-1, 1, 1), states, src_len=search.src_len, step=step, return_attn=False)
            search.advance(torch.log_softmax(self.model.generator(output.squeeze(1)), -1), None)
            if any(any(finished) for finished in search.is_finished_list):
                search.update_finished()
                if search.done:
                    break
                states = states[search.select_indices]
            order = search.select_indices
            self.model.decoder.map_state(lambda state, dim: state[order])
        return [{"ids": [int(i) for i in prediction], "score": float(score)} for prediction, score in zip(search.predictions[0], search.scores[0])]

    def decode(self, source, target):
        states, final, length = self.model.encoder(torch.tensor([source])[:, :, None], torch.tensor([len(source)]))
        self.model.decoder.init_state(torch.tensor([source])[:, :, None], states, final)
        output, _ = self.model.decoder(torch.tensor([target])[:, :, None], states, src_len=length, step=None)
        return states, output

    def greedy(self, source, most):
        start, end = self.vocabs["tgt"]["<s>"], self.vocabs["tgt"]["</s>"]
        written = [start]
        while len(written) <= most and written[-1] != end:
            _, output = self.decode(source, written)
            written.append(int(self.model.generator(output[0, -1]).argmax()))
        return written

    @torch.no_grad()
    def record(self):
        all_ids, written, greedy, records = [], [], [], []
        states = {"encoder": [], "decoder": [], "logits": []}
        end = self.vocabs["tgt"]["</s>"]
        for text, target in zip(TEXTS, TARGETS):
            source = self.ids("src", text)
            all_ids.append(source)
            written.append(self.greedy(source, 14))
            greedy.append(self.text_of([i for i in written[-1][1:] if i != end]))
            if len(written) <= LOOKED_INTO:
                self.look_into(source, written[-1], states)
            goal = self.ids("tgt", target)
            _, output = self.decode(source, [self.vocabs["tgt"]["<s>"], *goal])
            scores = torch.log_softmax(self.model.generator(output[0]), -1)
            beams = self.search(source, 5, 30)
            for beam in beams:
                beam["text"] = self.text_of([i for i in beam["ids"] if i != end])
            records.append({"source": text, "target": target, "target_scores": scores[torch.arange(len(goal) + 1), torch.tensor([*goal, end])].tolist(),
                            "beam": beams})
        tensors = {}
        for name, sequences in (("ids", all_ids), ("written", written)):
            offsets = [0]
            for sequence in sequences:
                offsets.append(offsets[-1] + len(sequence))
            tensors[name], tensors[name + ".offsets"] = torch.tensor(sum(sequences, []), dtype=torch.int32), torch.tensor(offsets, dtype=torch.int32)
        for side in ("encoder", "decoder"):
            for layer in range(len(states[side][0])):
                tensors[f"{side}.{layer}"] = torch.cat([run[layer] for run in states[side]]).contiguous()
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        save_file(tensors, self.folder / "golden.safetensors",
                  {"kind": "translation", "texts": json.dumps(TEXTS), "greedy": json.dumps(greedy), "opennmt": "3.5.1"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def look_into(self, source, target, states):
        """The input of every stack, and the output of every layer, the last one normalized."""
        layers = {"encoder": self.model.encoder.transformer, "decoder": self.model.decoder.transformer_layers}
        seen = {side: [] for side in layers}
        hooks = []
        for side, stack in layers.items():
            hooks.append(stack[0].register_forward_pre_hook(lambda _, inputs, side=side: seen[side].append(inputs[0][0])))
            for layer in stack:
                hooks.append(layer.register_forward_hook(lambda _, __, out, side=side: seen[side].append((out[0] if isinstance(out, tuple) else out)[0])))
        encoded, decoded = self.decode(source, target)
        for hook in hooks:
            hook.remove()
        states["encoder"].append(seen["encoder"][:-1] + [encoded[0]])
        states["decoder"].append(seen["decoder"][:-1] + [decoded[0]])
        states["logits"].append(self.model.generator(decoded[0]))


def older_class(module, name):
    """A class of a module that is no longer there."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:count]), types.ModuleType(".".join(parts[:count])))
    made = type(name, (), {"__module__": module})
    setattr(sys.modules[module], name, made)
    return made


def main():
    torch.set_num_threads(1)
    import_opennmt()
    fixtures = {
        "opennmt_joined": lambda n: Fixture(n, "bpe", joined=True, share_vocab=True, share_embeddings=True, share_decoder_embeddings=True,
                                            position_encoding=True, add_qkvbias=True, add_ffnbias=True),
        "opennmt_rotary": lambda n: Fixture(n, "sentencepiece", max_relative_positions=-1, pos_ffn_activation_fn="silu", layer_norm="rms"),
        "opennmt_older": lambda n: Fixture(n, None, version=2, position_encoding=True, add_qkvbias=True, add_ffnbias=True, pos_ffn_activation_fn="gelu",
                                           share_decoder_embeddings=True),
    }
    for name, make in fixtures.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            make(name).record()


if __name__ == "__main__":
    main()
