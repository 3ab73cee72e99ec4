#!/usr/bin/env python3
"""Small random language models in checkpoints that OpenNMT-py writes, and what it makes of a few texts: tests/interchange/data/models/opennmt_lm_*.

    python tools/make_opennmt_language_fixtures.py [NAME ...]

What is needed: see make_opennmt_fixtures.py. record.json has the log-probability of every token of each text and of its end. The ids are
those of OpenNMT-py's numericalize(), continued by the search of its GeneratorLM at the positions of training. A text is a line there:
what splits words makes something of a line break, too.
"""

import json
import sys

import torch
from make_fairseq_fixtures import put_ids
from make_fairseq_language_fixtures import LOOKED_INTO, MOST, TEXTS
from make_opennmt_fixtures import Fixture, import_opennmt
from safetensors.torch import save_file


class LanguageFixture(Fixture):
    def __init__(self, name, subwords, start="<s>", **options):
        self.start = start
        super().__init__(name, subwords, joined=True, model_task="lm", encoder_type="transformer_lm", decoder_type="transformer_lm",
                         share_vocab=True, **options)

    def write_texts(self):
        super().write_texts()
        self.vocab.update({"data_task": "lm", "decoder_start_token": self.start})
        self.vocab["src"] = self.vocab["tgt"]

    def prompt(self, text):
        from onmt.inputters.text_utils import numericalize
        line = " ".join(self.split(text if self.subwords == "sentencepiece" else " ".join(text.split())))
        return numericalize(self.vocabs, {"src": {"src": line}, "tgt": None})["src"]["src_ids"]

    def logits(self, ids):
        self.model.decoder.init_state(None, None, None)
        features, _ = self.model.decoder(torch.tensor([ids])[:, :, None], enc_out=None, src_len=torch.tensor([len(ids)]))
        return self.model.generator(features)[0]

    def continued(self, prompt):
        from onmt.translate.greedy_search import GreedySearchLM
        from onmt.translate.translator import GeneratorLM
        from onmt.translate.beam_search import GNMTGlobalScorer
        vocabulary, scorer = self.vocabs["tgt"], GNMTGlobalScorer(0.0, 0.0, "none", "none")
        search = GreedySearchLM(pad=vocabulary["<blank>"], bos=vocabulary["<s>"], eos=vocabulary["</s>"], unk=vocabulary["<unk>"], start=vocabulary["<s>"],
                                n_best=1, batch_size=1, global_scorer=scorer, min_length=0, max_length=MOST,
                                block_ngram_repeat=0, exclusion_tokens=set(), return_attention=False, sampling_temp=1.0, keep_topk=1, keep_topp=0,
                                beam_size=1, ban_unk_token=False)
        generator = GeneratorLM.__new__(GeneratorLM)
        generator.model, generator.copy_attn, generator.global_scorer = self.model, False, scorer
        generator._gold_score = lambda *_: (None, None)
        generator.report_results = lambda *results: results[-1]
        decode = generator._decode_and_generate  # it leaves out a position behind the prompt, which training does not
        generator._decode_and_generate = lambda *inputs, step, **options: decode(*inputs, step=max(step - 1, 0), **options)
        ids = torch.tensor([prompt])[:, :, None]
        generator._translate_batch_with_strategy({"src": ids, "srclen": torch.tensor([len(prompt)])}, search)
        return [int(i) for i in search.predictions[0][0]]

    @torch.no_grad()
    def record(self):
        end = self.vocabs["tgt"]["</s>"]
        prompts, written, records = [], [], []
        states = {"decoder": [], "logits": []}
        for text in TEXTS:
            prompt = self.prompt(text)
            prompts.append(prompt)
            written.append(list(prompt))
            while len(written[-1]) < len(prompt) + MOST and (len(written[-1]) == len(prompt) or written[-1][-1] != end):
                written[-1].append(int(self.logits(written[-1])[-1].argmax()))
            assert self.continued(prompt) == written[-1][len(prompt):], text
            if len(written) <= LOOKED_INTO:
                self.look_into_decoder(written[-1], states)
            passage = [*prompt, end]
            scores = torch.log_softmax(self.logits(prompt), -1)
            records.append({"text": text, "scores": scores[torch.arange(len(prompt)), torch.tensor(passage[1:])].tolist(),
                            "continuation": self.text_of([i for i in written[-1][len(prompt):] if i != end])})
        tensors = {f"decoder.{layer}": torch.cat([run[layer] for run in states["decoder"]]).contiguous() for layer in range(len(states["decoder"][0]))}
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        for name, sequences in (("ids", prompts), ("written", written)):
            put_ids(tensors, name, sequences)
        answers = json.dumps([one["continuation"] for one in records])
        save_file(tensors, self.folder / "golden.safetensors", {"kind": "language modeling", "texts": json.dumps(TEXTS), "answers": answers,
                                                                "opennmt": "3.5.1"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def look_into_decoder(self, ids, states):
        layers, seen = self.model.decoder.transformer_layers, []
        hooks = [layers[0].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0][0]))]
        hooks += [layer.register_forward_hook(lambda _, __, out: seen.append(out[0][0])) for layer in layers]
        features, _ = self.model.decoder(torch.tensor([ids])[:, :, None], enc_out=None, src_len=torch.tensor([len(ids)]))
        for hook in hooks:
            hook.remove()
        states["decoder"].append(seen[:-1] + [features[0]])
        states["logits"].append(self.model.generator(features)[0])


def main():
    torch.set_num_threads(1)
    import_opennmt()
    fixtures = {
        "opennmt_lm_rotary": lambda n: LanguageFixture(n, "sentencepiece", max_relative_positions=-1, pos_ffn_activation_fn="silu", layer_norm="rms"),
        "opennmt_lm_older": lambda n: LanguageFixture(n, "bpe", version=2, position_encoding=True, add_qkvbias=True, add_ffnbias=True,
                                                      pos_ffn_activation_fn="gelu", share_decoder_embeddings=True),
        "opennmt_lm_bare": lambda n: LanguageFixture(n, None, start="</s>", position_encoding=True, position_encoding_type="SinusoidalConcat"),
    }
    for name, make in fixtures.items():
        if not sys.argv[1:] or name in sys.argv[1:]:
            make(name).record()


if __name__ == "__main__":
    main()
