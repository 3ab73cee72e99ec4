#!/usr/bin/env python3
"""Small random language models in directories that eole writes, and what it makes of a few texts: tests/interchange/data/models/eole_lm_*.

    python tools/make_eole_language_fixtures.py [NAME ...]

What is needed: see make_eole_fixtures.py. record.json has the log-probability of every token of each text and of its end. The ids are those
of eole's numericalizer, and continuations those of its engine. A text is a line there: what splits words makes something of a line break,
too.
"""

import json
import sys
import warnings

import torch
from make_eole_fixtures import MOST, EoleFixture, shorten_sinusoids
from make_fairseq_fixtures import put_ids
from make_fairseq_language_fixtures import LOOKED_INTO, TEXTS
from safetensors.torch import save_file


class EoleLanguageFixture(EoleFixture):
    architecture = "transformer_lm"

    def __init__(self, name, subwords, embeddings, **options):
        super().__init__(name, subwords, embeddings, joined=True, **options)

    def write_texts(self):
        super().write_texts()
        self.vocab["src"] = self.vocab["tgt"]

    def line(self, text):
        return text if self.subwords == "sentencepiece" else " ".join(text.split())

    def prompt(self, text):
        from eole.constants import ModelType
        from eole.inputters.text_utils import Numericalizer
        example = {"src": {"src": self.split(self.line(text))}, "tgt": None}
        return Numericalizer(self.vocabs, ModelType.DECODER)(example)["src"]["src_ids"]

    def features(self, ids):
        """With a token more, because a single one is what eole's search has, after others."""
        return self.model(torch.tensor([[*ids, 0]]), None, None).dec_out[:, : len(ids)]

    def logits(self, ids):
        return self.model.generator(self.features(ids))[0]

    @torch.no_grad()
    def record(self):
        end = self.vocabs["tgt"]["</s>"]
        prompts, written, records = [], [], []
        states = {"decoder": [], "logits": []}
        continuations = [one[0] for one in self.engine(top_k=1, beam_size=1, max_length=MOST, batch_size=1).infer_list([self.line(text) for text in TEXTS])[2]]
        for text, continuation in zip(TEXTS, continuations):
            prompt = self.prompt(text)
            prompts.append(prompt)
            written.append(list(prompt))
            while len(written[-1]) < len(prompt) + MOST and (len(written[-1]) == len(prompt) or written[-1][-1] != end):
                written[-1].append(int(self.logits(written[-1])[-1].argmax()))
            expected = self.text_of([i for i in written[-1][len(prompt):] if i != end])
            assert continuation == expected, (text, continuation, expected)
            if len(written) <= LOOKED_INTO:
                self.look_into_decoder(written[-1], states)
            passage = [*prompt, end]
            scores = torch.log_softmax(self.logits(prompt), -1)
            records.append({"text": text, "scores": scores[torch.arange(len(prompt)), torch.tensor(passage[1:])].tolist(), "continuation": expected})
        tensors = {f"decoder.{layer}": torch.cat([run[layer] for run in states["decoder"]]).contiguous() for layer in range(len(states["decoder"][0]))}
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        for name, sequences in (("ids", prompts), ("written", written)):
            put_ids(tensors, name, sequences)
        answers = json.dumps([one["continuation"] for one in records])
        save_file(tensors, self.folder / "golden.safetensors", {"kind": "language modeling", "texts": json.dumps(TEXTS), "answers": answers,
                                                                "eole": "0.6.4"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def look_into_decoder(self, ids, states):
        layers, seen = self.model.decoder.transformer_layers, []
        hooks = [layers[0].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0][0]))]
        hooks += [layer.register_forward_hook(lambda _, __, out: seen.append(out[0][0])) for layer in layers]
        features = self.features(ids)
        for hook in hooks:
            hook.remove()
        states["decoder"].append([one[: len(ids)] for one in seen[:-1]] + [features[0]])
        states["logits"].append(self.model.generator(features)[0])


def main():
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    shorten_sinusoids()
    rotary = {"position_encoding_type": "Rotary"}
    fixtures = {
        "eole_lm_rotary": lambda n: EoleLanguageFixture(n, "sentencepiece", rotary, ends=1, mlp_activation_fn="gated-silu", layer_norm="rms", heads=4,
                                                        heads_kv=2, head_dim=6, query_norm=True, key_norm=True, sliding_window=4, rope_config={"rotary_theta": 10000}),
        "eole_lm_codes": lambda n: EoleLanguageFixture(n, "bpe", {"position_encoding_type": "SinusoidalConcat"}, start="</s>", add_qkvbias=True,
                                                       add_final_linear_bias=True, add_ffnbias=True, mlp_activation_fn="gelu-tanh",
                                                       share_decoder_embeddings=True),
        "eole_lm_words": lambda n: EoleLanguageFixture(n, None, {"position_encoding_type": "Learned", "n_positions": 80}, layer_norm="standardFP32",
                                                       mlp_activation_fn="silu", parallel_residual=True),
        "eole_lm_shared": lambda n: EoleLanguageFixture(n, "sentencepiece", rotary, ends=0.4, parallel_residual=True, shared_layer_norm=True,
                                                        mlp_activation_fn="gated-gelu", generator_bias=False,
                                                        rope_config={"rotary_interleave": False, "rotary_dim": 4, "tmax_index": 1}),
        "eole_lm_branch": lambda n: EoleLanguageFixture(n, "bpe", {"position_encoding_type": None, "normalize": True}, ends=1, ffn_layernorm=True,
                                                        layer_norm="gemma-rms", norm_eps=1e-6, attn_scaling=4.0),
    }
    for name, make in fixtures.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            make(name).record()


if __name__ == "__main__":
    main()
