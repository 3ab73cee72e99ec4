"""The other side of training by several processes: PyTorch's DistributedDataParallel over gloo, on the language model of train_lm_torch.py.

usage: train_lm_ddp.py OPTIONS.json          {"ids": file, "vocabulary": V, "sequences": B of each process, "processes": R, "steps": N,
                                              "threads": of each process, "weights": file, "model": {...}}

Prints one line of JSON: seconds of every step of the first process, and the tokens of a step of all.
"""

import argparse
import json
import os
import time

import torch
from torch import distributed, multiprocessing, nn
from torch.nn.parallel import DistributedDataParallel
from train_lm_torch import LanguageModel, loss_of
from train_torch import adam, load_weights, read_ids


class Loss(nn.Module):
    """The loss as a forward pass, so that DistributedDataParallel sees all of it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, batch):
        return loss_of(self.model, batch, "f32")


def train(rank, options):
    torch.manual_seed(1)
    torch.set_num_threads(options["threads"])
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options["port"]))
    distributed.init_process_group("gloo", rank=rank, world_size=options["processes"])
    ids = torch.tensor(read_ids(options["ids"]))
    batches = ids.split(options["sequences"])
    model = LanguageModel(options["model"], options["vocabulary"], ids.shape[1])
    parameters = load_weights(model, options["weights"])
    shared = DistributedDataParallel(Loss(model))
    optimizer = adam(model.parameters())
    seconds = []
    for step in range(options["steps"]):
        batch = batches[(step * options["processes"] + rank) % len(batches)]
        begun = time.monotonic()
        optimizer.zero_grad(set_to_none=True)
        loss = shared(batch)
        loss.backward()
        optimizer.step()
        seconds.append(time.monotonic() - begun)
        if step == 0:
            first_loss = loss.item()
    if rank == 0:
        print(json.dumps(dict(parameters=parameters, first_loss=first_loss, seconds=seconds,
                              tokens=batches[0][:, 1:].numel() * options["processes"])), flush=True)
    distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("options")
    with open(parser.parse_args().options) as file:
        options = json.load(file)
    multiprocessing.spawn(train, (options,), nprocs=options["processes"])


if __name__ == "__main__":
    main()
