#!/usr/bin/env python3
"""Small random language models in checkpoints that fairseq writes, and what it makes of a few texts: tests/interchange/data/models/fairseq_lm_*.

    python tools/make_fairseq_language_fixtures.py FAIRSEQ [NAME ...]

FAIRSEQ and what is needed beside it: see make_fairseq_fixtures.py. record.json has the log-probability of every token of each text, as
fairseq-eval-lm has it. A line break in a text is the end of a line, as in score(replace_newline_with_eos=True) of fairseq's hub; a text of
one line is continued by fairseq's generator, one of several by its network.
"""

import argparse
import json
import os
import sys

import torch
from make_fairseq_fixtures import Fixture, accept_mutable_defaults, load_what_was_written_here, put_ids
from safetensors.torch import save_file

TEXTS = ["the old man reads a book .", "a child plays in the red garden today", "lower newest widest slow", "großes Haus , kleine Katze !",
         "x", "lowest  lowest  ünder ☃", "the thethe therthe", "ab ba abba bab", "he sees the cat", "the old man\nreads a book", "ab\n\nabba",
         "\ncat", "der alte Mann liest ein Buch .\n", "日本語 cat テスト", "e\u0301 é ﬁ Ⅷ", "👩‍👩‍👧 house", "<b> the & <i>", "widest" * 9,
         "new , newer ; newest : ...", "0 1 22 3.14 -5"]
LOOKED_INTO = 3
MOST = 14


class LanguageFixture(Fixture):
    """A checkpoint of a language model, with dict.txt."""

    def __init__(self, *arguments, normalize_before=True, **options):
        self.normalize_before = normalize_before
        super().__init__(*arguments, joined=True, **options)

    def write_texts(self):
        super().write_texts()
        (self.folder / "dict.en.txt").rename(self.folder / "dict.txt")
        (self.folder / "dict.de.txt").unlink()

    def options(self):
        return [os.path.relpath(self.folder), "--task", "language_modeling"]

    def change(self, cfg):
        cfg.model.decoder_normalize_before = self.normalize_before  # an architecture sets it whatever the options are

    def prompt(self, text):
        """A text behind what begins it, without the end of its last line."""
        dictionary = self.task.source_dictionary
        lines = [dictionary.encode_line(self.split(line), add_if_not_exist=False).long() for line in text.split("\n")]
        first = dictionary.bos() if self.task.args.add_bos_token else dictionary.eos()
        return [first, *torch.cat(lines).tolist()[:-1]]

    def greedy(self, prompt):
        ids, end = list(prompt), self.task.source_dictionary.eos()
        while len(ids) < len(prompt) + MOST and (len(ids) == len(prompt) or ids[-1] != end):
            logits, _ = self.model(torch.tensor([ids]))
            logits[0, -1, self.task.source_dictionary.pad()] = float("-inf")
            ids.append(int(logits[0, -1].argmax()))
        return ids

    def generated(self, prompt):
        """The same by its own search."""
        generator = self.task.build_generator([self.model], argparse.Namespace(beam=1, max_len_a=0, max_len_b=len(prompt) - 1 + MOST))
        sample = {"net_input": {"src_tokens": torch.tensor([prompt]), "src_lengths": torch.tensor([len(prompt)])}}
        ids = self.task.inference_step(generator, [self.model], sample)[0][0]["tokens"].tolist()
        ids = ids[:-1] if len(ids) == len(prompt) + MOST else ids  # what the length ended is cut, not ended
        return prompt[:1] + ids

    def look_into(self, written, states):
        features, extra = self.model.decoder(torch.tensor([written]), features_only=True)
        states["decoder"].append([state[:, 0] for state in extra["inner_states"]][:-1] + [features[0]])
        states["logits"].append(self.model.decoder.output_layer(features)[0])

    @torch.no_grad()
    def record(self):
        dictionary = self.task.source_dictionary
        prompts, written, records = [], [], []
        states = {"decoder": [], "logits": []}
        for text in TEXTS:
            prompt = self.prompt(text)
            prompts.append(prompt)
            written.append(self.greedy(prompt))
            if "\n" not in text:
                assert written[-1] == self.generated(prompt), text
            if len(written) <= LOOKED_INTO:
                self.look_into(written[-1], states)
            passage = torch.tensor([*prompt, dictionary.eos()])
            scores = torch.log_softmax(self.model(passage[None, :-1])[0][0], -1)
            continuation = torch.tensor(written[-1][len(prompt):])
            spaced = dictionary.string(continuation)
            records.append({"text": text, "scores": scores[torch.arange(len(prompt)), passage[1:]].tolist(),
                            "continuation": self.bpe.decode(spaced) if self.bpe else spaced})
        tensors = {f"decoder.{layer}": torch.cat([run[layer] for run in states["decoder"]]).contiguous() for layer in range(len(states["decoder"][0]))}
        tensors["logits"] = torch.cat(states["logits"]).contiguous()
        for name, sequences in (("ids", prompts), ("written", written)):
            put_ids(tensors, name, sequences)
        answers = [one["continuation"] for one in records]
        save_file(tensors, self.folder / "golden.safetensors", {"kind": "language modeling", "texts": json.dumps(TEXTS), "answers": json.dumps(answers),
                                                                "fairseq": "0.12.2"})
        (self.folder / "record.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


SMALL = ["--decoder-embed-dim", "16", "--decoder-ffn-embed-dim", "24", "--decoder-attention-heads", "2", "--decoder-layers", "2",
         "--tokens-per-sample", "60"]
SAME = ["--decoder-input-dim", "16", "--decoder-output-dim", "16"]
# Options that fairseq had when it wrote models of version 2.
OLDER = ["layernorm_embedding", "no_scale_embedding", "decoder_layerdrop", "decoder_layers_to_keep", "quant_noise_pq", "quant_noise_scalar",
         "base_layers", "scale_fc", "scale_attn", "scale_heads", "scale_resids", "checkpoint_activations", "offload_activations",
         "no_decoder_final_norm", "tie_adaptive_proj"]


def main():
    torch.set_num_threads(1)
    accept_mutable_defaults()
    load_what_was_written_here()
    sys.path.insert(0, sys.argv[1])
    import fairseq  # noqa: F401
    fixtures = {
        # Narrow embeddings, of which the output is another projection.
        "fairseq_lm_gpt": lambda n: LanguageFixture(n, ["--arch", "transformer_lm_gpt2_tiny", "--decoder-learned-pos", "--layernorm-embedding",
                                                        *SMALL, "--decoder-input-dim", "8", "--decoder-output-dim", "8"], "0.2"),
        # Normalized behind its layers, as no named architecture is.
        "fairseq_lm_post": lambda n: LanguageFixture(n, ["--arch", "transformer_lm", "--no-scale-embedding", "--add-bos-token", "--activation-fn",
                                                         "gelu_accurate", "--share-decoder-input-output-embed", *SMALL, *SAME], "sentencepiece",
                                                     normalize_before=False),
        "fairseq_lm_words": lambda n: LanguageFixture(n, ["--arch", "transformer_lm_gbw", *SMALL, *SAME], None),
        "fairseq_lm_older": lambda n: LanguageFixture(n, ["--arch", "transformer_lm", "--decoder-normalize-before", *SMALL, *SAME], "fastbpe", container="legacy",
                                                      version={"version": 2, "without": ["final"], "without_options": OLDER,
                                                               "sinusoids": ["decoder.embed_positions.weights"]}),
    }
    for name, make in fixtures.items():
        if not sys.argv[2:] or name in sys.argv[2:]:
            make(name).record()


if __name__ == "__main__":
    main()
