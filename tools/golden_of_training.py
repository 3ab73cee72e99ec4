#!/usr/bin/env python3
"""What transformers computes in a step of training with a model directory, for the tests of `attend train --init-from`.

    python golden_of_training.py [--sums] [--lora=RANK] DIR OUT.safetensors [SOURCE TARGET]

The file holds the gradient of every weight by its name, without dropout, and "loss", the sum of the negative log-likelihoods of the target tokens (or
labels) of all texts. The texts are in the metadata: pairs for translation models; lines for language models, where the token that ends a text stands
before, between and behind them; texts and their labels for classifiers and encoders. An encoder gets a new head on its pooled vectors: "new_head.weight"
and "new_head.bias", with ".gradient" behind the name of their gradients. Needs transformers, torch, safetensors, and sentencepiece for models that use it.

SOURCE and TARGET are languages of a model of several. With --sums, two numbers stand for a gradient: the sum of its squares, and that of its products
with the numbers of ramp(), both without the row of the padding token in tables of embeddings.

With --lora, a classifier is used with random low-rank adapters of its queries and values, W + 4/RANK B A: "NAME.lora_a" (A) and "NAME.lora_b" (B) in
place of "NAME.weight", and their gradients as of a new head.
"""

import json
import pathlib
import sys

import torch
import torch.nn.utils.parametrize
import transformers
from safetensors.torch import save_file

SOURCES = ["A man is walking with his dog.", "I don't know; do you?", "She reads a book in the garden."]
LABELS = ["negative", "positive", "neutral"]
TARGETS = ["Ein Mann geht mit seinem Hund spazieren.", "Ich weiß es nicht; weißt du es?", "Sie liest im Garten ein Buch."]


def loss_of(logits, targets):
    return torch.nn.functional.cross_entropy(logits, torch.tensor(targets), reduction="sum")


def beginning(model, tokenizer, languages):
    """What the decoder begins with."""
    if languages and type(tokenizer).__name__.startswith("MBartTokenizer"):
        return [tokenizer.convert_tokens_to_ids(languages[1])]
    if languages:
        first = tokenizer.get_lang_id(languages[1]) if hasattr(tokenizer, "get_lang_id") else tokenizer.convert_tokens_to_ids(languages[1])
    else:
        first = model.generation_config.forced_bos_token_id
    return [model.config.decoder_start_token_id] + ([] if first is None else [first])


def translation(directory, tokenizer, languages):
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(directory).float().eval()
    begin = beginning(model, tokenizer, languages)
    loss = 0
    for source, target in zip(SOURCES, TARGETS):
        ids = tokenizer(text_target=target, add_special_tokens=False).input_ids
        run = model(input_ids=torch.tensor([tokenizer(source).input_ids]), decoder_input_ids=torch.tensor([begin + ids]))
        loss = loss + loss_of(run.logits[0], begin[1:] + ids + [tokenizer.eos_token_id])
    return model, loss


def ramp(count):
    """As in the tests."""
    return ((7 * torch.arange(count)) % 17 - 8).double() / 4


def sums(model, gradient):
    padding = model.config.pad_token_id
    if padding is not None and gradient.dim() == 2 and len(gradient) == model.config.vocab_size:
        gradient[padding] = 0
    values = gradient.double().flatten()
    return torch.stack([values @ values, values @ ramp(len(values))]).float()


def language(directory, tokenizer):
    model = transformers.AutoModelForCausalLM.from_pretrained(directory).float().eval()
    ids = [tokenizer.eos_token_id]
    for line in SOURCES:
        ids += [*tokenizer(line, add_special_tokens=False).input_ids, tokenizer.eos_token_id]
    return model, loss_of(model(torch.tensor([ids[:-1]])).logits[0], ids[1:])


def classifier(directory, tokenizer, change=lambda model: model):
    model = change(transformers.AutoModelForSequenceClassification.from_pretrained(directory).float().eval())
    names = list(model.config.id2label.values())
    targets = [names.index(label) for label in LABELS]
    logits = torch.cat([model(torch.tensor([tokenizer(text).input_ids])).logits for text in SOURCES])
    return model, loss_of(logits, targets)


