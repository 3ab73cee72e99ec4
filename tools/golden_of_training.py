#!/usr/bin/env python3
"""What transformers computes in a step of training with a model directory, for the tests of `attend train --init-from`.

    python golden_of_training.py [--lora=RANK] [--steps=COUNT] DIR OUT.safetensors [SOURCE TARGET]

The file holds two numbers for the gradient of every weight, by its name and without dropout: the sum of its squares, and that of its products with the
numbers of ramp(), both without the row of the padding token in tables of embeddings. "loss" is the sum of the negative log-likelihoods of the target
tokens (or labels) of all texts. The texts are in the metadata: pairs for translation models; lines for language models, which are one document with the
token that ends a text behind it; texts and their labels for classifiers and encoders. An encoder gets a new head on its pooled vectors:
"new_head.weight" and "new_head.bias", with ".gradient" behind the name of their gradients. Needs transformers, torch, safetensors, and sentencepiece for
models that use it.

SOURCE and TARGET are languages of a model of several.

Models for several labels and for numbers get pairs of texts, with a tab between, and labels with commas between or numbers; their losses are sums over
the texts of binary cross-entropies, the mean of all labels, and of squared errors. Models that classify tokens get a tag for every word.

With --steps, a classifier makes that many steps with AdamW on all texts: the file holds the mean losses "full", "frozen" (without the embeddings and
the first layer) and "lora" (adapters of --lora=2 alone, which it holds, too).

With --lora, a classifier is used with random low-rank adapters of its queries and values, W + 4/RANK B A: "NAME.lora_a" (A) and "NAME.lora_b" (B) in
place of "NAME.weight", and their gradients as of a new head.
"""

import json
import pathlib
import sys
import tempfile

import torch
import torch.nn.utils.parametrize
import transformers
from safetensors.torch import load_file, save_file

SOURCES = ["A man is walking with his dog.", "I don't know; do you?", "She reads a book in the garden."]
LABELS = ["negative", "positive", "neutral"]
OTHERS = ["A dog is walking.", "I know.", "She reads a book."]  # second texts of pairs
SEVERAL = ["negative,positive", "", "neutral"]
NUMBERS = ["0.5", "-1.25", "2"]
TAGS = ["B-WHO I-WHO O O O B-WHO I-WHO", "B-WHO O O O O", "B-WHO O O O O B-WHERE I-WHO"]
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
    start = getattr(model.config, "decoder_start_token_id", None)
    if start is None:
        start = model.config.decoder.bos_token_id
    return [start] + ([] if first is None else [first])


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


def sums(config, gradient):
    vocabularies = config.vocab_size, getattr(config, "decoder_vocab_size", None)
    if config.pad_token_id is not None and gradient.dim() == 2 and len(gradient) in vocabularies and config.pad_token_id < len(gradient):
        gradient[config.pad_token_id] = 0
    values = gradient.double().flatten()
    return torch.stack([values @ values, values @ ramp(len(values))]).float()


def language(directory, tokenizer):
    model = transformers.AutoModelForCausalLM.from_pretrained(directory).float().eval()
    ids = [*tokenizer("".join(line + "\n" for line in SOURCES)).input_ids, tokenizer.eos_token_id]
    output = model(torch.tensor([ids[:-1]]))
    loss = loss_of(output.logits[0], ids[1:])
    if getattr(output, "aux_loss", None) is None:
        return model, loss
    balance = model.config.router_aux_loss_coef * output.aux_loss  # of experts, of which attend records the gradient alone
    return model, loss + balance - balance.detach()


def classifier(directory, tokenizer, change=lambda model: model):
    model = change(transformers.AutoModelForSequenceClassification.from_pretrained(directory).float().eval())
    problem = model.config.problem_type
    texts = [(text,) for text in SOURCES] if problem is None else list(zip(SOURCES, OTHERS))
    logits = torch.cat([model(**tokenizer(*text, return_tensors="pt")).logits for text in texts])
    names = list(model.config.id2label.values())
    if problem == "regression":
        targets = torch.tensor([[float(number)] for number in NUMBERS])
        return model, torch.nn.functional.mse_loss(logits, targets, reduction="sum")
    if problem == "multi_label_classification":
        targets = torch.tensor([[float(name in cell.split(",")) for name in names] for cell in SEVERAL])
        return model, torch.nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="sum") / len(names)
    return model, loss_of(logits, [names.index(label) for label in LABELS])


def tagger(directory, tokenizer):
    """Of the first token of every word."""
    model = transformers.AutoModelForTokenClassification.from_pretrained(directory).float().eval()
    names = list(model.config.id2label.values())
    loss = 0
    for text, tags in zip(SOURCES, TAGS):
        inputs = tokenizer(text.split(), is_split_into_words=True, return_tensors="pt")
        places = inputs.word_ids()
        rows = [places.index(word) for word in range(len(text.split()))]
        loss = loss + loss_of(model(**inputs).logits[0, rows], [names.index(tag) for tag in tags.split()])
    return model, loss


def sources_and_labels(model):
    """What the tests are given."""
    problem = getattr(model.config, "problem_type", None)
    if problem is not None:
        labels = NUMBERS if problem == "regression" else SEVERAL
        return {"sources": [f"{text}\t{other}" for text, other in zip(SOURCES, OTHERS)], "labels": labels}
    return {"sources": SOURCES, "labels": TAGS if type(model).__name__.endswith("ForTokenClassification") else LABELS}


