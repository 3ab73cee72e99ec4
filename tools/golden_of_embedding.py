#!/usr/bin/env python3
"""What PyTorch computes in training an embedder of sentence-transformers, for the tests of `attend train embedding`.

    python golden_of_embedding.py DIR OUT.safetensors

For every loss of LOSSES, "LOSS.loss" is the sum of the losses of all pairs or triplets in one batch without dropout, and "LOSS.NAME" stands for the
gradient of the weight NAME: the sum of its squares, and that of its products with the numbers of ramp(). "LOSS.steps" are the mean losses of ten steps
of Adam. The texts are in the metadata. Needs transformers, torch and safetensors.

A positive of the same anchor, and the anchor itself, are no wrong answers: they are left out of the softmax.
"""

import json
import pathlib
import sys

import torch
import transformers
from golden_of_training import ramp
from safetensors.torch import save_file

TRIPLETS = [
    ["A man is walking with his dog.", "Someone walks a dog.", "She reads a book."],
    ["She reads a book in the garden.", "A woman is reading.", "The garden is big."],
    ["A man is walking with his dog.", "The dog walks with a man.", "A man is reading."],
    ["I don't know; do you?", "Do you know it?", "Someone walks a dog."],
]
TEMPERATURE = 0.05
LOSSES = {
    "pairs": {},
    "symmetric": {"symmetric": True},
    "triplets": {"negatives": True},
    "widths": {"negatives": True, "symmetric": True, "widths": [8, 4]},
}


class Embedder(torch.nn.Module):
    def __init__(self, directory):
        super().__init__()
        self.encoder = transformers.AutoModel.from_pretrained(directory).float().eval()
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        pooling = json.loads((directory / "1_Pooling" / "config.json").read_text())
        self.takes_first = pooling.get("pooling_mode_cls_token", pooling.get("pooling_mode") == "cls")
        self.longest = json.loads((directory / "sentence_bert_config.json").read_text())["max_seq_length"]

    def forward(self, texts):
        vectors = []
        for text in texts:
            ids = self.tokenizer(text, truncation=True, max_length=self.longest).input_ids
            states = self.encoder(torch.tensor([ids])).last_hidden_state[0]
            vectors.append(states[0] if self.takes_first else states.mean(dim=0))
        return torch.stack(vectors)


def left_out(negatives):
    """[anchors, candidates]: 0, or minus infinity for candidates that are right, too."""
    candidates = [triplet[1] for triplet in TRIPLETS] + ([triplet[2] for triplet in TRIPLETS] if negatives else [])
    mask = torch.zeros(len(TRIPLETS), len(candidates))
    for i, (anchor, _, _) in enumerate(TRIPLETS):
        right = {anchor} | {triplet[1] for triplet in TRIPLETS if triplet[0] == anchor}
        for j, candidate in enumerate(candidates):
            if j % len(TRIPLETS) != i and candidate in right:
                mask[i, j] = -torch.inf
    return mask


def loss_of(model, symmetric=False, negatives=False, widths=()):
    anchors, positives, wrong = (model(texts) for texts in zip(*TRIPLETS))
    mask = left_out(negatives)
    targets = torch.arange(len(anchors))
    loss = 0
    for width in [anchors.shape[1], *widths]:
        unit = [torch.nn.functional.normalize(vectors[:, :width]) for vectors in (anchors, positives, wrong)]
        candidates = torch.cat(unit[1:] if negatives else unit[1:2])
        part = torch.nn.functional.cross_entropy(unit[0] @ candidates.T / TEMPERATURE + mask, targets, reduction="sum")
        if symmetric:
            reverse = unit[1] @ unit[0].T / TEMPERATURE + mask[:, : len(anchors)].T
            part = (part + torch.nn.functional.cross_entropy(reverse, targets, reduction="sum")) / 2
        loss = loss + part
    return loss


def sums(gradient):
    values = gradient.double().flatten()
    return torch.stack([values @ values, values @ ramp(len(values))]).float()


def main():
    directory, out = pathlib.Path(sys.argv[1]), sys.argv[2]
    tensors = {}
    for name, options in LOSSES.items():
        model = Embedder(directory)
        loss = loss_of(model, **options)
        loss.backward()
        tensors[f"{name}.loss"] = loss.detach()[None]
        for weight, p in model.encoder.named_parameters():
            if p.grad is not None:
                tensors[f"{name}.{weight}"] = sums(p.grad)
        adam = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98), eps=1e-9)
        losses = []
        for _ in range(10):
            adam.zero_grad()
            loss = loss_of(model, **options) / len(TRIPLETS)
            loss.backward()
            adam.step()
            losses.append(loss.detach())
        tensors[f"{name}.steps"] = torch.stack(losses)
    save_file(tensors, out, metadata={"triplets": json.dumps(TRIPLETS)})


if __name__ == "__main__":
    main()
