"""The other side of fine-tuning: transformers on PyTorch, and PEFT for adapters, on the same texts and the same weights.

usage: tune_torch.py OPTIONS.json [--variant f32|bf16|f32-compiled|bf16-compiled]

Batches are made of texts of similar length (so that little is padded), attention runs through scaled_dot_product_attention, Adam is the
fused one. Prints one line of JSON, as tune_attend.cpp does.
"""

import json

import torch
import transformers
from train_torch import WARM_UP, adam, losses, read_options, train_for


def read_labeled(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t", 1) for line in file]


class Texts:
    def __init__(self, directory, config):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        self.classes = config.label2id

    def batch(self, labeled):
        ids = self.tokenizer([text for _, text in labeled], padding=True, truncation=True, max_length=512, return_tensors="pt")
        return ids, torch.tensor([self.classes[label] for label, _ in labeled])

    def by_length(self, labeled, limit):
        """Batches of texts of similar length; the padded width counts, as the memory does."""
        sized = sorted(((len(self.tokenizer(text, truncation=True, max_length=512).input_ids), label, text) for label, text in labeled))
        batches, batch = [], []
        for size, label, text in sized:
            if batch and size * (len(batch) + 1) > limit:
                batches.append(self.batch(batch))
                batch = []
            batch.append((label, text))
        batches.append(self.batch(batch))
        generator = torch.Generator().manual_seed(1)
        return [batches[i] for i in torch.randperm(len(batches), generator=generator)]


def loss_of(model, batch, variant):
    ids, labels = batch
    with torch.autocast("cpu", torch.bfloat16, enabled=variant.startswith("bf16")):
        return model(**ids, labels=labels).loss


def main():
    options, variant = read_options()
    model = transformers.AutoModelForSequenceClassification.from_pretrained(options["directory"], attn_implementation="sdpa")
    if options["rank"]:
        import peft

        model = peft.get_peft_model(model, peft.LoraConfig(r=options["rank"], lora_alpha=16, target_modules=["query", "value"]))
    trained = [p for p in model.parameters() if p.requires_grad]
    result = {"parameters": sum(p.numel() for p in trained)}
    texts = Texts(options["directory"], model.config)
    result.update(losses(loss_of, model, texts.batch(read_labeled(options["first"])), variant))
    optimizer = adam(trained)
    batches = texts.by_length(read_labeled(options["texts"]), options["batch_tokens"])
    compiled = variant.endswith("compiled")
    run = torch.compile(model, dynamic=True) if compiled else model

    def step(i):
        batch = batches[i % len(batches)]
        loss_of(run, batch, variant).backward()
        return int(batch[0].attention_mask.sum()), 0

    result.update(train_for(options["seconds"], 12 if compiled else WARM_UP, optimizer, step))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
