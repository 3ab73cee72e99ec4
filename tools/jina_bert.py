"""The network of Jina's embeddings of version 2 in PyTorch, after the description of its authors (Günther et al. 2023, section 3): transformers
has no class for it, and the program beside their weights is not at hand. Biases by distance are those of ALiBi, the same on both sides."""

import json
import math
import pathlib

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional


def slopes(heads):
    def of_power(count):
        return [2 ** (-8 * (i + 1) / count) for i in range(count)]

    closest = 2 ** int(math.log2(heads))
    return of_power(closest) + of_power(2 * closest)[0::2][:heads - closest]


def shapes(config):
    """The weights of an encoder by their names."""
    width, hidden = config["hidden_size"], config["intermediate_size"]
    yield "embeddings.word_embeddings.weight", (config["vocab_size"], width)
    yield "embeddings.token_type_embeddings.weight", (config["type_vocab_size"], width)
    norms = ["embeddings.LayerNorm"]
    for i in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{i}."
        for name in ("self.query", "self.key", "self.value", "output.dense"):
            yield f"{layer}attention.{name}.weight", (width, width)
            yield f"{layer}attention.{name}.bias", (width,)
        yield layer + "mlp.gated_layers.weight", (2 * hidden, width)
        yield layer + "mlp.wo.weight", (width, hidden)
        yield layer + "mlp.wo.bias", (width,)
        norms += [layer + "attention.output.LayerNorm", layer + "mlp.layernorm"]
    for norm in norms:
        yield norm + ".weight", (width,)
        yield norm + ".bias", (width,)


def write_random(folder, config, seed):
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes(config):
        is_gain = name.endswith(("LayerNorm.weight", "layernorm.weight"))
        weights[name] = (1.0 if is_gain else 0.0) + 0.15 * torch.randn(shape, generator=generator)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


class JinaBert(torch.nn.Module):
    def __init__(self, directory):
        super().__init__()
        directory = pathlib.Path(directory)
        self.settings = json.loads((directory / "config.json").read_text())
        self.weights = load_file(directory / "model.safetensors")

    def linear(self, x, name):
        return functional.linear(x, self.weights[name + ".weight"], self.weights.get(name + ".bias"))

    def norm(self, x, name):
        return functional.layer_norm(x, x.shape[-1:], self.weights[name + ".weight"], self.weights[name + ".bias"], self.settings["layer_norm_eps"])

    def attention(self, x, name):
        heads = self.settings["num_attention_heads"]
        places = torch.arange(x.shape[0])
        distances = (places[:, None] - places[None, :]).abs()

        def of_heads(part):
            return self.linear(x, f"{name}.self.{part}").view(x.shape[0], heads, -1).transpose(0, 1)

        query, key, value = map(of_heads, ("query", "key", "value"))
        scores = query @ key.transpose(1, 2) / math.sqrt(query.shape[-1]) - torch.tensor(slopes(heads))[:, None, None] * distances
        return (scores.softmax(dim=-1) @ value).transpose(0, 1).reshape(x.shape[0], -1)

    def forward(self, input_ids, token_type_ids=None, attention_mask=None, output_hidden_states=True):
        table, types = self.weights["embeddings.word_embeddings.weight"], self.weights["embeddings.token_type_embeddings.weight"]
        x = self.norm(table[input_ids[0]] + types[0], "embeddings.LayerNorm")
        activation = {"geglu": functional.gelu, "reglu": functional.relu}[self.settings["feed_forward_type"]]
        states = [x]
        for i in range(self.settings["num_hidden_layers"]):
            layer = f"encoder.layer.{i}."
            x = self.norm(x + self.linear(self.attention(x, layer + "attention"), layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            gated, other = self.linear(x, layer + "mlp.gated_layers").chunk(2, dim=-1)
            x = self.norm(x + self.linear(activation(gated) * other, layer + "mlp.wo"), layer + "mlp.layernorm")
            states.append(x)
        return type("Run", (), {"hidden_states": [state[None] for state in states]})