class LowRank(torch.nn.Module):
    """W + 4/rank B A, for torch.nn.utils.parametrize."""

    def __init__(self, weight, rank):
        super().__init__()
        self.lora_a = torch.nn.Parameter(torch.randn(rank, weight.shape[1]) * 0.3)
        self.lora_b = torch.nn.Parameter(torch.randn(weight.shape[0], rank) * 0.3)

    def forward(self, weight):
        return weight + 4 / self.lora_a.shape[0] * self.lora_b @ self.lora_a


def adapted(directory, tokenizer, rank):
    """The loss of a classifier with adapters, and their tensors."""
    torch.manual_seed(2)
    adapters = {}

    def adapt(model):
        for name, module in list(model.named_modules()):
            if name.endswith((".query", ".value")):
                adapters[name] = LowRank(module.weight, rank)
                torch.nn.utils.parametrize.register_parametrization(module, "weight", adapters[name])
        return model

    _, loss = classifier(directory, tokenizer, adapt)
    loss.backward()
    tensors = {"loss": loss.detach()[None]}
    for name, adapter in adapters.items():
        for part, value in adapter.named_parameters():
            tensors[f"{name}.{part}"] = value.detach().contiguous()
            tensors[f"{name}.{part}.gradient"] = value.grad.contiguous()
    return tensors


class NewHead(torch.nn.Module):
    """An encoder, pooling as modules.json says, and a new linear layer."""

    def __init__(self, directory):
        super().__init__()
        self.encoder = transformers.AutoModel.from_pretrained(directory).float().eval()
        torch.manual_seed(1)
        self.new_head = torch.nn.Linear(self.encoder.config.hidden_size, len(LABELS))
        pooling = json.loads((directory / "1_Pooling" / "config.json").read_text())
        self.takes_first = pooling.get("pooling_mode_cls_token", pooling.get("pooling_mode") == "cls")

    def forward(self, ids):
        states = self.encoder(torch.tensor([ids])).last_hidden_state[0]
        return self.new_head(states[0] if self.takes_first else states.mean(dim=0))


def encoder(directory, tokenizer):
    model = NewHead(directory)
    longest = json.loads((directory / "sentence_bert_config.json").read_text()).get("max_seq_length", tokenizer.model_max_length)
    logits = torch.stack([model(tokenizer(text, truncation=True, max_length=longest).input_ids) for text in SOURCES])
    return model, loss_of(logits, [sorted(LABELS).index(label) for label in LABELS])


def kind_of(directory):
    config = transformers.AutoConfig.from_pretrained(directory)
    if (directory / "modules.json").exists():
        return encoder
    if config.architectures[0].endswith("ForSequenceClassification"):
        return classifier
    return translation if config.is_encoder_decoder else language


def begun(directory, languages):
    """The model and its loss."""
    kind = kind_of(directory)
    if kind is not translation:
        return kind(directory, transformers.AutoTokenizer.from_pretrained(directory))
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory, **dict(zip(["src_lang", "tgt_lang"], languages)))
    return translation(directory, tokenizer, languages)


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    directory, out, languages = pathlib.Path(arguments[0]), arguments[1], arguments[2:4]
    metadata = {"sources": SOURCES, "targets": TARGETS, "labels": LABELS}
    for option in sys.argv[1:]:
        if option.startswith("--lora="):
            tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
            tensors = adapted(directory, tokenizer, int(option.removeprefix("--lora=")))
            save_file(tensors, out, metadata={name: json.dumps(value) for name, value in metadata.items()})
            return
    model, loss = begun(directory, languages)
    loss.backward()
    tensors = {name.removeprefix("encoder.") if isinstance(model, NewHead) else name: p.grad.contiguous()
               for name, p in model.named_parameters() if p.grad is not None}
    if isinstance(model, NewHead):
        for name in "new_head.weight", "new_head.bias":
            tensors[name + ".gradient"] = tensors[name]
            tensors[name] = model.get_parameter(name).detach().contiguous()
    if "--sums" in sys.argv:
        tensors = {name: sums(model, gradient) for name, gradient in tensors.items()}
        metadata["padding"] = -1 if model.config.pad_token_id is None else model.config.pad_token_id
    tensors["loss"] = loss.detach()[None]
    save_file(tensors, out, metadata={name: json.dumps(value) for name, value in metadata.items()})


if __name__ == "__main__":
    main()
