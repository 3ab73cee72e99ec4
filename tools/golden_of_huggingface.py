#!/usr/bin/env python3
"""What transformers computes with a model directory, for `attend import DIR --golden FILE` to compare with.

    python golden_of_huggingface.py DIR OUT.safetensors [TEXTS [WRITTEN [SOURCE TARGET]]]

TEXTS is a file with a text per line; without it, or if it is "", a few sentences of several languages are used. WRITTEN is how many tokens
greedy decoding writes at most, 24 if it is left out. SOURCE and TARGET are languages of a multilingual model, by the names of its
tokenizer ("en", "eng_Latn", "en_XX"). The file holds the ids of each text, what greedy decoding writes, and of the first texts the hidden
states of every layer and the logits, in f32. Of a classifier it holds the logits of every text, of an encoder the vectors, and with
WRITTEN 0 no hidden states. Needs transformers, torch, safetensors, and sentencepiece or sentence-transformers for models that use them.
"""

import json
import pathlib
import sys

import torch
import transformers
from jina_bert import JinaBert
from safetensors.torch import save_file

TEXTS = ["A man is walking with his dog.", "Two children play football in the rain!", "I don't know; do you?", "Ein alter Mann kauft drei Äpfel.",
         "Où est la bibliothèque ?", "It costs 3.50 €, which is 20 % less.", "x", "The quick brown fox jumps over the lazy dog and runs away."]
ENCODERS = ["bert", "distilbert", "roberta", "xlm-roberta", "mpnet", "electra", "camembert", "albert", "nomic_bert",
            "deberta-v2", "modernbert", "gte"]
LOOKED_INTO = 2  # texts whose hidden states and logits are kept


def ragged(sequences):
    offsets = [0]
    for sequence in sequences:
        offsets.append(offsets[-1] + len(sequence))
    return torch.tensor(sum(sequences, []), dtype=torch.int32), torch.tensor(offsets, dtype=torch.int32)


def rows(parts):
    return torch.cat([part[0] for part in parts]).float().contiguous()


