#!/usr/bin/env python3
"""Small random models in directories that eole writes, and what it makes of a few texts: tests/interchange/data/models/eole_*.

    python tools/make_eole_fixtures.py [NAME ...]

Each folder holds what eole saves, golden.safetensors in the form of tools/golden_of_huggingface.py, and record.json: translations with
their scores, and the log-probability of every token of given ones. Greedy and beam search are those of eole's engine, which reads the
folder. Needs eole 0.6.4, pyonmttok, torch, safetensors, sentencepiece and subword-nmt; what else eole imports may be missing.
"""

import json
import pathlib
import shutil
import sys
import types
import warnings

import torch
from make_fairseq_fixtures import put_ids
from make_opennmt_fixtures import LOOKED_INTO, TARGETS, TEXTS, Fixture
from safetensors.torch import save_file

SHAPE = {"layers": 2, "hidden_size": 16, "heads": 2, "transformer_ff": 24}
MOST = 14


def shorten_sinusoids():
    """For small files."""
    import eole.modules.embeddings as embeddings
    original = embeddings.PositionalEncoding.__init__
    embeddings.PositionalEncoding.__init__ = lambda self, dim, enc_type, max_len=60: original(self, dim, enc_type, max_len)


class EoleFixture(Fixture):
    architecture = "transformer"

    def __init__(self, name, subwords, embeddings, joined=False, ends=3, start="<s>", **options):
        self.embeddings, self.ends, self.start = embeddings, ends, start
        super().__init__(name, subwords, joined, **options)

    def write_texts(self):
        super().write_texts()
        self.vocab["decoder_start_token"] = self.start

    def model_settings(self):
        return {"architecture": self.architecture, **SHAPE, "embeddings": {"word_vec_size": 16, **self.embeddings}, **self.options}

    def build(self):
        from eole.config.run import TrainConfig
        from eole.inputters.inputter import dict_to_vocabs
        from eole.models.model import get_model_class
        from eole.transforms import get_transforms_cls, make_transforms
        transforms = {"bpe": ["bpe"], "sentencepiece": ["sentencepiece", "filtertoolong"], None: []}[self.subwords]
        model_file = {"bpe": "bpe.codes", "sentencepiece": "spm.model", None: None}[self.subwords]
        file = model_file and str(self.folder / model_file)
        kept = {self.subwords: {"src_subword_model": file, "tgt_subword_model": None if self.joined else file}} if file else {}
        config = TrainConfig(data={"made_up": {"path_src": __file__, "path_tgt": __file__}}, src_vocab="none", tgt_vocab="none", share_vocab=self.joined,
                             transforms=transforms, transforms_configs=kept, model=self.model_settings(),
                             training={"model_path": "model", "save_format": "safetensors", "self_attn_backend": "pytorch"})
        config.data["made_up"].path_src = config.data["made_up"].path_tgt = "corpus"
        specials = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<blank>", "unk_token": "<unk>"}
        self.vocabs = dict_to_vocabs({**self.vocab, "specials": specials})
        self.model = get_model_class(config.model).build(config.model, self.vocabs, config.training).eval()
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                deviation = 0.3 if parameter.dim() > 1 else 0.1
                is_gain = "norm" in name and "weight" in name and self.options.get("layer_norm") != "gemma-rms"
                parameter.copy_((1 if is_gain else 0) + deviation * torch.randn(parameter.shape, generator=self.random))
            self.make_outputs_end()
        self.save(config, make_transforms(config, get_transforms_cls(transforms), self.vocabs))

    def make_outputs_end(self):
        end, padding = (self.vocabs["tgt"][token] for token in ("</s>", "<blank>"))
        self.model.generator.weight[padding] = 0  # never the best: the model masks it in a target, and its search does not
        if self.model.generator.bias is not None:
            self.model.generator.bias[end] += self.ends
            self.model.generator.bias[padding] = -9
        else:  # the outputs have a direction in common, as every normalization has gains around 1 and a random bias
            self.model.generator.weight[end] += self.ends * self.model.decoder.layer_norm.bias.sign()

    def save(self, config, transforms):
        """By eole's own class, which writes step_1 and links to its files."""
        from eole.models.model_saver import TrainingModelSaver
        made = self.folder / "made"
        config.training.model_path = str(made)
        optimizer = types.SimpleNamespace(state_dict=lambda: {})
        saver = TrainingModelSaver(str(made), self.model, config, self.vocabs, optimizer, save_format="safetensors", transforms=transforms)
        config.training.model_path = "model"
        saver.save(1)
        for path in (made / "step_1").iterdir():
            if path.name != "optimizer.pt":
                shutil.move(path, self.folder / path.name)
        shutil.rmtree(made)

    def engine(self, **options):
        from eole.config.run import PredictConfig
        from eole.inference_engine import InferenceEnginePY
        return InferenceEnginePY(PredictConfig(model_path=str(self.folder), src="none", gpu_ranks=[], self_attn_backend="pytorch",
                                               max_length_ratio=0, compute_dtype="fp32", **options))

    def ids(self, side, text):
        return self.vocabs[side](self.split(text))

    def text_of(self, ids):
        words = [self.vocabs["tgt"].ids_to_tokens[i] for i in ids]
        if self.subwords == "sentencepiece":
            return self.pieces.decode_pieces(words)
        return (" ".join(words) + " ").replace("@@ ", "").rstrip() if self.subwords else " ".join(words)

    def decode(self, source, target):
        """With a token more, because a single one is what eole's search has, after others."""
        out = self.model(torch.tensor([source]), torch.tensor([[*target, 0, 0]]), torch.tensor([len(source)]))
        return out.dec_out[:, : len(target)]

    def written(self, source, text):
        start, end = self.vocabs["tgt"][self.start], self.vocabs["tgt"]["</s>"]
        written = [start]
        while len(written) <= MOST and (len(written) == 1 or written[-1] != end):
            written.append(int(self.model.generator(self.decode(source, written)[0, -1]).argmax()))
        return written

    @torch.no_grad()
    def record(self):
        all_ids, written, greedy, records = [], [], [], []
        states = {"encoder": [], "decoder": [], "logits": []}
        end = self.vocabs["tgt"]["</s>"]
        for text, target, beam in zip(TEXTS, TARGETS, self.beams()):
            source = self.ids("src", text)
            all_ids.append(source)
            written.append(self.written(source, text))
            greedy.append(self.text_of([i for i in written[-1][1:] if i != end]))
            if len(written) <= LOOKED_INTO:
                self.look_into(source, written[-1], states)
            goal = self.ids("tgt", target)
            scores = torch.log_softmax(self.model.generator(self.decode(source, [self.vocabs["tgt"][self.start], *goal])[0]), -1)
            records.append({"source": text, "target": target, "target_scores": scores[torch.arange(len(goal) + 1), torch.tensor([*goal, end])].tolist(), "beam": beam})
        by_engine = [one[0] for one in self.engine(top_k=1, beam_size=1, max_length=MOST).infer_list(TEXTS)[2]]
        assert by_engine == greedy, (by_engine, greedy)
        tensors = {}
        for name, sequences in (("ids", all_ids), ("written", written)):
            put_ids(tensors, name, sequences)
        for side in ("encoder", "decoder"):
            for layer in range(len(states[side][0])):
                tensors[f"{side}.{layer}"] = torch.cat([run[layer] for run in states[side]]).contiguous()
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        save_file(tensors, self.folder / "golden.safetensors",
                  {"kind": "translation", "texts": json.dumps(TEXTS), "greedy": json.dumps(greedy), "eole": "0.6.4"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def beams(self):
        """Without its length penalty, which counts a token more than there are."""
        engine, found = self.engine(n_best=5, max_length=30, batch_size=1, length_penalty="none"), {}
        predict = engine.predictor.predict_batch

        def keep(batch, *rest, **options):
            result = predict(batch, *rest, **options)
            found[int(batch["ind_in_bucket"][0])] = [ids.tolist() for ids in result["predictions"][0]]
            return result

        engine.predictor.predict_batch = keep
        scores, _, texts = engine.infer_list(TEXTS)
        return [[{"ids": ids, "text": text, "score": float(score)} for ids, text, score in zip(found[i], texts[i], scores[i])] for i in range(len(TEXTS))]

    def look_into(self, source, target, states):
        """The input of every stack, and the output of every layer, the last one normalized."""
        layers = {"encoder": self.model.encoder.transformer_layers, "decoder": self.model.decoder.transformer_layers}
        seen = {side: [] for side in layers}
        hooks = [self.model.encoder.layer_norm.register_forward_hook(lambda _, __, out: seen["encoder"].append(out[0]))]
        for side, stack in layers.items():
            hooks.append(stack[0].register_forward_pre_hook(lambda _, inputs, side=side: seen[side].append(inputs[0][0])))
            for layer in stack:
                hooks.append(layer.register_forward_hook(lambda _, __, out, side=side: seen[side].append((out[0] if isinstance(out, tuple) else out)[0])))
        decoded = self.decode(source, target)
        for hook in hooks:
            hook.remove()
        states["encoder"].append(seen["encoder"][:-2] + seen["encoder"][-1:])
        states["decoder"].append([one[: len(target)] for one in seen["decoder"][:-1]] + [decoded[0]])
        states["logits"].append(self.model.generator(decoded[0]))


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    shorten_sinusoids()
    fixtures = {
        "eole_joined": lambda n: EoleFixture(n, "bpe", {"position_encoding_type": "SinusoidalInterleaved"}, joined=True, share_embeddings=True,
                                             share_decoder_embeddings=True, add_qkvbias=True, add_final_linear_bias=True, add_ffnbias=True),
        "eole_rotary": lambda n: EoleFixture(n, "sentencepiece", {"position_encoding_type": "Rotary"}, ends=1, mlp_activation_fn="gated-silu", layer_norm="rms",
                                             norm_eps=1e-6, heads=4, heads_kv=2, rope_config={"rotary_interleave": False, "rotary_theta": 500},
                                             decoder={"layers": 1, "transformer_ff": 20}),
        "eole_words": lambda n: EoleFixture(n, None, {"position_encoding_type": "SinusoidalConcat"}, start="</s>", ends=0.15, share_decoder_embeddings=True,
                                            add_qkvbias=True, add_final_linear_bias=False, generator_bias=False, mlp_activation_fn="gelu"),
        "eole_learned": lambda n: EoleFixture(n, "sentencepiece", {"position_encoding_type": "Learned", "n_positions": 80}, joined=True, share_embeddings=True,
                                              mlp_activation_fn="gated-gelu-tanh", add_ffnbias=True, head_dim=6, attn_scaling=5.0),
        "eole_scaled": lambda n: EoleFixture(n, "bpe", {"position_encoding_type": "Rotary", "normalize": True}, ends=1,
                                             mlp_activation_fn="quick_gelu", layer_norm="gemma-rms", rope_config={"rotary_dim": 4, "scaling_type": "llama3", "scaling_factor": 4.0,
                                                                                  "original_max_position_embeddings": 16}),
    }
    for name, make in fixtures.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            make(name).record()


if __name__ == "__main__":
    main()
