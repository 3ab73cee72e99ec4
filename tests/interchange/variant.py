"""A copy of a fixture whose settings and tensors may be changed."""

import json
import pathlib
import shutil

import torch
from safetensors.torch import load_file, save_file

MODELS = pathlib.Path(__file__).parent / "data/models"


class Variant:
    """A copy of a fixture that may be changed."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        shutil.copytree(MODELS / name, folder)
        if not (folder / "model.safetensors").exists():
            save_file(load_state(folder), folder / "model.safetensors", metadata={"format": "pt"})
            for old in folder.glob("pytorch_model*"):
                old.unlink()
        self.weights = load_file(folder / "model.safetensors")

    def settings(self, file, **values):
        path = self.folder / file
        content = json.loads(path.read_text()) if path.exists() else {}
        content.update(values)
        path.write_text(json.dumps({key: value for key, value in content.items() if value is not None or key not in values}))

    def config(self, **values):
        self.settings("config.json", **values)

    def generation(self, **values):
        self.settings("generation_config.json", **values)

    def setting(self, key):
        return json.loads((self.folder / "config.json").read_text()).get(key)

    def table(self, like, seed):
        """A tensor of random values like another one."""
        of = self.weights[like]
        return torch.randn(of.shape, generator=torch.Generator().manual_seed(seed)) * of.std()

    @property
    def shared(self):
        names = ["shared.weight", "model.shared.weight", "transformer.wte.weight", "model.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                 "transformer.word_embeddings.weight", "gpt_neox.embed_in.weight"]
        return next(name for name in names if name in self.weights)

    def save(self):
        save_file({name: tensor.contiguous().clone() for name, tensor in self.weights.items()}, self.folder / "model.safetensors",
                  metadata={"format": "pt"})


def load_state(folder):
    path = next(folder.glob("pytorch_model*.bin"))
    return {name: tensor.clone() for name, tensor in torch.load(path, weights_only=True).items()}
