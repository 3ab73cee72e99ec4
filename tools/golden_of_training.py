#!/usr/bin/env python3
"""What transformers computes in a step of training with a model directory, for the tests of `attend train --init-from`.

    python golden_of_training.py DIR OUT.safetensors

The file holds the gradient of every weight by its name, without dropout, and "loss", the sum of the negative log-likelihoods of the target tokens of
all texts. The texts are in the metadata: pairs for translation models; lines for language models, where the token that ends a text stands before,
between and behind them. Needs transformers, torch, safetensors, and sentencepiece for models that use it.
"""

import json
import sys

import torch
import transformers
from safetensors.torch import save_file

SOURCES = ["A man is walking with his dog.", "I don't know; do you?", "She reads a book in the garden."]
TARGETS = ["Ein Mann geht mit seinem Hund spazieren.", "Ich weiß es nicht; weißt du es?", "Sie liest im Garten ein Buch."]


def loss_of(logits, targets):
    return torch.nn.functional.cross_entropy(logits, torch.tensor(targets), reduction="sum")


def translation(directory, tokenizer):
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(directory).float().eval()
    loss = 0
    for source, target in zip(SOURCES, TARGETS):
        labels = tokenizer(text_target=target).input_ids
        inputs = [model.config.decoder_start_token_id, *labels[:-1]]
        run = model(input_ids=torch.tensor([tokenizer(source).input_ids]), decoder_input_ids=torch.tensor([inputs]))
        loss = loss + loss_of(run.logits[0], labels)
    return model, loss


def language(directory, tokenizer):
    model = transformers.AutoModelForCausalLM.from_pretrained(directory).float().eval()
    ids = [tokenizer.eos_token_id]
    for line in SOURCES:
        ids += [*tokenizer(line, add_special_tokens=False).input_ids, tokenizer.eos_token_id]
    return model, loss_of(model(torch.tensor([ids[:-1]])).logits[0], ids[1:])


def main():
    directory, out = sys.argv[1:3]
    tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
    is_translation = transformers.AutoConfig.from_pretrained(directory).is_encoder_decoder
    model, loss = (translation if is_translation else language)(directory, tokenizer)
    loss.backward()
    tensors = {name: p.grad.contiguous() for name, p in model.named_parameters() if p.grad is not None}
    tensors["loss"] = loss.detach()[None]
    save_file(tensors, out, metadata={"sources": json.dumps(SOURCES), "targets": json.dumps(TARGETS)})


if __name__ == "__main__":
    main()