class LowRank(torch.nn.Module):
    """W + 4/rank B A, for torch.nn.utils.parametrize."""

    def __init__(self, weight, rank):
        super().__init__()
        self.lora_a = torch.nn.Parameter(torch.randn(rank, weight.shape[1]) * 0.3)
        self.lora_b = torch.nn.Parameter(torch.randn(weight.shape[0], rank) * 0.3)

    def forward(self, weight):
        return weight + 4 / self.lora_a.shape[0] * self.lora_b @ self.lora_a


def low_rank_adapters(model, rank):
    """Puts adapters on queries and values; returns them by name."""
    torch.manual_seed(2)
    adapters = {}
    for name, module in list(model.named_modules()):
        if name.endswith((".query", ".value")):
            adapters[name] = LowRank(module.weight, rank)
            torch.nn.utils.parametrize.register_parametrization(module, "weight", adapters[name])
    return adapters


def adapted(directory, tokenizer, rank):
    """The loss of a classifier with adapters, and their tensors."""
    adapters = {}

    def adapt(model):
        adapters.update(low_rank_adapters(model, rank))
        return model

    _, loss = classifier(directory, tokenizer, adapt)
    loss.backward()
    tensors = {"loss": loss.detach()[None]}
    for name, adapter in adapters.items():
        for part, value in adapter.named_parameters():
            tensors[f"{name}.{part}"] = value.detach().contiguous()
            tensors[f"{name}.{part}.gradient"] = value.grad.contiguous()
    return tensors


def losses_of_steps(model, parameters, count, tokenizer):
    """Trains on all texts; returns the mean loss before each step."""
    optimizer = torch.optim.AdamW(parameters, lr=0.01, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.1)
    names = list(model.config.id2label.values())
    targets = torch.tensor([names.index(label) for label in LABELS])
    losses = []
    for _ in range(count):
        logits = torch.cat([model(torch.tensor([tokenizer(text).input_ids])).logits for text in SOURCES])
        loss = torch.nn.functional.cross_entropy(logits, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def steps(directory, tokenizer, count):
    def fresh():
        return transformers.AutoModelForSequenceClassification.from_pretrained(directory).float().eval()

    full, frozen, low_rank = fresh(), fresh(), fresh()
    left = [p for name, p in frozen.named_parameters() if ".embeddings." not in name and ".layer.0." not in name]
    adapters = low_rank_adapters(low_rank, 2)
    tensors = {f"{name}.{part}": value.detach().clone() for name, adapter in adapters.items() for part, value in adapter.named_parameters()}
    tensors["full"] = losses_of_steps(full, list(full.parameters()), count, tokenizer)
    tensors["frozen"] = losses_of_steps(frozen, left, count, tokenizer)
    trained = [value for adapter in adapters.values() for value in adapter.parameters()]
    tensors["lora"] = losses_of_steps(low_rank, trained, count, tokenizer)
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
        self.takes_last = pooling.get("pooling_mode_lasttoken", False)

    def forward(self, ids):
        states = self.encoder(torch.tensor([ids])).last_hidden_state[0]
        return self.new_head(states[0] if self.takes_first else states[-1] if self.takes_last else states.mean(dim=0))


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
    if config.architectures[0].endswith("ForTokenClassification"):
        return tagger
    return translation if config.is_encoder_decoder else language


RENAMED = ["nomic_bert", "gte", "mixtral", "qwen2_moe", "qwen3_moe"]  # families whose files have other names and stacked weights


def gradients_by_name(model):
    """The gradients of a model by the names of its weights in a file."""
    if model.config.model_type not in RENAMED:
        return {name: p.grad.contiguous() for name, p in model.named_parameters() if p.grad is not None}
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.full_like(p, torch.nan) if p.grad is None else p.grad)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tensors = load_file(pathlib.Path(folder) / "model.safetensors")
    return {name: tensor for name, tensor in tensors.items() if not tensor.isnan().any()}


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
        name, _, number = option.partition("=")
        if name in ("--lora", "--steps"):
            tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
            tensors = (adapted if name == "--lora" else steps)(directory, tokenizer, int(number))
            save_file(tensors, out, metadata={name: json.dumps(value) for name, value in metadata.items()})
            return
    model, loss = begun(directory, languages)
    if not isinstance(model, NewHead):
        metadata.update(sources_and_labels(model))
    loss.backward()
    heads = {name: p.grad.contiguous() for name, p in model.named_parameters() if name.startswith("new_head.")}
    weights = {name: model.get_parameter(name).detach().contiguous() for name in heads}
    tensors = {**gradients_by_name(model.encoder if isinstance(model, NewHead) else model), **heads}
    config = model.encoder.config if isinstance(model, NewHead) else model.config
    tensors = {name: gradient if name.startswith("new_head.") else sums(config, gradient) for name, gradient in tensors.items()}
    metadata["padding"] = -1 if config.pad_token_id is None else config.pad_token_id
    if isinstance(model, NewHead):
        for name in "new_head.weight", "new_head.bias":
            tensors[name + ".gradient"] = tensors[name]
            tensors[name] = weights[name]
    tensors["loss"] = loss.detach()[None]
    save_file(tensors, out, metadata={name: json.dumps(value) for name, value in metadata.items()})


if __name__ == "__main__":
    main()