class Golden:
    def __init__(self, directory, texts, most, languages=()):
        self.most = most  # tokens that greedy decoding writes
        self.tensors = {}
        self.texts = texts
        self.config = transformers.AutoConfig.from_pretrained(directory)
        self.languages = languages  # source and target, of a multilingual model
        options = dict(zip(["src_lang", "tgt_lang"], languages))
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory, **options)
        self.inputs = [self.tokenizer(*text.split("\t")) for text in texts]  # a text, or a pair with a tab between
        self.ids = [inputs.input_ids for inputs in self.inputs]
        self.put_ids("ids", self.ids)

    def put_ids(self, name, sequences):
        self.tensors[name], self.tensors[name + ".offsets"] = ragged([list(map(int, s)) for s in sequences])

    def put_states(self, name, runs):
        for layer in range(len(runs[0])):
            self.tensors[f"{name}.{layer}"] = rows([run[layer] for run in runs])

    def sequence_to_sequence(self, directory):
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(directory).float().eval()
        model.generation_config.forced_eos_token_id = None  # what does not end is cut, not ended
        model.generation_config.max_length = None
        options = self.target_options()
        encoder, decoder, logits, written = [], [], [], []
        for ids in self.ids:
            source = torch.tensor([ids])
            output = model.generate(source, num_beams=1, do_sample=False, max_new_tokens=self.most, length_penalty=1.0,
                                    **options)[0]
            written.append(output.tolist())
            if len(written) > LOOKED_INTO:
                continue
            run = model(input_ids=source, decoder_input_ids=output[None], output_hidden_states=True)
            encoder.append(run.encoder_hidden_states)
            decoder.append(run.decoder_hidden_states)
            logits.append(run.logits)
        self.put_ids("written", written)
        self.put_states("encoder", encoder)
        self.put_states("decoder", decoder)
        self.tensors["logits"] = rows(logits)
        return "translation", [self.tokenizer.decode(w, skip_special_tokens=True) for w in written]

    def target_options(self):
        """How the target language is asked for: with the first token that is written, or the one before it."""
        if not self.languages:
            return {}
        tokenizer, target = self.tokenizer, self.languages[1]
        token = tokenizer.get_lang_id(target) if hasattr(tokenizer, "get_lang_id") else tokenizer.convert_tokens_to_ids(target)
        starts = type(tokenizer).__name__.startswith("MBartTokenizer")
        return {"decoder_start_token_id" if starts else "forced_bos_token_id": token}

    def causal(self, directory):
        model = transformers.AutoModelForCausalLM.from_pretrained(directory).float().eval()
        model.generation_config.max_length = None
        states, logits, written = [], [], []
        for ids in self.ids:
            output = model.generate(torch.tensor([ids]), do_sample=False, max_new_tokens=self.most)[0]
            written.append(output.tolist())
            if len(written) > LOOKED_INTO:
                continue
            run = model(output[None], output_hidden_states=True)
            states.append(run.hidden_states)
            logits.append(run.logits)
        self.put_ids("written", written)
        self.put_states("decoder", states)
        self.tensors["logits"] = rows(logits)
        return "language modeling", [self.tokenizer.decode(w[len(i):]) for w, i in zip(written, self.ids)]

    def states_of(self, model):
        """The hidden states of all texts; those of the first are kept."""
        runs = [model(**{name: torch.tensor([values]) for name, values in inputs.items()}, output_hidden_states=True) for inputs in self.inputs]
        if self.most > 0:
            self.put_states("encoder", [run.hidden_states for run in runs[:LOOKED_INTO]])
        return runs

    def classifier(self, directory):
        model = transformers.AutoModelForSequenceClassification.from_pretrained(directory).float().eval()
        logits = torch.cat([run.logits for run in self.states_of(model)])
        self.tensors["logits"] = logits.contiguous()
        return "classification", [model.config.id2label[int(row.argmax())] for row in logits]

    def tagger(self, directory):
        """The logits of the first token of every word; words end at white space."""
        model = transformers.AutoModelForTokenClassification.from_pretrained(directory).float().eval()
        words = [text.split() for text in self.texts]
        self.inputs = [self.tokenizer(of_text, is_split_into_words=True) for of_text in words]
        self.ids = [inputs.input_ids for inputs in self.inputs]
        self.put_ids("ids", self.ids)
        rows_of_words = []
        for inputs, run in zip(self.inputs, self.states_of(model)):
            places = inputs.word_ids()
            rows_of_words += [run.logits[0, places.index(word)] for word in sorted(set(places) - {None})]
        self.tensors["logits"] = torch.stack(rows_of_words).contiguous()
        return "token classification", [model.config.id2label[int(row.argmax())] for row in self.tensors["logits"]]

    def embedder(self, directory):
        """The vectors that sentence-transformers gives, or, of an encoder alone, the means of all tokens."""
        is_jina = getattr(self.config, "feed_forward_type", None) is not None
        model = JinaBert(directory) if is_jina else transformers.AutoModel.from_pretrained(directory).float().eval()
        if (pathlib.Path(directory) / "modules.json").exists():
            from sentence_transformers import SentenceTransformer
            sentences = SentenceTransformer(str(directory), device="cpu")
            sentences.default_prompt_name = None
            self.inputs = [sentences.tokenizer(text, truncation=True, max_length=sentences.max_seq_length) for text in self.texts]
            self.ids = [inputs.input_ids for inputs in self.inputs]
            self.put_ids("ids", self.ids)
            self.states_of(model)
            vectors = torch.stack([sentences.encode(text, convert_to_tensor=True) for text in self.texts])
        else:
            vectors = torch.cat([run.hidden_states[-1].mean(dim=1) for run in self.states_of(model)])
        self.tensors["vectors"] = vectors.float().contiguous()
        return "embedding", []

    def record(self, directory):
        if any(name.endswith("ForSequenceClassification") for name in self.config.architectures or []):
            return self.classifier(directory)
        if any(name.endswith("ForTokenClassification") for name in self.config.architectures or []):
            return self.tagger(directory)
        if self.config.model_type in ENCODERS or (pathlib.Path(directory) / "modules.json").exists():
            return self.embedder(directory)
        if self.config.is_encoder_decoder:
            return self.sequence_to_sequence(directory)
        return self.causal(directory)


def write_golden(directory, out, texts, most, languages=()):
    golden = Golden(directory, texts, most, languages)
    with torch.no_grad():
        kind, answers = golden.record(directory)
    languages = {"languages": json.dumps(languages)} if languages else {}
    save_file(golden.tensors, out, metadata={
        **languages, "kind": kind, "texts": json.dumps(texts), "answers": json.dumps(answers),
        "versions": json.dumps({"transformers": transformers.__version__, "torch": torch.__version__})})


def main():
    directory, out = sys.argv[1:3]
    texts = open(sys.argv[3], encoding="utf-8").read().splitlines() if sys.argv[3:] and sys.argv[3] else TEXTS
    write_golden(directory, out, texts, int(sys.argv[4]) if len(sys.argv) > 4 else 24, sys.argv[5:7])


if __name__ == "__main__":
    main()
